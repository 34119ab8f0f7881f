//! `openai-shell`: the `shell` tool, which runs several command lines in one call and reports an outcome for
//! each.

use serde::Serialize;

use super::action_of;
use crate::tools::prelude::*;
use crate::tools::text::cut::{Cut, by_characters};

/// The default of the most characters of each stream that the answer has.
const MAX_CHARS: usize = 102_400;
/// The lower bound of the characters that a model can ask for.
const MIN_CHARS: usize = 256;
/// The most that is captured of each stream (bytes), so that omitted characters can be counted.
const CAPTURE: u64 = 16 * 1024 * 1024;

/// The default number of commands that run at the same time.
const CONCURRENCY: u32 = 4;

const ABORTED_CODE: i64 = 130;
const NOT_PERMITTED_CODE: i64 = 126;
const NOT_FOUND_CODE: i64 = 127;

/// The facts about the dialect.
pub const PROFILE: DialectProfile = DialectProfile {
    options: &[OptionKind::Integer { least: 1, most: 64 }.named("concurrency")],
    compat: Some(&["escapes", "processes"]),
    tells_session: true,
    ..DialectProfile::new("openai-shell", |settings| Box::new(OpenAiShell { settings }))
};

/// The dialect.
#[derive(Debug)]
pub struct OpenAiShell {
    settings: ToolsetSettings,
}

impl OpenAiShell {
    fn concurrency(&self) -> u32 {
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it is 1 to 64")]
        self.settings.own().number("concurrency").map_or(CONCURRENCY, |most| most as u32)
    }

    fn limit(&self, action: &Arguments) -> usize {
        let host =
            self.settings.max_chars.or(self.settings.max_bytes).and_then(|most| usize::try_from(most).ok());
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a cast saturates")]
        let asked = wanted(action).map(|most| (most as usize).max(MIN_CHARS));
        host.unwrap_or(MAX_CHARS).min(asked.unwrap_or(usize::MAX))
    }
}

fn wanted(action: &Arguments) -> Option<f64> {
    action.number("max_output_length").or_else(|| action.number("maxOutputLength"))
}

fn commands(action: &Arguments) -> Option<Vec<String>> {
    // Models sometimes send a single command as text.
    action.words("commands").or_else(|| action.usable_text("command").map(|command| vec![command.to_owned()]))
}

impl Dialect for OpenAiShell {
    fn tools(&self) -> Vec<Tool> {
        vec![Tool {
            name: "shell",
            title: "Run shell commands",
            description: format!(
                "Run shell commands. {} Standard input is empty. The answer has standard output, standard error and the outcome \
                 of each.",
                match self.settings.session() {
                    SessionMode::None => "Each is a whole command line for a shell of its own; they run at the same time.",
                    other => other.sentence(),
                }
            )
            .into(),
            input_schema: Schema::new(&INPUT.replace(
                "{shell}",
                if self.settings.session() == SessionMode::None { ", each for a shell of its own" } else { "" },
            )),
            output_schema: Schema::new(OUTPUT),
            read_only: false,
        }]
    }

    fn instructions(&self) -> Cow<'static, str> {
        format!(
            "Run shell commands with `shell`. {}",
            match self.settings.session() {
                SessionMode::None =>
                    "The commands of one call are independent of each other and run at the same time.",
                other => other.sentence(),
            }
        )
        .into()
    }

    fn plan(&self, _tool: &str, arguments: &Arguments) -> Result<Action, Answer> {
        let action = action_of(arguments);
        let Some(commands) = commands(&action) else {
            let message = "'commands' is missing: expected a list of shell commands";
            return Err(answer(&[CommandEnd::failed(message, NOT_FOUND_CODE)], &[], wanted(&action), true));
        };
        let asked = action.number("timeout_ms").or_else(|| action.number("timeoutMs"));
        let output = OutputOptions {
            max_bytes: CAPTURE,
            view_bytes: Some(self.limit(&action) as u64),
            strip_ansi: self.settings.strips_escapes(),
            spill: self.settings.spill.unwrap_or(false),
            ..OutputOptions::default()
        };
        let run = |command: &String| RunAction {
            timeout_ms: self.settings.timeout(asked, None, None),
            ..RunAction::of_shell(
                if command.trim().is_empty() { ":" } else { command },
                &["bash", "-c"],
                output.clone(),
            )
        };
        Ok(Action::Batch { runs: commands.iter().map(run).collect(), concurrency: self.concurrency() })
    }

    fn answer(&self, _tool: &str, arguments: &Arguments, outcome: &CallOutcome) -> Answer {
        let action = action_of(arguments);
        let commands = commands(&action).unwrap_or_default();
        let limit = self.limit(&action);
        let names_processes = self.settings.names_processes();
        let ends: Vec<_> = match outcome {
            CallOutcome::Batch { items } => {
                items.iter().map(|item| CommandEnd::of(item, limit, names_processes)).collect()
            }
            // A call that ran no command has the same end for each.
            other => vec![CommandEnd::of(&other.run(), limit, names_processes); commands.len().max(1)],
        };
        let ends = if ends.is_empty() { vec![CommandEnd::empty()] } else { ends };
        let is_failure =
            |item: &RunOutcome| item.command.has_not_run() || item.command.status == CommandStatus::Aborted;
        let has_failed = match outcome {
            CallOutcome::Batch { items } => items.iter().any(is_failure),
            other => other.command().status != CommandStatus::Exited,
        };
        answer(&ends, &commands, wanted(&action), has_failed)
    }
}

