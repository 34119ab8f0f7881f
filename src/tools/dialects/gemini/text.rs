//! The answers of `run_shell_command` and its companions.

use super::super::execute_bash_command::report;
use crate::tools::prelude::*;
use crate::tools::text::cut::{Cut, by_characters};
use crate::tools::text::phrases::{grouped, pids};

/// The default of the most characters of output that the model reads.
const MAX_CHARS: usize = 40_000;
/// The default number of lines of a log.
const LOG_LINES: f64 = 100.0;

pub(super) const SUBSTITUTION: &str = "Command injection detected: command substitution syntax ($(), backticks, <() or >()) \
found in command arguments. On PowerShell, @() array subexpressions and $() subexpressions are also blocked. This is a \
security risk and the command was blocked.";
pub(super) const NO_MORE: &str =
    "additional_permissions can't be granted: nobody can be asked. Run the command without them.";
const BUFFER_FULL: &str = "[GEMINI_CLI_WARNING: Output truncated. The buffer is limited to 16MB.]";

/// The version of the original whose report is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Lines {
    Current,
    Middle,
    Seed,
}

/// The settings on which the text of an answer depends.
#[derive(Debug)]
pub(super) struct Form {
    lines: Lines,
    is_wrapped: bool,
    max_chars: usize,
    always_pgid: bool,
}

impl Form {
    pub(super) fn new(own: &Arguments, max_chars: Option<u64>, always_pgid: bool) -> Self {
        let lines = match own.text("form") {
            Some("middle") => Lines::Middle,
            Some("seed") => Lines::Seed,
            _ => Lines::Current,
        };
        let is_wrapped = own.get("wrap").map_or(lines == Lines::Current, |wrap| wrap == true);
        let max_chars = max_chars.and_then(|chars| usize::try_from(chars).ok()).unwrap_or(MAX_CHARS);
        Self { lines, is_wrapped, max_chars, always_pgid }
    }

    pub(super) const fn max_chars(&self) -> usize {
        self.max_chars
    }

    pub(super) fn command(&self, arguments: &Arguments, run: &RunOutcome, idle_ms: Option<f64>) -> Answer {
        let outcome = &run.command;
        let output = output_of(outcome);
        let shown = self.cut(&output, outcome);
        let is_error = !outcome.is_success() && outcome.status != CommandStatus::Background;
        let data = object! {
            "exitCode": outcome.exit_code,
            "signal": outcome.signal.as_deref(),
            "isError": is_error,
            "pid": outcome.pid,
            "command": arguments.text("command").unwrap_or_default(),
            "initialOutput"?: (outcome.status == CommandStatus::Background).then_some(shown.as_str()),
            "output"?: (outcome.status != CommandStatus::Background).then_some(shown.as_str()),
            "backgroundPids": &outcome.background_pids,
            "processGroup": outcome.process_group,
            "truncated": outcome.output.truncated,
            "outputFile": outcome.file_path(),
            "error": outcome.error.as_deref(),
        };
        let text = match outcome.status {
            CommandStatus::Aborted if outcome.is_aborted_before_start() => {
                "Command was cancelled by user before it could start.".to_owned()
            }
            CommandStatus::Background => background(run, &shown),
            CommandStatus::Aborted => {
                self.wrap(&cancelled("Command was cancelled by user before it could complete.", &shown))
            }
            CommandStatus::Timeout | CommandStatus::IdleTimeout => {
                let minutes = idle_ms.unwrap_or(0.0) / 60_000.0;
                let first = format!(
                    "Command was automatically cancelled because it exceeded the timeout of {minutes:.1} minutes without output."
                );
                self.wrap(&cancelled(&first, &shown))
            }
            _ => self.wrap(&self.report(arguments, run, &shown)),
        };
        Answer::of(text, is_error, data)
    }

    fn report(&self, arguments: &Arguments, run: &RunOutcome, shown: &str) -> String {
        let outcome = &run.command;
        if self.lines == Lines::Seed {
            let directory = arguments.usable_text("dir_path").or_else(|| arguments.usable_text("directory"));
            let mut run = run.clone();
            shown.clone_into(&mut run.command.output.stdout);
            let error = run.command.error.as_deref();
            return report(arguments.text("command"), directory, &run, error, self.always_pgid);
        }
        let is_middle = self.lines == Lines::Middle;
        let mut lines = Vec::new();
        if is_middle {
            lines.push(format!("Command: {}", arguments.text("command").unwrap_or_default()));
            lines.push(format!("Directory: {}", arguments.usable_text("dir_path").unwrap_or("(root)")));
        }
        lines.push(format!("Output: {}", if shown.is_empty() { "(empty)" } else { shown }));
        let mut line = |name: &str, value: Option<String>| match value {
            Some(value) => lines.push(format!("{name}: {value}")),
            None if is_middle => lines.push(format!("{name}: (none)")),
            None => {}
        };
        line("Error", outcome.error.clone());
        line(
            "Exit Code",
            outcome.exit_code.filter(|code| is_middle || *code != 0).map(|code| code.to_string()),
        );
        line("Signal", outcome.signal.clone());
        let background = pids(&outcome.background_pids);
        line("Background PIDs", Some(background).filter(|pids| !pids.is_empty()));
        let group = if self.always_pgid { outcome.pid } else { outcome.process_group };
        line("Process Group PGID", group.map(|group| group.to_string()));
        lines.extend(run.remarks(false).into_iter().map(|remark| format!("Note: {remark}")));
        lines.join("\n")
    }

