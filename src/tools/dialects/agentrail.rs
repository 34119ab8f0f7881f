//! `agentrail`: the Bash tool of `AgentRail`. Its timeout moves a command to the background.

use crate::policy::decision::DENIED;
use crate::tools::prelude::*;
use crate::tools::text::phrases::seconds;

/// The default time after which a command moves to the background (ms).
const TIMEOUT_MS: f64 = 30_000.0;
/// The most of each stream in the answer (bytes).
const MAX_BYTES: u64 = 1024 * 1024;
/// The mark of the original, which keeps the beginning alone.
const TRUNCATED: &str = "\n[output truncated]";

/// The facts about the dialect.
pub const PROFILE: DialectProfile = DialectProfile {
    options: &[OptionKind::Permissions.named("permissions")],
    compat: Some(&["denial", "environment", "escapes", "limit", "processes", "signal", "text"]),
    uses_bash: false,
    denies_danger: true,
    // AgentRail's other tools write the memo, and keep it in step with a store.
    protected: &["memo"],
    ..DialectProfile::new("agentrail", |settings| Box::new(AgentRail { settings }))
};

/// The dialect.
#[derive(Debug)]
pub struct AgentRail {
    settings: ToolsetSettings,
}

impl AgentRail {
    /// Returns the time after which the command moves to the background (ms): 0 is at once, a negative number
    /// means the default.
    fn timeout_ms(&self, arguments: &Arguments) -> f64 {
        match arguments.number("timeout") {
            Some(0.0) => 0.0,
            asked => self.settings.timeout(asked, Some(TIMEOUT_MS), None).unwrap_or(TIMEOUT_MS),
        }
    }

    fn default_ms(&self) -> f64 {
        self.settings.timeout(None, Some(TIMEOUT_MS), None).unwrap_or(TIMEOUT_MS)
    }
}

impl AgentRail {
    /// Returns the exit code that a shell would report. With the original's text, a death by signal counts as
    /// success.
    fn exit_code(&self, outcome: &CommandOutcome) -> i64 {
        let is_original = self.settings.has_compat("signal") && outcome.signal.is_some();
        if is_original { 0 } else { outcome.shell_code().unwrap_or(1) }
    }
}

impl Dialect for AgentRail {
    fn tools(&self) -> Vec<Tool> {
        vec![Tool {
            name: "Bash",
            title: "Execute a shell command",
            description: "Execute a shell command and return its output and exit code. A command that takes longer than \
                'timeout' goes on in the background; with 0 it does so at once."
                .into(),
            input_schema: Schema::new(&INPUT.replace("{default}", &self.default_ms().to_string())),
            output_schema: Schema::new(OUTPUT),
            read_only: false,
        }]
    }

