//! `codex-shell`: Codex' classic `shell` (words) and `shell_command` (text).

use super::{additional_schema, fitted, forced_end, max_tokens, output, permissions_description, request};
use crate::tools::prelude::*;

/// The default timeout of a command (ms).
const TIMEOUT_MS: f64 = 10_000.0;
/// The exit code of a command that timed out, as of `timeout(1)`.
const TIMEOUT_CODE: i64 = 124;

/// The facts about the dialect.
pub const PROFILE: DialectProfile = DialectProfile {
    options: &[
        OptionKind::Choice { choices: &["text", "json"] }.named("form"),
        OptionKind::Choice { choices: &["shell", "shell_command"] }.named("main"),
    ],
    compat: Some(&["environment", "escapes", "processes"]),
    tells_session: true,
    asks_for_more: true,
    ..DialectProfile::new("codex-shell", |settings| Box::new(CodexShell::new(settings)))
};

/// The dialect.
#[derive(Debug)]
pub struct CodexShell {
    settings: ToolsetSettings,
    is_json: bool,
    has_text_first: bool,
}

impl CodexShell {
    /// Creates the dialect with the host's settings.
    #[must_use]
    pub fn new(settings: ToolsetSettings) -> Self {
        let own = settings.own();
        let is_json = own.text("form") == Some("json");
        Self { is_json, has_text_first: own.text("main") == Some("shell_command"), settings }
    }

    fn timeout_ms(&self, arguments: &Arguments) -> Option<f64> {
        let asked = arguments.positive("timeout_ms").or_else(|| arguments.positive("timeout"));
        self.settings.timeout(asked, Some(TIMEOUT_MS), None)
    }
}

