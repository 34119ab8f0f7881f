//! `execute_bash_command`: the first shell tool of Gemini CLI, a report of nine lines.

use crate::tools::prelude::*;
use crate::tools::text::phrases::pids;

/// The most of each stream in the answer (bytes).
const MAX_BYTES: u64 = 51_200;
/// The same for the original, which keeps all.
const ORIGINAL_MAX_BYTES: u64 = 4 * 1024 * 1024;

/// The facts about the dialect.
pub const PROFILE: DialectProfile = DialectProfile {
    compat: Some(&["environment", "limit", "pgid"]),
    ..DialectProfile::new("execute_bash_command", |settings| Box::new(ExecuteBashCommand { settings }))
};

/// The dialect.
#[derive(Debug)]
pub struct ExecuteBashCommand {
    settings: ToolsetSettings,
}

impl Dialect for ExecuteBashCommand {
    fn tools(&self) -> Vec<Tool> {
        vec![Tool {
            name: "execute_bash_command",
            title: "Shell",
            description: "Execute a command as `bash -c <command>`. Background processes can be started with `&`. The answer \
                has the command, the directory, both streams, the error, the exit code, the signal and the background PIDs."
                .into(),
            input_schema: Schema::new(INPUT),
            output_schema: Schema::new(OUTPUT),
            read_only: false,
        }]
    }

    fn instructions(&self) -> Cow<'static, str> {
        "Run shell commands with `execute_bash_command`. Standard input is empty: use flags such as `npm init -y`.".into()
    }

    fn plan(&self, _tool: &str, arguments: &Arguments) -> Result<Action, Answer> {
        let command = arguments
            .usable_text("command")
            .ok_or_else(|| rejected(arguments, "Command cannot be empty."))?;
        let directory = arguments.usable_text("directory");
        if directory.is_some_and(|path| path.starts_with('/')) {
            let reason = "Directory cannot be absolute. Must be relative to the project root directory.";
            return Err(rejected(arguments, reason));
        }
        let output = self.settings.output(OutputOptions {
            max_bytes: if self.settings.has_compat("limit") { ORIGINAL_MAX_BYTES } else { MAX_BYTES },
            by_line: true,
            strip_ansi: true,
            ..OutputOptions::default()
        });
        Ok(RunAction {
            cwd: directory.map(str::to_owned),
            is_contained: true,
            timeout_ms: self.settings.timeout(None, None, None),
            non_interactive: !self.settings.has_compat("environment"),
            label: arguments.usable_text("description").map(str::to_owned),
            ..RunAction::of_shell(command, &["bash", "-c"], output)
        }
        .into())
    }

    fn answer(&self, _tool: &str, arguments: &Arguments, outcome: &CallOutcome) -> Answer {
        let run = outcome.run();
        let outcome = &run.command;
        match outcome.error_code.as_deref() {
            Some("CWD_MISSING" | "CWD_NOT_DIRECTORY" | "ROOT_MISSING" | "ROOT_NOT_DIRECTORY") => {
                return rejected(arguments, "Directory must exist.");
            }
            Some("CWD_OUTSIDE") => {
                return rejected(arguments, "Directory must be within the project root directory.");
            }
            _ => {}
        }
        if outcome.status == CommandStatus::Denied {
            return rejected(arguments, outcome.reason());
        }
        let text = match outcome.status {
            CommandStatus::Aborted => {
                cancelled("Command was cancelled by user before it could complete.", outcome)
            }
            CommandStatus::Timeout => cancelled("Command was cancelled as it took too long.", outcome),
            CommandStatus::Background => report(
                arguments.text("command"),
                arguments.usable_text("directory"),
                &run,
                Some(&format!("The command is {}", outcome.still_running())),
                true,
            ),
            _ => report(
                arguments.text("command"),
                arguments.usable_text("directory"),
                &run,
                outcome.error.as_deref(),
                self.settings.has_compat("pgid"),
            ),
        };
        let is_fine = outcome.is_success() || outcome.status == CommandStatus::Background;
        Answer::of(text, !is_fine, data(outcome))
    }
}

/// Returns the text for a command that was ended, with its output so far.
fn cancelled(first: &str, outcome: &CommandOutcome) -> String {
    let output = outcome.output.joined();
    if output.trim().is_empty() {
        return format!("{first} There was no output before it was cancelled.");
    }
    format!("{first} Below is the output (on stdout and stderr) before it was cancelled:\n{output}")
}