    fn instructions(&self) -> Cow<'static, str> {
        "Run shell commands with `Bash`. Check the exit code of each answer. Use `timeout: 0` for servers and watchers.".into()
    }

    fn plan(&self, _tool: &str, arguments: &Arguments) -> Result<Action, Answer> {
        let command =
            arguments.usable_text("command").ok_or_else(|| error("command is required".to_owned()))?;
        let timeout = self.timeout_ms(arguments);
        let is_killed = self.settings.moves_at_timeout == Some(false) && timeout > 0.0;
        let output = OutputOptions { strip_ansi: self.settings.strips_escapes(), ..OutputOptions::default() };
        let output = self.settings.output(if self.settings.has_compat("limit") {
            OutputOptions {
                max_bytes: MAX_BYTES,
                keep: Keep::Head,
                marker: Some(TRUNCATED.to_owned()),
                ..output
            }
        } else {
            OutputOptions { max_bytes: MAX_BYTES, by_line: true, ..output }
        });
        Ok(RunAction {
            cwd: arguments.usable_text("working_directory").map(str::to_owned),
            timeout_ms: is_killed.then_some(timeout),
            yield_ms: (!is_killed).then_some(timeout),
            is_job: timeout == 0.0,
            non_interactive: !self.settings.has_compat("environment"),
            ..RunAction::of_shell(command, &["/bin/sh", "-c"], output)
        }
        .into())
    }

    fn answer(&self, _tool: &str, arguments: &Arguments, outcome: &CallOutcome) -> Answer {
        let run = outcome.run();
        let outcome = &run.command;
        if outcome.has_not_run() {
            return error(match (outcome.status, outcome.error_code.as_deref()) {
                (CommandStatus::Denied, Some("DANGEROUS")) => {
                    "Command matches a known-dangerous pattern".to_owned()
                }
                (CommandStatus::Denied, _) if self.settings.has_compat("denial") => DENIED.to_owned(),
                // The policy's own reasons begin with these words already.
                (CommandStatus::Denied, _) if outcome.reason().starts_with(DENIED) => {
                    outcome.reason().to_owned()
                }
                (CommandStatus::Denied, _) => format!("{DENIED}: {}", outcome.reason()),
                _ => outcome.reason().to_owned(),
            });
        }
        if outcome.status == CommandStatus::Background {
            return background(&run, self.settings.is_in_container);
        }
        let exit_code = self.exit_code(outcome);
        let data = object! {
            "mode": "foreground",
            "exit_code": exit_code,
            "stdout": &outcome.output.stdout,
            "stderr": &outcome.output.stderr,
            "background_pids"?: &outcome.background_pids,
        };
        let mut parts = streams(outcome);
        if parts.is_empty() {
            parts.push("(no output)".to_owned());
        }
        match outcome.status {
            CommandStatus::Timeout => {
                parts.push(format!("[timed out after {}]", seconds(self.timeout_ms(arguments))));
            }
            CommandStatus::Aborted => parts.push("[aborted]".to_owned()),
            _ => {}
        }
        parts.extend(run.notes(self.settings.names_processes()));
        let line_break = if self.settings.has_compat("text") { "\n" } else { "" };
        parts.push(format!("{line_break}[exit code: {exit_code}]"));
        // An exit code is no error of the tool.
        Answer::new(
            parts.join("\n"),
            matches!(outcome.status, CommandStatus::Timeout | CommandStatus::Aborted),
            &data,
        )
    }
}

/// The streams that have output, standard error below its name.
fn streams(outcome: &CommandOutcome) -> Vec<String> {
    let mut parts = Vec::new();
    if !outcome.output.stdout.is_empty() {
        parts.push(outcome.output.stdout.clone());
    }
    if !outcome.output.stderr.is_empty() {
        parts.push(format!("[stderr]\n{}", outcome.output.stderr));
    }
    parts
}

/// Returns the answer of a command that goes on. In a container, a pid says nothing to the model's host.
fn background(run: &RunOutcome, is_in_container: bool) -> Answer {
    let outcome = &run.command;
    let data = object! {
        "mode": "background",
        "pid"?: outcome.pid.filter(|_| !is_in_container),
        "stdout": &outcome.output.stdout,
        "stderr": &outcome.output.stderr,
        "job_id"?: outcome.job.as_deref(),
    };
    let pid = outcome.pid.map_or_else(|| "unknown".to_owned(), |pid| pid.to_string());
    let pid = if is_in_container { String::new() } else { format!(" (pid: {pid})") };
    let mut parts = vec![format!("Process is running in background{pid}")];
    parts.extend(streams(outcome));
    parts.extend(run.notes(false));
    Answer::of(parts.join("\n"), false, data)
}

fn error(message: String) -> Answer {
    let data = object! {
        "mode": "foreground",
        "exit_code": (),
        "stdout": "",
        "stderr": "",
        "error": &message,
    };
    let answer = Answer::of(String::new(), true, data);
    Answer { text: message, ..answer }
}

