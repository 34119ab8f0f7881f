//! `voice`: the arguments and answers of `bash()` as a dialect.

use std::time::Duration;

use crate::job::model::invocation::Invocation;
use crate::tools::bash_function::arguments::choose_command;
use crate::tools::bash_function::truncate::{CAPTURE_LIMIT, LIMIT};
use crate::tools::bash_function::{BashRefusal, result, safe_invocation, usual_shell};
use crate::tools::prelude::*;
use crate::tools::text::phrases::status_name;

/// The default timeout of a command (ms).
const TIMEOUT_MS: f64 = 30_000.0;

/// The facts about the dialect.
pub const PROFILE: DialectProfile = DialectProfile {
    options: &[OptionKind::Flag.named("safeMode")],
    compat: Some(&["escapes", "processes", "signal"]),
    uses_bash: false,
    takes_bare_command: true,
    guidance: Guidance::Voice,
    ..DialectProfile::new("voice", |settings| Box::new(Voice::new(settings)))
};

/// The dialect.
#[derive(Debug)]
pub struct Voice {
    settings: ToolsetSettings,
    safe_mode: bool,
}

impl Voice {
    /// Creates the dialect with the host's settings.
    #[must_use]
    pub fn new(settings: ToolsetSettings) -> Self {
        Self { safe_mode: settings.own().flag("safeMode"), settings }
    }

    fn timeout(&self) -> Option<f64> {
        self.settings.timeout(None, Some(TIMEOUT_MS), None)
    }

    fn text(&self, run: &RunOutcome) -> String {
        let outcome = &run.command;
        match outcome.status {
            CommandStatus::Denied => return format!("Error: {}", outcome.reason()),
            CommandStatus::Failed | CommandStatus::Unknown => return failure(outcome),
            CommandStatus::Aborted if outcome.is_aborted_before_start() => {
                return result::failure("the command was stopped before it started");
            }
            _ => {}
        }
        let expired = self.timeout().filter(|_| outcome.status == CommandStatus::Timeout);
        let expired = expired.and_then(|time| Duration::try_from_secs_f64(time / 1000.0).ok());
        // The original reports no exit code for a death by signal.
        let known = if self.settings.has_compat("signal") { outcome.exit_code } else { outcome.shell_code() };
        let code = known.map_or_else(|| "unknown".to_owned(), |code| code.to_string());
        let text = result::answer(&outcome.output.stdout, &outcome.output.stderr, expired, &code);
        let mut notes = run.notes(self.settings.names_processes());
        if outcome.status == CommandStatus::Background {
            notes.push(format!("[Process is {}]", outcome.still_running()));
        }
        // The exit code is the last line.
        let end = format!("\n[Exit code: {code}]");
        let output = text.strip_suffix(&end).unwrap_or(&text);
        let lines: Vec<_> = [output].into_iter().chain(notes.iter().map(String::as_str)).collect();
        lines.join("\n") + &end
    }
}

impl Dialect for Voice {
    fn tools(&self) -> Vec<Tool> {
        vec![Tool {
            name: "bash",
            title: "Run a shell command",
            description: Cow::Owned(if self.safe_mode {
                "Run a read-only command in the workspace: git, grep, rg, find, ls, cat, head, tail, wc, swift test, xcodebuild \
                 test, npm test or pytest, without a shell. The answer has the output and the exit code."
                    .to_owned()
            } else {
                let end = self.timeout().map_or_else(String::new, |time| {
                    format!(" Commands are ended after {} seconds.", time / 1000.0)
                });
                format!(
                    "Run a shell command in the workspace. The answer has the output of both streams and the exit code.{end}"
                )
            }),
            input_schema: Schema::new(&INPUT.replace(
                "{directory}",
                if self.settings.session() == SessionMode::None { ", in the workspace root" } else { "" },
            )),
            output_schema: Schema::new(OUTPUT),
            read_only: false,
        }]
    }