/// Returns the report of nine lines.
pub(super) fn report(
    command: Option<&str>,
    directory: Option<&str>,
    run: &RunOutcome,
    error: Option<&str>,
    always_pgid: bool,
) -> String {
    let outcome = &run.command;
    let or = |text: &str, other: &str| if text.is_empty() { other.to_owned() } else { text.to_owned() };
    let group = if always_pgid { outcome.pid } else { outcome.process_group };
    [
        format!("Command: {}", command.unwrap_or_default()),
        format!("Directory: {}", directory.unwrap_or("(root)")),
        format!("Stdout: {}", or(&outcome.output.stdout, "(empty)")),
        format!("Stderr: {}", or(&outcome.output.stderr, "(empty)")),
        format!("Error: {}", error.unwrap_or("(none)")),
        format!(
            "Exit Code: {}",
            outcome.exit_code.map_or_else(|| "(none)".to_owned(), |code| code.to_string())
        ),
        format!("Signal: {}", outcome.signal.as_deref().unwrap_or("(none)")),
        format!("Background PIDs: {}", or(&pids(&outcome.background_pids), "(none)")),
        format!(
            "Process Group PGID: {}",
            group.map_or_else(|| "(none)".to_owned(), |group| group.to_string())
        ),
    ]
    .into_iter()
    // `Background PIDs` names the processes.
    .chain(run.remarks(false).into_iter().map(|remark| format!("Note: {remark}")))
    .collect::<Vec<_>>()
    .join("\n")
}

fn rejected(arguments: &Arguments, reason: &str) -> Answer {
    let command = arguments.text("command").unwrap_or_default();
    let refusal = CallOutcome::invalid(reason);
    Answer::of(format!("Command rejected: {command}\nReason: {reason}"), true, data(&refusal.command()))
}

fn data(outcome: &CommandOutcome) -> Object {
    object! {
        "exit_code": outcome.exit_code,
        "signal": outcome.signal.as_deref(),
        "stdout": &outcome.output.stdout,
        "stderr": &outcome.output.stderr,
        "error": outcome.error.as_deref(),
        "background_pids": &outcome.background_pids,
        "process_group": outcome.process_group,
        "cancelled": matches!(outcome.status, CommandStatus::Aborted | CommandStatus::Timeout),
    }
}

const INPUT: &str = r#"{"type":"object","properties":{"command":{"type":"string","description":"Exact bash command to execute as `bash -c <command>`"},"description":{"type":"string","description":"Brief description of the command for the user."},"directory":{"type":"string","description":"Directory to run the command in, relative to the project root directory. Must already exist."}},"required":["command"],"additionalProperties":false}"#;
const OUTPUT: &str = r#"{"type":"object","properties":{"exit_code":{"type":["integer","null"]},"signal":{"type":["string","null"]},"stdout":{"type":"string"},"stderr":{"type":"string"},"error":{"type":["string","null"]},"background_pids":{"type":"array","items":{"type":"integer"}},"process_group":{"type":["integer","null"]},"cancelled":{"type":"boolean"}},"required":["exit_code","signal","stdout","stderr","error"],"additionalProperties":false}"#;

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{Arguments, Dialect, ExecuteBashCommand, ToolsetSettings};
    use crate::tools::outcome::testing::call;

    fn text(arguments: &str, outcome: &Value) -> String {
        ExecuteBashCommand { settings: ToolsetSettings::default() }
            .answer("", &Arguments::from_json(arguments), &call("run", outcome.clone()))
            .text
    }

    #[test]
    fn the_report_has_nine_lines_in_the_order_of_the_document() {
        let outcome = json!({ "exitCode": 0, "pid": 7, "backgroundPids": [8, 9], "processGroup": 7 });
        assert_eq!(
            text(r#"{"command":"sleep 9 &","directory":"sub"}"#, &outcome),
            "Command: sleep 9 &\nDirectory: sub\nStdout: (empty)\nStderr: (empty)\nError: (none)\nExit Code: 0\n\
             Signal: (none)\nBackground PIDs: 8, 9\nProcess Group PGID: 7"
        );
    }

    #[test]
    fn a_cancelled_command_keeps_its_output() {
        let outcome = json!({ "status": "aborted", "pid": 7, "stdout": "part\n" });
        assert_eq!(
            text("{}", &outcome),
            "Command was cancelled by user before it could complete. Below is the output (on stdout and stderr) before it was \
             cancelled:\npart\n"
        );
    }

    #[test]
    fn an_absolute_directory_is_rejected_in_the_words_of_the_original() {
        let arguments = Arguments::from_json(r#"{"command":"ls","directory":"/tmp"}"#);
        let refusal = ExecuteBashCommand { settings: ToolsetSettings::default() }
            .plan("", &arguments)
            .expect_err("a refusal");
        assert_eq!(
            refusal.text,
            "Command rejected: ls\nReason: Directory cannot be absolute. Must be relative to the project root directory."
        );
    }
}