const INPUT: &str = r#"{"type":"object","properties":{"command":{"type":"string","description":"The shell command to execute."},"working_directory":{"type":"string","description":"Absolute path to the working directory."},"timeout":{"type":"integer","minimum":0,"description":"Milliseconds to wait before moving the process to background. Defaults to {default}. Set to 0 to immediately background."}},"required":["command"],"additionalProperties":false}"#;
const OUTPUT: &str = r#"{"type":"object","properties":{"mode":{"enum":["foreground","background"]},"exit_code":{"type":["integer","null"]},"pid":{"type":"integer"},"stdout":{"type":"string"},"stderr":{"type":"string"},"job_id":{"type":"string"},"background_pids":{"type":"array","items":{"type":"integer"}},"error":{"type":"string"}},"required":["mode","stdout","stderr"],"additionalProperties":false}"#;

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{Action, AgentRail, Arguments, Dialect, ToolsetSettings};
    use crate::tools::outcome::testing::{call, with};

    fn answer(outcome: Value) -> (String, bool) {
        let dialect = AgentRail { settings: ToolsetSettings::default() };
        let answer =
            dialect.answer("Bash", &Arguments::default(), &call("run", with(outcome, json!({ "pid": 7 }))));
        (answer.text, answer.is_error)
    }

    #[test]
    fn a_failing_command_is_no_error_and_its_streams_stand_apart() {
        let outcome = json!({ "exitCode": 2, "stdout": "out\n", "stderr": "err\n" });
        assert_eq!(answer(outcome), ("out\n\n[stderr]\nerr\n\n[exit code: 2]".to_owned(), false));
    }

    #[test]
    fn a_denial_says_why_and_the_original_words_alone_by_compat() {
        let denial = |compat: Option<&str>, code: &str, reason: &str| {
            let settings =
                ToolsetSettings { compat: compat.map(str::to_owned), ..ToolsetSettings::default() };
            let outcome = json!({ "status": "denied", "errorCode": code, "error": reason });
            AgentRail { settings }.answer("Bash", &Arguments::default(), &call("run", outcome)).text
        };
        let known = "Permission denied for tool \"Bash\": `rm x`: deny[0] is Bash(rm:*)";
        assert_eq!(denial(None, "DENIED", known), known);
        assert_eq!(denial(None, "NOT_APPROVED", "no"), "Permission denied for tool \"Bash\": no");
        assert_eq!(denial(Some("denial"), "DENIED", known), "Permission denied for tool \"Bash\"");
        assert_eq!(denial(None, "DANGEROUS", "x"), "Command matches a known-dangerous pattern");
    }

    #[test]
    fn a_killed_command_does_not_exit_with_0() {
        let outcome = json!({ "status": "signaled", "signal": "SIGKILL" });
        assert_eq!(answer(outcome), ("(no output)\n[exit code: 137]".to_owned(), false));
    }

    #[test]
    fn a_killed_command_exits_with_0_by_compat_as_in_the_original() {
        let settings = ToolsetSettings { compat: Some("true".to_owned()), ..ToolsetSettings::default() };
        let killed = json!({ "status": "signaled", "signal": "SIGKILL" });
        let answer = AgentRail { settings }.answer("Bash", &Arguments::default(), &call("run", killed));
        assert_eq!(answer.text, "(no output)\n\n[exit code: 0]");
        assert!(answer.data.contains(r#""exit_code":0"#), "{}", answer.data);
    }

    #[test]
    fn a_command_in_the_background_shows_what_it_has_written() {
        let outcome = json!({ "status": "background", "stdout": "part\n", "stderr": "err\n", "pid": 7 });
        let text = "Process is running in background (pid: 7)\npart\n\n[stderr]\nerr\n";
        assert_eq!(answer(outcome), (text.to_owned(), false));
    }

    #[test]
    fn a_command_in_the_background_of_a_container_has_no_pid() {
        let settings = ToolsetSettings { is_in_container: true, ..ToolsetSettings::default() };
        let outcome =
            with(json!({ "status": "background", "stdout": "part\n" }), json!({ "pid": 7, "job": "j" }));
        let answer = AgentRail { settings }.answer("Bash", &Arguments::default(), &call("run", outcome));
        assert_eq!(answer.text, "Process is running in background\npart\n");
        assert!(answer.data.contains(r#""job_id":"j""#) && !answer.data.contains("pid"), "{}", answer.data);
    }

    #[test]
    fn a_timeout_moves_to_the_background_and_0_does_so_at_once() {
        let yields = |arguments: &str| {
            let arguments = Arguments::from_json(arguments);
            match (AgentRail { settings: ToolsetSettings::default() }).plan("Bash", &arguments) {
                Ok(Action::Run(run)) => (run.yield_ms, run.is_job),
                other => panic!("not a run: {other:?}"),
            }
        };
        assert_eq!(yields(r#"{"command":"ls"}"#), (Some(30_000.0), false));
        assert_eq!(yields(r#"{"command":"ls","timeout":"500"}"#), (Some(500.0), false));
        assert_eq!(yields(r#"{"command":"ls","timeout":0}"#), (Some(0.0), true));
        assert_eq!(yields(r#"{"command":"ls","timeout":-5}"#), (Some(30_000.0), false));
    }
}
