//! `openai-local-shell`: the older `local_shell` tool. Words, without a shell.

use super::action_of;
use crate::tools::prelude::*;

/// The most of each stream that the answer has (bytes).
const MAX_BYTES: u64 = 102_400;

/// The facts about the dialect.
pub const PROFILE: DialectProfile = DialectProfile {
    compat: Some(&["escapes", "processes", "streams"]),
    // Programs without a shell share no state, but a directory.
    session: |settings| settings.session.filter(|mode| *mode == SessionMode::Cwd).unwrap_or_default(),
    uses_bash: false,
    ..DialectProfile::new("openai-local-shell", |settings| Box::new(OpenAiLocalShell { settings }))
};

/// The dialect.
#[derive(Debug)]
pub struct OpenAiLocalShell {
    settings: ToolsetSettings,
}

impl OpenAiLocalShell {
    fn timeout_ms(&self, action: &Arguments) -> Option<f64> {
        let asked = action.number("timeout_ms").or_else(|| action.number("timeoutMs"));
        self.settings.timeout(asked, None, None)
    }
}

impl Dialect for OpenAiLocalShell {
    fn tools(&self) -> Vec<Tool> {
        vec![Tool {
            name: "local_shell",
            title: "Run a program",
            description: "Run a program with its arguments; no shell is involved. Use [\"bash\", \"-lc\", COMMAND] for one.".into(),
            input_schema: Schema::new(INPUT),
            output_schema: Schema::new(OUTPUT),
            read_only: false,
        }]
    }

    fn instructions(&self) -> Cow<'static, str> {
        "Run programs with `local_shell`: a list of words, no shell in between.".into()
    }

    fn plan(&self, _tool: &str, arguments: &Arguments) -> Result<Action, Answer> {
        let action = action_of(arguments);
        let words =
            action.words("command").filter(|words| words.first().is_some_and(|word| !word.trim().is_empty()));
        let argv = words.ok_or_else(|| failure("'command' is missing: expected a list of words"))?;
        let output = self.settings.output(OutputOptions {
            max_bytes: MAX_BYTES,
            by_line: true,
            merge: !self.settings.has_compat("streams"),
            strip_ansi: self.settings.strips_escapes(),
            ..OutputOptions::default()
        });
        let text =
            |names: [&str; 2]| names.into_iter().find_map(|name| action.usable_text(name)).map(str::to_owned);
        Ok(RunAction {
            argv: Some(argv),
            cwd: text(["working_directory", "workingDirectory"]),
            env: action.texts("env"),
            asked_user: action.usable_text("user").map(str::to_owned),
            timeout_ms: self.timeout_ms(&action),
            non_interactive: true,
            output,
            ..RunAction::default()
        }
        .into())
    }

    fn answer(&self, _tool: &str, arguments: &Arguments, outcome: &CallOutcome) -> Answer {
        let run = outcome.run();
        let outcome = &run.command;
        if matches!(outcome.status, CommandStatus::Denied | CommandStatus::Failed | CommandStatus::Unknown) {
            return failure(outcome.reason());
        }
        let mut text = outcome.output.joined();
        let code = outcome.shell_code().unwrap_or(1);
        let note = match outcome.status {
            CommandStatus::Exited if code == 0 => String::new(),
            CommandStatus::Exited => format!("[exit code: {code}]"),
            CommandStatus::Signaled => {
                format!("[killed by {}]", outcome.signal.as_deref().unwrap_or("a signal"))
            }
            CommandStatus::Timeout => {
                format!("[timed out after {} ms]", self.timeout_ms(&action_of(arguments)).unwrap_or(0.0))
            }
            CommandStatus::Background => format!("[{}]", outcome.still_running()),
            _ => "[aborted]".to_owned(),
        };
        let notes = run.notes(self.settings.names_processes());
        for note in notes.iter().chain([&note]).filter(|note| !note.is_empty()) {
            if !text.is_empty() && !text.ends_with('\n') {
                text.push('\n');
            }
            text += note;
        }
        answer(&text, outcome)
    }
}

fn failure(message: &str) -> Answer {
    answer(message, &CallOutcome::invalid(message).command())
}

fn answer(text: &str, outcome: &CommandOutcome) -> Answer {
    let data = object! {
        "output": text,
        "exit_code": outcome.shell_code(),
        "signal": outcome.signal.as_deref(),
        "timed_out": outcome.status == CommandStatus::Timeout,
        "aborted": outcome.status == CommandStatus::Aborted,
        "stdout": &outcome.output.stdout,
        "stderr": &outcome.output.stderr,
        "background_pids": &outcome.background_pids,
        "error": outcome.error.as_deref(),
    };
    let is_fine = outcome.is_success() || outcome.status == CommandStatus::Background;
    Answer::of(text.to_owned(), !is_fine, data)
}

const INPUT: &str = r#"{"type":"object","properties":{"command":{"type":"array","items":{"type":"string"},"description":"The program and its arguments."},"env":{"type":"object","additionalProperties":{"type":"string"},"description":"Variables, on top of the others."},"timeout_ms":{"type":["number","null"],"description":"How long it may take, in milliseconds."},"user":{"type":["string","null"],"description":"The user to run as; only the current one."},"working_directory":{"type":["string","null"],"description":"The working directory."}},"required":["command"],"additionalProperties":false}"#;
const OUTPUT: &str = r#"{"type":"object","properties":{"output":{"type":"string"},"exit_code":{"type":["integer","null"]},"signal":{"type":["string","null"]},"timed_out":{"type":"boolean"},"aborted":{"type":"boolean"},"stdout":{"type":"string"},"stderr":{"type":"string"},"background_pids":{"type":"array","items":{"type":"integer"}},"error":{"type":["string","null"]}},"required":["output","exit_code"],"additionalProperties":false}"#;

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{Action, Arguments, Dialect, OpenAiLocalShell, ToolsetSettings};
    use crate::tools::outcome::testing::call;

    fn dialect() -> OpenAiLocalShell {
        OpenAiLocalShell { settings: ToolsetSettings::default() }
    }

    #[test]
    fn the_streams_come_one_after_the_other_and_the_end_last() {
        let outcome = json!({ "exitCode": 3, "stdout": "out", "stderr": "err", "pid": 1 });
        assert_eq!(
            dialect().answer("", &Arguments::default(), &call("run", outcome)).text,
            "out\nerr\n[exit code: 3]"
        );
        let outcome = json!({ "status": "timeout", "stdout": "part\n", "pid": 1 });
        let arguments = Arguments::from_json(r#"{"action":{"timeout_ms":300}}"#);
        assert_eq!(
            dialect().answer("", &arguments, &call("run", outcome)).text,
            "part\n[timed out after 300 ms]"
        );
    }

    #[test]
    fn words_go_to_the_program_as_they_are() {
        let arguments = Arguments::from_json(
            r#"{"action":{"type":"exec","command":["printf","%s","a b\n"],"env":{"A":"1"}}}"#,
        );
        let Ok(Action::Run(run)) = dialect().plan("", &arguments) else { panic!("not a run") };
        assert_eq!(run.argv, Some(vec!["printf".to_owned(), "%s".to_owned(), "a b\n".to_owned()]));
        assert_eq!(run.env, [("A".to_owned(), "1".to_owned())]);
    }
}