/// Adds what is kept between calls. Words have no shell whose state could be kept.
fn with_state(text: &'static str, session: SessionMode) -> Cow<'static, str> {
    match session {
        SessionMode::None => text.into(),
        kept => format!("{text} For `shell_command`: {}", kept.sentence()).into(),
    }
}

impl Dialect for CodexShell {
    fn tools(&self) -> Vec<Tool> {
        let schema = |command, more| schema(command, more, &self.settings);
        let shell = Tool {
            name: "shell",
            title: "Run a program",
            description: "Runs a shell command and returns its output. The arguments to `shell` are passed to execvp(); most \
                commands should be prefixed with [\"bash\", \"-lc\"]. Set the `workdir` parameter rather than using `cd`."
                .into(),
            input_schema: Schema::new(&schema(r#"{"type":"array","items":{"type":"string"},"description":"The command to execute"}"#, "")),
            output_schema: Schema::new(OUTPUT),
            read_only: false,
        };
        let login = r#","login":{"type":"boolean","description":"Whether to run the shell with login shell semantics. Defaults to true."}"#;
        let command = Tool {
            name: "shell_command",
            title: "Run a shell command",
            description: with_state(
                "Runs a shell command and returns its output. Set the `workdir` parameter rather than using `cd`.",
                self.settings.session(),
            ),
            input_schema: Schema::new(&schema(
                r#"{"type":"string","description":"The shell script to execute in the user's default shell"}"#,
                login,
            )),
            output_schema: Schema::new(OUTPUT),
            read_only: false,
        };
        if self.has_text_first { vec![command, shell] } else { vec![shell, command] }
    }

    fn instructions(&self) -> Cow<'static, str> {
        with_state(
            "Run programs with `shell` (words, no shell in between) or `shell_command` (text for a shell).",
            self.settings.session(),
        )
    }

    fn plan(&self, tool: &str, arguments: &Arguments) -> Result<Action, Answer> {
        let asks = request(&self.settings, arguments, "should not")
            .map_err(|message| error(&message, CommandStatus::Denied))?;
        let mut run = RunAction {
            asks,
            cwd: arguments.usable_text("workdir").map(str::to_owned),
            timeout_ms: self.timeout_ms(arguments),
            non_interactive: !self.settings.has_compat("environment"),
            output: OutputOptions {
                strip_ansi: self.settings.strips_escapes(),
                ..output(max_tokens(&self.settings))
            },
            ..RunAction::default()
        };
        if arguments.text("sandbox_permissions") == Some("require_escalated")
            || arguments.flag("with_escalated_permissions")
        {
            run.label = arguments.usable_text("justification").map(str::to_owned);
        }
        let words =
            arguments.words("command").filter(|words| words.first().is_some_and(|word| !word.is_empty()));
        let text = arguments.usable_text("command").map(str::to_owned);
        let is_login = arguments.get("login").is_none_or(|login| login != false && login != "false");
        match (words, text) {
            // Models mix both tools up, so each accepts words and text.
            (Some(words), _) => run.argv = Some(words),
            (None, Some(text)) => {
                run.command = Some(text);
                run.shell = Some(vec!["bash", if is_login { "-lc" } else { "-c" }]);
            }
            _ => {
                let expected = if tool == "shell" { "a list of words" } else { "a string" };
                let message = format!(
                    "failed to parse function arguments: missing field `command`: expected {expected}"
                );
                return Err(error(&message, CommandStatus::Failed));
            }
        }
        Ok(run.into())
    }

    fn answer(&self, _tool: &str, arguments: &Arguments, outcome: &CallOutcome) -> Answer {
        let run = outcome.run();
        let outcome = &run.command;
        match outcome.status {
            CommandStatus::Denied => {
                return error(&format!("exec command rejected: {}", outcome.reason()), outcome.status);
            }
            _ if outcome.has_invalid_arguments() => {
                return error(
                    &format!("failed to parse function arguments: {}", outcome.reason()),
                    outcome.status,
                );
            }
            CommandStatus::Failed | CommandStatus::Unknown => {
                return error(&format!("execution error: {}", outcome.reason()), outcome.status);
            }
            CommandStatus::Aborted if outcome.is_aborted_before_start() => {
                return error("aborted before it started", outcome.status);
            }
            _ => {}
        }
        let mut text = outcome.output.stdout.clone();
        let mut exit_code = outcome.shell_code().unwrap_or(1);
        if outcome.status == CommandStatus::Timeout {
            exit_code = TIMEOUT_CODE;
        }
        if outcome.status == CommandStatus::Background {
            // The form needs a number, and the command has none yet.
            exit_code = TIMEOUT_CODE;
            text = format!("command is {}\n{text}", outcome.still_running());
        }
        if let Some(end) = forced_end(outcome.status, self.timeout_ms(arguments)) {
            text = format!("{end}\n{text}");
        }
        for note in run.notes(self.settings.names_processes()) {
            text = format!("{note}\n{text}");
        }
        let (shown, is_cut) = fitted(&text, max_tokens(&self.settings));
        let seconds = (outcome.duration_ms / 100.0).round() / 10.0;
        let data = object! {
            "output": &shown,
            "metadata": object! { "exit_code": Some(exit_code), "duration_seconds": seconds },
            "timed_out": outcome.status == CommandStatus::Timeout,
            "aborted": outcome.status == CommandStatus::Aborted,
            "signal": outcome.signal.as_deref(),
            "background_pids": &outcome.background_pids,
            "error": (),
        };
        let text = if self.is_json {
            let json = object! {
                "output": &shown,
                "metadata": object! { "exit_code": Some(exit_code), "duration_seconds": seconds },
            };
            json.into_json()
        } else {
            let mut lines = vec![format!("Exit code: {exit_code}"), format!("Wall time: {seconds} seconds")];
            if is_cut {
                lines.push(format!("Total output lines: {}", text.lines().count()));
            }
            lines.push("Output:".to_owned());
            lines.push(shown.clone());
            lines.join("\n")
        };
        Answer::of(text, exit_code != 0, data)
    }
}

fn error(message: &str, status: CommandStatus) -> Answer {
    let data = object! {
        "output": "",
        "metadata": object! { "exit_code": (), "duration_seconds": 0.0 },
        "timed_out": false,
        "aborted": status == CommandStatus::Aborted,
        "signal": (),
        "background_pids": [(); 0],
        "error": Some(message),
    };
    Answer::of(message.to_owned(), true, data)
}

fn schema(command: &str, more: &str, settings: &ToolsetSettings) -> String {
    let (permissions, additional) = (permissions_description(settings), additional_schema(settings));
    let default =
        settings.timeout(None, Some(TIMEOUT_MS), None).map_or_else(|| "none".to_owned(), |ms| ms.to_string());
    format!(
        r#"{{"type":"object","properties":{{"command":{command},"workdir":{{"type":"string","description":"The working directory to execute the command in"}},"timeout_ms":{{"type":"number","description":"The timeout for the command in milliseconds. Default {default}."}}{more},"sandbox_permissions":{{"type":"string","enum":["use_default","require_escalated","with_additional_permissions"],"description":"{permissions}"}},"justification":{{"type":"string","description":"Only with require_escalated: a question for the user."}},"prefix_rule":{{"type":"array","items":{{"type":"string"}},"description":"Only with require_escalated: a prefix that the user may allow for the future."}}{additional}}},"required":["command"],"additionalProperties":false}}"#
    )
}

const OUTPUT: &str = r#"{"type":"object","properties":{"output":{"type":"string"},"metadata":{"type":"object","properties":{"exit_code":{"type":["integer","null"]},"duration_seconds":{"type":"number"}},"required":["exit_code","duration_seconds"],"additionalProperties":false},"timed_out":{"type":"boolean"},"aborted":{"type":"boolean"},"signal":{"type":["string","null"]},"background_pids":{"type":"array","items":{"type":"integer"}},"error":{"type":["string","null"]}},"required":["output","metadata"],"additionalProperties":false}"#;

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{Arguments, CodexShell, Dialect, ToolsetSettings};
    use crate::tools::outcome::testing::{call, with};

    fn text(settings: &str, arguments: &str, outcome: Value) -> String {
        let settings: ToolsetSettings = serde_json::from_str(settings).expect("settings");
        let outcome = with(outcome, json!({ "pid": 7, "durationMs": 123.0 }));
        CodexShell::new(settings)
            .answer("shell", &Arguments::from_json(arguments), &call("run", outcome))
            .text
    }

    #[test]
    fn both_forms_have_the_same_meaning() {
        let outcome = || json!({ "exitCode": 3, "stdout": "hi\n" });
        assert_eq!(text("{}", "{}", outcome()), "Exit code: 3\nWall time: 0.1 seconds\nOutput:\nhi\n");
        assert_eq!(
            text(r#"{"own":{"form":"json"}}"#, "{}", outcome()),
            r#"{"output":"hi\n","metadata":{"exit_code":3,"duration_seconds":0.1}}"#
        );
    }

    #[test]
    fn a_timeout_has_the_exit_code_of_timeout_and_keeps_output() {
        let outcome = json!({ "status": "timeout", "stdout": "part\n" });
        assert_eq!(
            text("{}", r#"{"timeout":300}"#, outcome),
            "Exit code: 124\nWall time: 0.1 seconds\nOutput:\ncommand timed out after 300 milliseconds\npart\n"
        );
    }

    #[test]
    fn a_cut_counts_lines_and_tokens() {
        let outcome = json!({ "exitCode": 0, "stdout": "1234\n".repeat(8) });
        assert_eq!(
            text(r#"{"maxBytes":8}"#, "{}", outcome),
            "Exit code: 0\nWall time: 0.1 seconds\nTotal output lines: 8\nOutput:\n1234…8 tokens truncated…234\n"
        );
    }
}
