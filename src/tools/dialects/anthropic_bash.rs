//! `anthropic-bash`: the tool `bash_20250124` that is built into Anthropic's models, with one shell for all
//! calls.

use crate::tools::prelude::*;
use crate::tools::text::phrases::{lines, without_last_breaks};

/// The default timeout of a command (ms).
const TIMEOUT_MS: f64 = 120_000.0;
/// The most output that the model reads (bytes), as in Anthropic's own session.
const MAX_BYTES: u64 = 102_400;
const RESTARTED: &str = "Bash session restarted";

/// The facts about the dialect.
pub const PROFILE: DialectProfile = DialectProfile {
    options: &[
        OptionKind::Choice { choices: &["nonzero", "failure"] }.named("errorOn"),
        OptionKind::Flag.named("timeoutArgument"),
    ],
    compat: Some(&["processes", "quickstarts"]),
    session: |settings| settings.session.unwrap_or(SessionMode::Live),
    tells_session: true,
    ..DialectProfile::new("anthropic-bash", |settings| Box::new(AnthropicBash::new(settings)))
};

/// The dialect.
#[derive(Debug)]
pub struct AnthropicBash {
    settings: ToolsetSettings,
    has_timeout: bool,
    is_lenient: bool,
}

impl AnthropicBash {
    /// Creates the dialect with the host's settings.
    #[must_use]
    pub fn new(settings: ToolsetSettings) -> Self {
        let own = settings.own();
        Self {
            has_timeout: own.flag("timeoutArgument"),
            is_lenient: own.text("errorOn") == Some("failure"),
            settings,
        }
    }

    fn is_original(&self) -> bool {
        self.settings.has_compat("quickstarts")
    }

    fn timeout_ms(&self, arguments: &Arguments) -> Option<f64> {
        let asked = arguments.number("timeout_ms").filter(|_| self.has_timeout);
        self.settings.timeout(asked, Some(TIMEOUT_MS), None)
    }

    fn text(&self, arguments: &Arguments, run: &RunOutcome) -> String {
        let outcome = &run.command;
        let output = without_last_breaks(&outcome.output.stdout);
        let limit = self.timeout_ms(arguments).unwrap_or(0.0) / 1000.0;
        match outcome.status {
            // The API takes no text block without a visible character.
            CommandStatus::Exited if outcome.exit_code == Some(0) && output.trim().is_empty() => {
                String::new()
            }
            CommandStatus::Exited if outcome.exit_code == Some(0) => output.to_owned(),
            CommandStatus::Exited => {
                lines([output, &format!("Exit code: {}", outcome.exit_code.unwrap_or(1))])
            }
            CommandStatus::Signaled => lines([
                output,
                &format!("Killed by signal: {}", outcome.signal.as_deref().unwrap_or("unknown")),
            ]),
            CommandStatus::Timeout | CommandStatus::IdleTimeout => {
                let note = format!("Error: Command timed out after {limit} seconds");
                let lost = " The shell was restarted; its state is that before this command.";
                lines([output, &format!("{note}{}", if run.shell_ended { lost } else { "" })])
            }
            CommandStatus::Aborted => lines([output, "Error: Command was aborted"]),
            CommandStatus::Background => {
                let job = outcome.job.as_deref().unwrap_or("a job");
                lines([output, &format!("The command goes on in the background as {job}.")])
            }
            CommandStatus::Denied => format!("Error: {}", outcome.reason()),
            _ if outcome.has_invalid_arguments() || outcome.is_lost() => {
                format!("Error: {}", outcome.reason())
            }
            CommandStatus::Failed | CommandStatus::Unknown => {
                format!("Error: Failed to launch process: {}", outcome.reason())
            }
        }
    }

    /// Returns the text of the reference implementation: an error replaces the output, and any standard error
    /// counts as an error.
    fn original_text(&self, arguments: &Arguments, run: &RunOutcome) -> (String, bool) {
        let outcome = &run.command;
        let limit = self.timeout_ms(arguments).unwrap_or(0.0) / 1000.0;
        let without_last = |text: &str| text.strip_suffix('\n').unwrap_or(text).to_owned();
        let error = match outcome.status {
            CommandStatus::Timeout | CommandStatus::IdleTimeout => {
                format!("timed out: bash has not returned in {limit:.1} seconds and must be restarted")
            }
            CommandStatus::Denied
            | CommandStatus::Failed
            | CommandStatus::Unknown
            | CommandStatus::Aborted => outcome.reason().to_owned(),
            _ if run.needs_restart => {
                let code =
                    outcome.exit_code.or_else(|| outcome.signal_number().map(|signal| i64::from(-signal)));
                format!(
                    "<system>tool must be restarted</system>\nbash has exited with returncode {}",
                    code.unwrap_or(0)
                )
            }
            _ => without_last(&outcome.output.stderr),
        };
        if error.is_empty() { (without_last(&outcome.output.stdout), false) } else { (error, true) }
    }
}

