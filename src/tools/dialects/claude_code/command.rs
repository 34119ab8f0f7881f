//! The answer of `Bash`.

use super::limit::Limit;
use crate::tools::prelude::*;
use crate::tools::text::phrases::lines;

/// The settings on which the text of an answer depends.
pub(super) struct Style {
    pub(super) is_current: bool,
    pub(super) limit: Limit,
    pub(super) interprets: bool,
    pub(super) names_processes: bool,
    /// A remark about the call itself.
    pub(super) note: Option<&'static str>,
}

impl Style {
    pub(super) fn answer(&self, arguments: &Arguments, run: &RunOutcome, timeout_ms: Option<f64>) -> Answer {
        let outcome = &run.command;
        if outcome.has_not_run() && outcome.status != CommandStatus::Aborted {
            return refusal(outcome.reason());
        }
        let meaning = if self.interprets { meaning(arguments, outcome) } else { None };
        let output = self.output(outcome);
        let is_error =
            !outcome.is_success() && outcome.status != CommandStatus::Background && meaning.is_none();
        let reset = run
            .reset
            .as_ref()
            .map_or_else(String::new, |reset| format!("Shell cwd was reset to {}", reset.to));
        let mut notes = run.notes_but_reset(self.names_processes);
        notes.extend(self.note.map(str::to_owned));
        let notes = notes.join("\n");
        let text = match outcome.status {
            CommandStatus::Background => lines([&notes, &self.background(run, &output, timeout_ms)]),
            CommandStatus::Aborted => {
                lines([&output, &notes, "<error>Command was aborted before completion</error>"])
            }
            CommandStatus::Timeout => lines([
                &format!("Command timed out after {}", classic_time(timeout_ms.unwrap_or(0.0))),
                &output,
                &notes,
            ]),
            _ if is_error => {
                lines([&format!("Exit code {}", outcome.shell_code().unwrap_or(1)), &output, &notes, &reset])
            }
            _ => {
                let text = lines([&output, &notes, &reset]);
                if text.is_empty() { "(Bash completed with no output)".to_owned() } else { text }
            }
        };
        let has_file = self.is_current && self.is_long(outcome);
        let [stdout, stderr] =
            [&outcome.output.stdout, &outcome.output.stderr].map(|text| self.limit.truncated(text.clone()));
        let is_moved = outcome.status == CommandStatus::Background;
        let file = outcome.file.as_ref().filter(|_| has_file);
        let data = object! {
            "stdout": stdout,
            "stderr": stderr,
            "interrupted": outcome.status == CommandStatus::Aborted,
            "exitCode": outcome.shell_code(),
            "signal"?: outcome.signal,
            "backgroundTaskId"?: outcome.job.as_ref().filter(|_| is_moved),
            "timedOutAfterMs"?: timeout_ms.filter(|_| has_timed_out(arguments, outcome, timeout_ms)),
            "returnCodeInterpretation"?: meaning,
            "persistedOutputPath"?: file.map(|file| &file.path),
            "persistedOutputSize"?: file.map(|file| file.bytes),
            "backgroundPids": outcome.background_pids,
        };
        Answer::of(text, is_error, data)
    }

    fn background(&self, run: &RunOutcome, output: &str, timeout_ms: Option<f64>) -> String {
        let outcome = &run.command;
        let id = outcome.job.as_deref().unwrap_or("unknown");
        let file = outcome.file_path().filter(|_| self.is_current);
        if run.started_as_job {
            let rest = file.map_or_else(String::new, |file| {
                format!(
                    ". Output is being written to: {file}. You will be notified when it completes. To check interim output, \
                     read that file."
                )
            });
            return format!("Command running in background with ID: {id}{rest}");
        }
        // The host's `yield` may come before the timeout.
        let seconds = (outcome.duration_ms / 100.0).round() / 10.0;
        let cause = if is_time_up(outcome, timeout_ms) {
            format!("timed out after {}", current_time(timeout_ms.unwrap_or(outcome.duration_ms)))
        } else {
            format!("is still running after {seconds}s")
        };
        let reader = if self.is_current { "TaskOutput" } else { "BashOutput" };
        let rest = file.map_or_else(|| format!("is read with {reader}"), |file| format!("goes to {file}"));
        let note = format!(
            "Command {cause} and was moved to the background with ID: {id}; it was not stopped. Its output so \
             far is above; the rest {rest}"
        );
        lines([output, &note])
    }