/// The end of one command, in the API's form.
#[derive(Clone, Debug, Serialize)]
struct CommandEnd {
    stdout: String,
    stderr: String,
    outcome: ShellOutcome,
}

#[derive(Clone, Debug, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum ShellOutcome {
    Exit { exit_code: i64 },
    Timeout,
}

impl CommandEnd {
    fn empty() -> Self {
        Self { stdout: String::new(), stderr: String::new(), outcome: ShellOutcome::Exit { exit_code: 0 } }
    }

    fn failed(message: &str, exit_code: i64) -> Self {
        Self { stderr: message.to_owned(), outcome: ShellOutcome::Exit { exit_code }, ..Self::empty() }
    }

    fn of(run: &RunOutcome, limit: usize, names_processes: bool) -> Self {
        let outcome = &run.command;
        let code = outcome.shell_code();
        let signal = outcome.signal.as_deref().unwrap_or("a signal");
        let (note, end) = match outcome.status {
            CommandStatus::Exited => (String::new(), ShellOutcome::Exit { exit_code: code.unwrap_or(0) }),
            CommandStatus::Signaled => {
                (format!("[killed by {signal}]"), ShellOutcome::Exit { exit_code: code.unwrap_or(1) })
            }
            CommandStatus::Timeout | CommandStatus::IdleTimeout => (String::new(), ShellOutcome::Timeout),
            CommandStatus::Aborted if outcome.is_aborted_before_start() => {
                ("[not run: aborted]".to_owned(), ShellOutcome::Exit { exit_code: ABORTED_CODE })
            }
            CommandStatus::Aborted => {
                ("[aborted]".to_owned(), ShellOutcome::Exit { exit_code: ABORTED_CODE })
            }
            CommandStatus::Denied => {
                (outcome.reason().to_owned(), ShellOutcome::Exit { exit_code: NOT_PERMITTED_CODE })
            }
            CommandStatus::Background => ("[goes on in the background]".to_owned(), ShellOutcome::Timeout),
            CommandStatus::Failed | CommandStatus::Unknown => {
                let is_forbidden = matches!(outcome.error_code.as_deref(), Some("EACCES" | "EPERM"));
                let exit_code = if is_forbidden { NOT_PERMITTED_CODE } else { NOT_FOUND_CODE };
                (outcome.reason().to_owned(), ShellOutcome::Exit { exit_code })
            }
        };
        let mut stderr = fitted(&outcome.output.stderr, limit);
        let notes = run.notes(names_processes);
        for note in notes.iter().chain([&note]).filter(|note| !note.is_empty()) {
            if !stderr.is_empty() && !stderr.ends_with('\n') {
                stderr.push('\n');
            }
            stderr += note;
        }
        Self { stdout: fitted(&outcome.output.stdout, limit), stderr, outcome: end }
    }

    fn text(&self, command: Option<&String>) -> String {
        let mut lines = Vec::new();
        if let Some(command) = command {
            lines.push(format!("$ {command}"));
        }
        if !self.stdout.is_empty() {
            lines.push(self.stdout.trim_end_matches('\n').to_owned());
        }
        if !self.stderr.is_empty() {
            lines.push("[stderr]".to_owned());
            lines.push(self.stderr.trim_end_matches('\n').to_owned());
        }
        lines.push(match self.outcome {
            ShellOutcome::Exit { exit_code } => format!("[exit code: {exit_code}]"),
            ShellOutcome::Timeout => "[timed out]".to_owned(),
        });
        lines.join("\n")
    }
}

fn fitted(text: &str, limit: usize) -> String {
    let half = limit / 2;
    match by_characters(text, half, limit - half) {
        None => text.to_owned(),
        Some(Cut { head, tail }) => {
            let left_out = text.chars().count() - limit;
            format!("{head}\n[... {left_out} characters left out ...]\n{tail}")
        }
    }
}