/// Returns what a restart does.
const fn restart(session: SessionMode) -> &'static str {
    match session {
        SessionMode::None => "`restart` changes nothing.",
        SessionMode::Cwd => "With `restart`, the next command starts in the first directory again.",
        SessionMode::Carry => "With `restart`, the next command has none of it.",
        SessionMode::Live => "With `restart`, the shell is replaced by a new one.",
    }
}

impl Dialect for AnthropicBash {
    fn tools(&self) -> Vec<Tool> {
        let timeout = if self.has_timeout {
            r#","timeout_ms":{"type":"integer","minimum":0,"description":"How long the command may take (ms). 0 or missing: the default."}"#
        } else {
            ""
        };
        let input = format!(
            r#"{{"type":"object","properties":{{"command":{{"type":"string","description":"The bash command to run."}},"restart":{{"type":"boolean","description":"Specifying true will restart this tool. Otherwise, leave this unspecified."}}{timeout}}},"additionalProperties":false}}"#
        );
        vec![Tool {
            name: "bash",
            title: "Bash",
            description: format!(
                "{} Standard input is empty. Output of background processes after the end of their command is dropped: redirect it \
                 to a file. {}",
                match self.settings.session() {
                    SessionMode::Live => "Run commands in a bash shell whose state persists between calls.".to_owned(),
                    other => format!("Run commands in bash. {}", other.sentence()),
                },
                restart(self.settings.session())
            )
            .into(),
            input_schema: Schema::new(&input),
            output_schema: Schema::new(OUTPUT),
            read_only: false,
        }]
    }

    fn instructions(&self) -> Cow<'static, str> {
        let state = match self.settings.session() {
            SessionMode::None => "each command has a shell of its own",
            SessionMode::Cwd => "the directory stays from call to call, until `restart: true`",
            SessionMode::Carry | SessionMode::Live => {
                "directory, variables and functions stay from call to call, until `restart: true`"
            }
        };
        format!(
            "Run commands with `bash`: {state}. Redirect the output of background processes to a file: it is not shown after the \
             end of their command."
        )
        .into()
    }

    fn plan(&self, _tool: &str, arguments: &Arguments) -> Result<Action, Answer> {
        let is_original = self.is_original();
        let run = arguments.usable_text("command").map(|command| {
            let output = self.settings.output(OutputOptions {
                max_bytes: MAX_BYTES,
                by_line: true,
                merge: !is_original,
                strip_ansi: true,
                ..OutputOptions::default()
            });
            RunAction {
                timeout_ms: self.timeout_ms(arguments),
                yield_ms: self.settings.yield_ms,
                needs_restart: is_original,
                saves_state: !is_original,
                ..RunAction::of_shell(command, &["bash", "-c"], output)
            }
        });
        match (arguments.flag("restart"), run) {
            (true, then) => Ok(Action::Restart { then: then.map(Box::new) }),
            (false, Some(run)) => Ok(run.into()),
            (false, None) => {
                let message = if is_original { "no command provided." } else { "Error: command is required" };
                Err(answer(message.to_owned(), true, &CallOutcome::invalid(message).run(), false))
            }
        }
    }

    fn answer(&self, _tool: &str, arguments: &Arguments, outcome: &CallOutcome) -> Answer {
        let did_restart = matches!(outcome, CallOutcome::Restart { .. });
        let has_restarted = arguments.flag("restart") && did_restart;
        let has_run = arguments.usable_text("command").is_some() || !did_restart;
        let run = outcome.run();
        let outcome = &run.command;
        let fails = match outcome.status {
            CommandStatus::Exited => outcome.exit_code != Some(0) && !self.is_lenient,
            status => status != CommandStatus::Background,
        };
        let (mut text, mut is_error) = if !has_run {
            (String::new(), false)
        } else if self.is_original() {
            self.original_text(arguments, &run)
        } else {
            let notes = run.notes(self.settings.names_processes()).join("\n");
            (lines([&self.text(arguments, &run), &notes]), fails)
        };
        if has_restarted && self.is_original() {
            text = lines(["<system>tool has been restarted.</system>", &text]);
        } else if has_restarted {
            text = lines([RESTARTED, &text]);
        }
        if !has_run {
            is_error = false;
        }
        answer(text, is_error, &run, has_restarted)
    }
}

fn answer(text: String, is_error: bool, run: &RunOutcome, has_restarted: bool) -> Answer {
    let outcome = &run.command;
    let data = object! {
        "exit_code": outcome.exit_code,
        "signal": outcome.signal.as_deref(),
        "timed_out": matches!(outcome.status, CommandStatus::Timeout | CommandStatus::IdleTimeout),
        "aborted": outcome.status == CommandStatus::Aborted,
        "stdout": &outcome.output.stdout,
        "stderr": &outcome.output.stderr,
        "output": outcome.output.joined(),
        "truncated": outcome.output.truncated,
        "total_bytes": outcome.output.stdout_bytes + outcome.output.stderr_bytes,
        "duration_ms": outcome.duration_ms,
        "cwd": &run.cwd,
        "restarted": has_restarted || run.restarted,
        "background_pids": &outcome.background_pids,
        "error": outcome.error.as_deref(),
    };
    Answer::of(text, is_error, data)
}