    fn is_long(&self, outcome: &CommandOutcome) -> bool {
        self.limit.is_exceeded(&joined(outcome))
    }

    fn output(&self, outcome: &CommandOutcome) -> String {
        let text = joined(outcome);
        match outcome.file_path().filter(|_| self.is_current && self.is_long(outcome)) {
            Some(file) => self.limit.persisted(&text, outcome, file),
            None => self.limit.truncated(text),
        }
    }
}

fn has_timed_out(arguments: &Arguments, outcome: &CommandOutcome, timeout_ms: Option<f64>) -> bool {
    let was_moved = outcome.status == CommandStatus::Background && !arguments.flag("run_in_background");
    (was_moved && is_time_up(outcome, timeout_ms)) || outcome.status == CommandStatus::Timeout
}

/// Returns whether a command that was moved to the background has used up its time. The clocks of the timer
/// and of the duration differ by some milliseconds.
fn is_time_up(outcome: &CommandOutcome, timeout_ms: Option<f64>) -> bool {
    timeout_ms.is_some_and(|limit| outcome.duration_ms > 0.95 * limit)
}

/// Joins standard output, without leading blank lines and trailing white space, and standard error if it is
/// apart.
fn joined(outcome: &CommandOutcome) -> String {
    let stdout = outcome.output.stdout.trim_end();
    // Drops leading blank lines, but keeps the indentation of the first other line.
    let start = stdout
        .find(|character: char| !character.is_whitespace())
        .map_or(0, |index| stdout[..index].rfind('\n').map_or(0, |line_break| line_break + 1));
    lines([&stdout[start..], outcome.output.stderr.trim()])
}

/// Formats a time as the classic versions do: `2m 0.0s`.
fn classic_time(milliseconds: f64) -> String {
    let seconds = milliseconds / 1000.0;
    if seconds < 60.0 {
        return format!("{seconds:.1}s");
    }
    let minutes = (seconds / 60.0).floor();
    format!("{minutes}m {:.1}s", seconds - minutes * 60.0)
}

/// Formats a time as the current versions do: `2s`, `2m`.
fn current_time(milliseconds: f64) -> String {
    let seconds = milliseconds / 1000.0;
    if seconds < 60.0 {
        return format!("{seconds}s");
    }
    let minutes = (seconds / 60.0).floor();
    let rest = seconds - minutes * 60.0;
    if rest == 0.0 { format!("{minutes}m") } else { format!("{minutes}m {rest}s") }
}

/// Returns the meaning of exit code 1 for programs that report a result by it, such as `grep`.
fn meaning(arguments: &Arguments, outcome: &CommandOutcome) -> Option<&'static str> {
    if outcome.exit_code != Some(1) {
        return None;
    }
    let command = arguments.text("command")?;
    // The status of a command line is that of its last command.
    let last = command.rsplit(['|', ';', '&', '\n']).find(|part| !part.trim().is_empty())?;
    let name = last.split_whitespace().next()?;
    match name.rsplit('/').next()? {
        "grep" | "rg" => Some("No matches found"),
        "diff" | "cmp" => Some("Files differ"),
        "test" | "[" => Some("Condition is false"),
        "find" => Some("Some directories were inaccessible"),
        _ => None,
    }
}

/// Returns the answer to invalid arguments, or to a denied call.
pub(super) fn refusal(message: &str) -> Answer {
    let data = object! {
        "stdout": "",
        "stderr": "",
        "interrupted": false,
        "exitCode": (),
        "backgroundPids": [(); 0],
        "error": message,
    };
    Answer::of(format!("<tool_use_error>{message}</tool_use_error>"), true, data)
}