    fn instructions(&self) -> Cow<'static, str> {
        "Run commands in the workspace with `bash`. Each answer ends with `[Exit code: N]`.".into()
    }

    fn plan(&self, _tool: &str, arguments: &Arguments) -> Result<Action, Answer> {
        let text = |name| arguments.text(name).map(str::to_owned);
        let refuse = |refusal: BashRefusal| {
            answer(
                refusal.text(),
                true,
                &CommandOutcome { status: CommandStatus::Failed, ..CommandOutcome::default() },
            )
        };
        let command = choose_command([text("command"), text("cmd")])
            .ok_or(BashRefusal::MissingCommand)
            .map_err(refuse)?;
        let invocation = if self.safe_mode { Some(safe_invocation(&command).map_err(refuse)?) } else { None };
        if command.contains('\0') {
            return Err(refuse(BashRefusal::NullByte("command")));
        }
        let argv = invocation.and_then(|invocation| match invocation {
            Invocation::Program { program, arguments } => Some([vec![program], arguments].concat()),
            Invocation::Line(_) => None,
        });
        let output = OutputOptions {
            max_bytes: CAPTURE_LIMIT as u64,
            view_bytes: Some(LIMIT as u64),
            keep: Keep::Head,
            marker: Some(String::new()),
            strip_ansi: self.settings.strips_escapes(),
            ..OutputOptions::default()
        };
        Ok(RunAction {
            command: if argv.is_some() { None } else { Some(command) },
            argv,
            shell: Some(usual_shell(false).to_vec()),
            timeout_ms: self.timeout(),
            waits_for_output: true,
            output,
            ..RunAction::default()
        }
        .into())
    }

    fn answer(&self, _tool: &str, _arguments: &Arguments, outcome: &CallOutcome) -> Answer {
        let run = outcome.run();
        let is_fine = run.command.is_success() || run.command.status == CommandStatus::Background;
        answer(self.text(&run), !is_fine, &run.command)
    }
}

/// Returns the error that Node's `spawn` would give, which does not tell a bad directory from a bad program.
fn failure(outcome: &CommandOutcome) -> String {
    let [program, _] = usual_shell(false);
    match outcome.error_code.as_deref() {
        Some("CWD_MISSING") => result::failure(&format!("spawn {program} ENOENT")),
        Some("CWD_NOT_DIRECTORY") => result::failure("spawn ENOTDIR"),
        Some("CWD_NOT_ACCESSIBLE") => result::failure(&format!("spawn {program} EACCES")),
        Some("NOT_JSON") => "Error: Invalid JSON arguments".to_owned(),
        Some("CWD_OUTSIDE") | None => format!("Error: {}", outcome.reason()),
        Some(_) => result::failure(outcome.reason()),
    }
}

fn answer(text: String, is_error: bool, outcome: &CommandOutcome) -> Answer {
    let data = object! {
        "status": status_name(outcome.status),
        "exit_code": outcome.shell_code(),
        "signal": outcome.signal.as_deref(),
        "stdout": &outcome.output.stdout,
        "stderr": &outcome.output.stderr,
        "timed_out": outcome.status == CommandStatus::Timeout,
        "duration_ms": outcome.duration_ms,
        "background_pids"?: &outcome.background_pids,
    };
    Answer::of(text, is_error, data)
}

const INPUT: &str = r#"{"type":"object","properties":{"command":{"type":"string","description":"Shell command to execute{directory}."},"cmd":{"type":"string","description":"The same by another name, where 'command' is missing."}},"additionalProperties":false}"#;
const OUTPUT: &str = r#"{"type":"object","properties":{"status":{"type":"string"},"exit_code":{"type":["integer","null"]},"signal":{"type":["string","null"]},"stdout":{"type":"string"},"stderr":{"type":"string"},"timed_out":{"type":"boolean"},"duration_ms":{"type":"number"},"background_pids":{"type":"array","items":{"type":"integer"}}},"required":["status","exit_code"],"additionalProperties":false}"#;