    /// Cuts long output: a fifth of the limit is for the beginning, four fifths for the end.
    fn cut(&self, output: &str, outcome: &CommandOutcome) -> String {
        let head = self.max_chars / 5;
        let tail = self.max_chars - head;
        let Some(Cut { head: first, tail: last }) = by_characters(output, head, tail) else {
            return output.to_owned();
        };
        let omitted = output.chars().count() - head - tail;
        let (part, file) = match &outcome.file {
            Some(OutputFile { path, bytes, is_part: true }) => {
                (format!("its first {bytes} bytes"), path.as_str())
            }
            Some(OutputFile { path, .. }) => ("full output".to_owned(), path.as_str()),
            None => ("full output".to_owned(), "(not kept)"),
        };
        format!(
            "Output too large. Showing first {} and last {} characters. For {part} see: {file}\n{first}\n\n\
             ... [{} characters omitted] ...\n\n{last}",
            grouped(head),
            grouped(tail),
            grouped(omitted)
        )
    }

    /// Returns the answer of `read_background_output`.
    pub(super) fn log(&self, arguments: &Arguments, outcome: &CommandOutcome) -> Answer {
        let pid = arguments.number("pid");
        let status = match outcome.status {
            CommandStatus::Unknown | CommandStatus::Failed => "unknown",
            CommandStatus::Background => "running",
            _ => "exited",
        };
        let shown = self.cut(&outcome.output.stdout, outcome);
        let data = object! {
            "pid": pid,
            "status": status,
            "exitCode": outcome.exit_code,
            "signal": outcome.signal.as_deref(),
            "output": &shown,
            "lines": outcome.output.stdout.trim_end().lines().count(),
            "backgroundPids"?: &outcome.background_pids,
        };
        if status == "unknown" {
            let pid = pid.unwrap_or_default();
            let text =
                format!("Access denied. Background process ID {pid} not found in this session's history.");
            return Answer::of(text, true, data);
        }
        let text = if outcome.output.has_view {
            outcome.output.stdout.clone()
        } else {
            log_text(arguments, &outcome.output.stdout)
        };
        let left = outcome.still_running_processes().map_or_else(String::new, |left| format!("\n[{left}]"));
        let text = dropped(outcome) + &self.cut(&text, outcome) + &left;
        Answer::of(text, false, data)
    }

    fn wrap(&self, text: &str) -> String {
        if !self.is_wrapped {
            return text.to_owned();
        }
        let escaped = text.replace("</untrusted_context>", "&lt;/untrusted_context&gt;");
        format!("<untrusted_context>\n{escaped}\n</untrusted_context>")
    }
}

fn output_of(outcome: &CommandOutcome) -> String {
    let output = outcome.output.stdout.trim();
    if outcome.output.truncated { format!("{output}\n{BUFFER_FULL}") } else { output.to_owned() }
}

/// Returns the text for a command that goes on in the background.
fn background(run: &RunOutcome, shown: &str) -> String {
    let outcome = &run.command;
    let pid = outcome.pid.map_or_else(|| "unknown".to_owned(), |pid| pid.to_string());
    let notes: String = run.notes(false).into_iter().map(|note| note + "\n").collect();
    let dropped = dropped(outcome);
    format!("Command is running in background. PID: {pid}. {notes}Initial output:\n{dropped}{shown}")
}

/// Returns the line about output that the job no longer has.
fn dropped(outcome: &CommandOutcome) -> String {
    outcome.output.dropped_note().map_or_else(String::new, |note| format!("[{note}]\n"))
}

fn cancelled(first: &str, output: &str) -> String {
    if output.is_empty() {
        return format!("{first} There was no output before it was cancelled.");
    }
    format!("{first} Below is the output before it was cancelled:\n{output}")
}

/// Returns the answer to invalid arguments, without the report's labels.
pub(super) fn refusal(message: &str) -> Answer {
    let data = object! {
        "exitCode": (),
        "signal": (),
        "isError": true,
        "pid": (),
        "command": "",
        "backgroundPids": [(); 0],
        "processGroup": (),
        "truncated": false,
        "outputFile": (),
        "error": Some(message),
    };
    Answer::of(message.to_owned(), true, data)
}