pub(super) const OUTPUT: &str = r#"{"type":"object","properties":{"stdout":{"type":"string"},"stderr":{"type":"string"},"interrupted":{"type":"boolean"},"exitCode":{"type":["integer","null"]},"signal":{"type":"string"},"backgroundTaskId":{"type":"string"},"timedOutAfterMs":{"type":"number"},"returnCodeInterpretation":{"type":"string"},"persistedOutputPath":{"type":"string"},"persistedOutputSize":{"type":"number"},"backgroundPids":{"type":"array","items":{"type":"integer"}},"error":{"type":"string"}},"required":["stdout","stderr","interrupted"],"additionalProperties":false}"#;

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::super::limit::Limit;
    use super::{Style, classic_time, current_time};
    use crate::tools::call::arguments::Arguments;
    use crate::tools::outcome::testing::{outcome as parsed, with};

    const STYLE: Style = Style {
        is_current: false,
        limit: Limit { max_chars: 10, is_beginning: false },
        interprets: false,
        names_processes: true,
        note: None,
    };

    fn answer(arguments: &str, outcome: Value) -> (String, bool) {
        let style = Style { interprets: true, ..STYLE };
        let outcome = with(outcome, json!({ "pid": 7 }));
        let answer = style.answer(&Arguments::from_json(arguments), &parsed(outcome), Some(120_000.0));
        (answer.text, answer.is_error)
    }

    #[test]
    fn streams_are_trimmed_and_joined() {
        let outcome = json!({ "exitCode": 0, "stdout": "\n  \n  a \n\n", "stderr": "\nb\n" });
        assert_eq!(answer("{}", outcome), ("  a\nb".to_owned(), false));
        let silent = json!({ "exitCode": 0 });
        assert_eq!(answer("{}", silent), ("(Bash completed with no output)".to_owned(), false));
    }

    #[test]
    fn the_ends_have_the_words_of_the_original() {
        let ended =
            |status, exit_code| json!({ "status": status, "exitCode": exit_code, "stdout": "part\n" });
        assert_eq!(answer("{}", ended("exited", Some(7))), ("Exit code 7\npart".to_owned(), true));
        assert_eq!(
            answer("{}", ended("timeout", None)),
            ("Command timed out after 2m 0.0s\npart".to_owned(), true)
        );
        let aborted = "part\n<error>Command was aborted before completion</error>";
        assert_eq!(answer("{}", ended("aborted", None)), (aborted.to_owned(), true));
    }

    #[test]
    fn a_command_that_is_moved_says_where_it_went() {
        let moved =
            json!({ "status": "background", "job": "bash_1", "stdout": "part\n", "durationMs": 120_000.0 });
        assert_eq!(
            answer("{}", moved.clone()).0,
            "part\nCommand timed out after 2m and was moved to the background with ID: bash_1; it was not stopped. Its output so \
             far is above; the rest is read with BashOutput"
        );
        let early = with(moved.clone(), json!({ "durationMs": 45_012.0 }));
        let text = answer("{}", early).0;
        assert!(
            text.starts_with("part\nCommand is still running after 45s and was moved to the background"),
            "{text}"
        );
        let current = Style { is_current: true, ..STYLE };
        let text = current.answer(&Arguments::default(), &parsed(moved.clone()), Some(2_000.0)).text;
        assert!(text.ends_with("the rest is read with TaskOutput"), "{text}");
        let started = with(moved.clone(), json!({ "startedAsJob": true, "file": { "path": "/f" } }));
        assert_eq!(
            current.answer(&Arguments::default(), &parsed(started), None).text,
            "Command running in background with ID: bash_1. Output is being written to: /f. You will be notified when it \
             completes. To check interim output, read that file."
        );
        assert_eq!(
            answer("{}", with(moved, json!({ "startedAsJob": true }))).0,
            "Command running in background with ID: bash_1"
        );
    }

    #[test]
    fn exit_codes_that_are_no_failure_are_explained() {
        let outcome = || json!({ "exitCode": 1 });
        assert!(!answer(r#"{"command":"cat x | grep y"}"#, outcome()).1);
        assert!(answer(r#"{"command":"grep y && false"}"#, outcome()).1);
    }

    #[test]
    fn times_have_both_forms() {
        assert_eq!([classic_time(300.0), classic_time(120_000.0)], ["0.3s", "2m 0.0s"]);
        assert_eq!([current_time(2_000.0), current_time(125_000.0)], ["2s", "2m 5s"]);
    }
}