fn answer(
    output: &[CommandEnd],
    commands: &[String],
    max_output_length: Option<f64>,
    is_error: bool,
) -> Answer {
    let texts: Vec<_> = output.iter().enumerate().map(|(index, end)| end.text(commands.get(index))).collect();
    Answer::of(
        texts.join("\n\n"),
        is_error,
        object! {
            "output": output,
            "max_output_length": max_output_length,
        },
    )
}

const INPUT: &str = r#"{"type":"object","properties":{"commands":{"type":"array","items":{"type":"string"},"description":"The command lines{shell}."},"timeout_ms":{"type":["number","null"],"description":"How long each command may take, in milliseconds."},"max_output_length":{"type":["number","null"],"description":"How many characters of each stream are answered at most."}},"required":["commands"],"additionalProperties":false}"#;
const OUTPUT: &str = r#"{"type":"object","properties":{"output":{"type":"array","items":{"type":"object","properties":{"stdout":{"type":"string"},"stderr":{"type":"string"},"outcome":{"type":"object","properties":{"type":{"enum":["exit","timeout"]},"exit_code":{"type":"integer"}},"required":["type"],"additionalProperties":false}},"required":["stdout","stderr","outcome"],"additionalProperties":false}},"max_output_length":{"type":["number","null"]}},"required":["output"],"additionalProperties":false}"#;

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{Arguments, Dialect, OpenAiShell, ToolsetSettings, fitted};
    use crate::tools::outcome::testing::call;

    fn answer(arguments: &str, items: &[Value]) -> (String, String) {
        let outcome = json!({ "exitCode": 0, "items": items });
        let answer = OpenAiShell { settings: ToolsetSettings::default() }.answer(
            "shell",
            &Arguments::from_json(arguments),
            &call("batch", outcome),
        );
        (answer.text, answer.data)
    }

    #[test]
    fn each_command_has_an_entry_in_their_order() {
        let items = [
            json!({ "exitCode": 3, "stdout": "a\n", "stderr": "b\n", "pid": 1 }),
            json!({ "status": "timeout", "stdout": "part", "pid": 2 }),
        ];
        let (text, data) = answer(r#"{"commands":["x","y"],"max_output_length":1000}"#, &items);
        assert_eq!(text, "$ x\na\n[stderr]\nb\n[exit code: 3]\n\n$ y\npart\n[timed out]");
        assert_eq!(
            data,
            r#"{"output":[{"stdout":"a\n","stderr":"b\n","outcome":{"type":"exit","exit_code":3}},{"stdout":"part","stderr":"","outcome":{"type":"timeout"}}],"max_output_length":1000.0}"#
        );
    }

    #[test]
    fn ends_without_an_outcome_have_a_code_and_a_note() {
        let end = |outcome: Value| answer(r#"{"commands":["x"]}"#, &[outcome]).0;
        let killed = json!({ "status": "signaled", "signal": "SIGKILL", "pid": 1 });
        assert_eq!(end(killed), "$ x\n[stderr]\n[killed by SIGKILL]\n[exit code: 137]");
        let aborted = json!({ "status": "aborted", "pid": 1 });
        assert_eq!(end(aborted), "$ x\n[stderr]\n[aborted]\n[exit code: 130]");
        let late = json!({ "status": "aborted" });
        assert_eq!(end(late), "$ x\n[stderr]\n[not run: aborted]\n[exit code: 130]");
        let denied = json!({ "status": "denied", "error": "no" });
        assert_eq!(end(denied), "$ x\n[stderr]\nno\n[exit code: 126]");
    }

    #[test]
    fn no_commands_are_answered_too() {
        let arguments = Arguments::from_json(r#"{"commands":[]}"#);
        let answer = OpenAiShell { settings: ToolsetSettings::default() }.answer(
            "shell",
            &arguments,
            &call("batch", json!({})),
        );
        assert_eq!((answer.text.as_str(), answer.is_error), ("[exit code: 0]", false));
    }

    #[test]
    fn an_abort_is_an_error_also_of_a_command_that_has_run() {
        let is_error = |status| {
            let item = json!({ "status": status, "pid": 1 });
            let outcome = json!({ "exitCode": 0, "items": [item] });
            let arguments = Arguments::from_json(r#"{"commands":["x"]}"#);
            OpenAiShell { settings: ToolsetSettings::default() }
                .answer("shell", &arguments, &call("batch", outcome))
                .is_error
        };
        // To the API, a timeout is an outcome.
        assert_eq!(["aborted", "timeout"].map(is_error), [true, false]);
    }

    #[test]
    fn a_cut_counts_characters() {
        assert_eq!(fitted("äöüäöü", 4), "äö\n[... 2 characters left out ...]\nöü");
    }
}