const OUTPUT: &str = r#"{"type":"object","properties":{"exit_code":{"type":["integer","null"]},"signal":{"type":["string","null"]},"timed_out":{"type":"boolean"},"aborted":{"type":"boolean"},"stdout":{"type":"string"},"stderr":{"type":"string"},"output":{"type":"string"},"truncated":{"type":"boolean"},"total_bytes":{"type":"number"},"duration_ms":{"type":"number"},"cwd":{"type":"string"},"restarted":{"type":"boolean"},"background_pids":{"type":"array","items":{"type":"integer"}},"error":{"type":["string","null"]}},"required":["exit_code","signal","timed_out","aborted"],"additionalProperties":false}"#;

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{AnthropicBash, Arguments, Dialect, ToolsetSettings};
    use crate::tools::outcome::testing::{call, with};

    fn answer(settings: &str, arguments: &str, outcome: Value) -> (String, bool) {
        answer_to("run", settings, arguments, outcome)
    }

    fn answer_to(action: &str, settings: &str, arguments: &str, outcome: Value) -> (String, bool) {
        let dialect = AnthropicBash::new(serde_json::from_str(settings).expect("settings"));
        let outcome = with(outcome, json!({ "pid": 7 }));
        let answer = dialect.answer("bash", &Arguments::from_json(arguments), &call(action, outcome));
        (answer.text, answer.is_error)
    }

    fn ended(status: &str, exit_code: Option<i32>) -> Value {
        json!({ "status": status, "exitCode": exit_code, "stdout": "part\n" })
    }

    #[test]
    fn the_ends_have_their_texts() {
        let text = |outcome| answer("{}", "{}", outcome);
        assert_eq!(text(ended("exited", Some(0))), ("part".to_owned(), false));
        assert_eq!(text(json!({ "exitCode": 0 })), ("(no output)".to_owned(), false));
        let blank = json!({ "exitCode": 0, "stdout": " \n\t" });
        assert_eq!(text(blank), ("(no output)".to_owned(), false));
        assert_eq!(text(ended("exited", Some(3))), ("part\nExit code: 3".to_owned(), true));
        assert_eq!(text(json!({ "exitCode": 3 })), ("Exit code: 3".to_owned(), true));
        let killed = with(ended("signaled", None), json!({ "signal": "SIGKILL" }));
        assert_eq!(text(killed), ("part\nKilled by signal: SIGKILL".to_owned(), true));
        assert_eq!(
            text(ended("timeout", None)),
            ("part\nError: Command timed out after 120 seconds".to_owned(), true)
        );
        assert_eq!(text(ended("aborted", None)), ("part\nError: Command was aborted".to_owned(), true));
    }

    #[test]
    fn a_restart_is_reported_alone_and_before_the_answer_of_a_command() {
        let restarted = |arguments, command: Option<Value>| {
            answer_to("restart", "{}", arguments, json!({ "command": command }))
        };
        let alone = restarted(r#"{"restart":true}"#, None);
        assert_eq!(alone, ("Bash session restarted".to_owned(), false));
        let both = restarted(r#"{"restart":true,"command":"ls"}"#, Some(ended("exited", Some(0))));
        assert_eq!(both, ("Bash session restarted\npart".to_owned(), false));
    }

    #[test]
    fn nothing_usable_is_an_error() {
        for arguments in ["{}", r#"{"command":""}"#, r#"{"restart":false}"#] {
            let refusal =
                AnthropicBash::new(ToolsetSettings::default()).plan("bash", &Arguments::from_json(arguments));
            assert_eq!(refusal.expect_err("a refusal").text, "Error: command is required", "{arguments}");
        }
    }

    #[test]
    fn the_reference_drops_output_where_there_is_an_error() {
        let outcome = with(ended("exited", Some(1)), json!({ "stderr": "bad\n" }));
        assert_eq!(answer(r#"{"compat":"quickstarts"}"#, "{}", outcome), ("bad".to_owned(), true));
        let outcome = ended("timeout", None);
        let text = "timed out: bash has not returned in 120.0 seconds and must be restarted";
        assert_eq!(answer(r#"{"compat":"true"}"#, "{}", outcome), (text.to_owned(), true));
    }

    #[test]
    fn exit_codes_can_be_no_errors() {
        let settings = r#"{"own":{"errorOn":"failure"}}"#;
        assert_eq!(
            answer(settings, "{}", ended("exited", Some(1))),
            ("part\nExit code: 1".to_owned(), false)
        );
        assert!(answer(settings, "{}", ended("aborted", None)).1);
    }
}