pub(super) fn list(outcome: &CallOutcome) -> Answer {
    let status =
        |item: &CommandOutcome| if item.status == CommandStatus::Background { "running" } else { "exited" };
    let process = |JobOutcome { command: item, .. }: &JobOutcome| {
        object! {
            "pid": item.pid,
            "status": status(item),
            "command": item.command,
            "exitCode": item.exit_code,
            "signal": item.signal,
            "backgroundPids"?: item.background_pids,
        }
    };
    let line = |JobOutcome { command: item, .. }: &JobOutcome| {
        let left = match item.background_pids.as_slice() {
            [] => String::new(),
            left => format!(" (Background PIDs: {})", pids(left)),
        };
        let pid = item.pid.unwrap_or_default();
        let code = item.exit_code.map_or_else(String::new, |code| format!(" (Exit Code: {code})"));
        let signal = item.signal.as_ref().map_or_else(String::new, |signal| format!(" (Signal: {signal})"));
        format!("- [PID {pid}] {}: `{}`{code}{signal}{left}", status(item).to_uppercase(), item.command)
    };
    let lines: Vec<_> = outcome.jobs().iter().map(line).collect();
    let error = outcome.refusal().map(|refusal| refusal.error.as_str());
    let text = match error {
        Some(error) => error.to_owned(),
        None if lines.is_empty() => "No background processes found.".to_owned(),
        None => lines.join("\n"),
    };
    let processes: Vec<_> = outcome.jobs().iter().map(process).collect();
    Answer::of(text, error.is_some(), object! { "processes": processes, "error": error })
}

/// Returns the answer to a call that names no process.
pub(super) fn log_refusal(message: &str) -> Answer {
    let data = object! {
        "pid": (),
        "status": "unknown",
        "exitCode": (),
        "signal": (),
        "output": "",
        "lines": 0,
    };
    Answer::of(message.to_owned(), true, data)
}

fn log_text(arguments: &Arguments, output: &str) -> String {
    let output = output.trim_end_matches('\n');
    if output.trim().is_empty() {
        return "Log is empty.".to_owned();
    }
    let lines: Vec<_> = output.split('\n').collect();
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a cast saturates")]
    let wanted = arguments.positive("lines").unwrap_or(LOG_LINES) as usize;
    if lines.len() <= wanted {
        return format!("Full Log Output:\n{output}");
    }
    let last = lines[lines.len() - wanted..].join("\n");
    format!("Showing last {wanted} of {} lines:\n{last}", lines.len())
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{Form, log_text};
    use crate::tools::call::arguments::Arguments;
    use crate::tools::outcome::testing::{outcome as parsed, with};

    fn text(own: &str, outcome: Value) -> String {
        let form = Form::new(&Arguments::from_json(own), Some(10), false);
        let arguments = Arguments::from_json(r#"{"command":"ls"}"#);
        form.command(&arguments, &parsed(with(outcome, json!({ "pid": 7 }))), Some(300_000.0)).text
    }

    #[test]
    fn only_lines_that_apply_are_there_and_a_closing_tag_is_escaped() {
        let outcome = json!({ "exitCode": 0, "stdout": "hi\n" });
        assert_eq!(text("{}", outcome), "<untrusted_context>\nOutput: hi\n</untrusted_context>");
        let outcome = json!({ "exitCode": 2, "backgroundPids": [8], "processGroup": 7 });
        assert_eq!(
            text(r#"{"wrap":false}"#, outcome),
            "Output: (empty)\nExit Code: 2\nBackground PIDs: 8\nProcess Group PGID: 7"
        );
    }

    #[test]
    fn the_form_between_has_all_lines() {
        let outcome = json!({ "exitCode": 0, "stdout": "hi\n" });
        assert_eq!(
            text(r#"{"form":"middle"}"#, outcome),
            "Command: ls\nDirectory: (root)\nOutput: hi\nError: (none)\nExit Code: 0\nSignal: (none)\nBackground PIDs: (none)\n\
             Process Group PGID: (none)"
        );
    }

    #[test]
    fn a_silent_command_is_cancelled_with_its_minutes() {
        let outcome = json!({ "status": "idleTimeout", "stdout": "part\n" });
        assert_eq!(
            text(r#"{"wrap":false}"#, outcome),
            "Command was automatically cancelled because it exceeded the timeout of 5.0 minutes without output. Below is the \
             output before it was cancelled:\npart"
        );
    }

    #[test]
    fn long_output_keeps_a_fifth_of_its_beginning() {
        let outcome = json!({ "exitCode": 0, "stdout": "12345678901" });
        assert_eq!(
            text(r#"{"wrap":false}"#, outcome),
            "Output: Output too large. Showing first 2 and last 8 characters. For full output see: (not kept)\n12\n\n\
             ... [1 characters omitted] ...\n\n45678901"
        );
    }

    #[test]
    fn a_log_is_read_from_its_end() {
        let arguments = Arguments::from_json(r#"{"lines":"2"}"#);
        assert_eq!(log_text(&arguments, "1\n2\n3\n"), "Showing last 2 of 3 lines:\n2\n3");
        assert_eq!(log_text(&arguments, "1\n2\n"), "Full Log Output:\n1\n2");
        assert_eq!(log_text(&arguments, "\n"), "Log is empty.");
    }
}
