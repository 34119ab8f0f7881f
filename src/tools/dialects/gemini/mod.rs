//! `gemini`: `run_shell_command` of Gemini CLI, with its companions for background processes.
//!
//! * `text` writes the answers.
//! * `substitution` finds what the original refuses.

mod substitution;
mod text;

use crate::tools::prelude::*;
use text::Form;

/// The default idle timeout (ms).
const IDLE_MS: f64 = 300_000.0;
/// The default time after which a background command's call answers (ms).
const BACKGROUND_DELAY_MS: f64 = 200.0;
/// The longest delay that a model can ask for (ms).
const MAX_DELAY_MS: f64 = 60_000.0;
/// The most output that is captured (bytes).
const CAPTURE: u64 = 16 * 1024 * 1024;
/// The grace between SIGTERM and SIGKILL (ms).
const KILL_AFTER_MS: f64 = 200.0;

const ENVIRONMENT: &[(&str, &str)] =
    &[("GEMINI_CLI", "1"), ("TERM", "xterm-256color"), ("PAGER", "cat"), ("GIT_PAGER", "cat")];

/// The facts about the dialect.
pub const PROFILE: DialectProfile = DialectProfile {
    options: &[
        OptionKind::Choice { choices: &["current", "middle", "seed"] }.named("form"),
        OptionKind::Flag.named("wrap"),
        OptionKind::Flag.named("refuseSubstitution"),
    ],
    compat: Some(&["environment", "pgid", "substitution"]),
    job_ids: "pid",
    asks_for_more: true,
    ..DialectProfile::new("gemini", |settings| Box::new(Gemini::new(settings)))
};

/// The dialect.
#[derive(Debug)]
pub struct Gemini {
    settings: ToolsetSettings,
    form: Form,
    refuses_substitution: bool,
}

impl Gemini {
    /// Creates the dialect with the host's settings.
    #[must_use]
    pub fn new(settings: ToolsetSettings) -> Self {
        let own = settings.own();
        let refuses_substitution = own.flag("refuseSubstitution") || settings.has_compat("substitution");
        let form = Form::new(&own, settings.max_chars, settings.has_compat("pgid"));
        Self { settings, form, refuses_substitution }
    }

    fn idle_ms(&self) -> Option<f64> {
        self.settings.timeout(None, Some(IDLE_MS), None)
    }

    fn run(&self, arguments: &Arguments) -> Result<Action, Answer> {
        let command =
            arguments.usable_text("command").ok_or_else(|| text::refusal("Command cannot be empty."))?;
        if self.refuses_substitution && substitution::is_in(command) {
            return Err(text::refusal(text::SUBSTITUTION));
        }
        let asks = request(arguments).filter(|_| self.settings.has_sandbox());
        if asks.is_some() && self.settings.is_confined() {
            return Err(text::refusal(text::NO_MORE));
        }
        let is_background = arguments.flag("is_background") && self.settings.has_companions;
        let delay = arguments.number("delay_ms").unwrap_or(BACKGROUND_DELAY_MS).clamp(0.0, MAX_DELAY_MS);
        let output = self.settings.output(OutputOptions {
            max_bytes: CAPTURE,
            merge: true,
            strip_ansi: true,
            spill: true,
            spill_above: Some(self.form.max_chars() as u64),
            view_bytes: Some(self.form.max_chars() as u64),
            ..OutputOptions::default()
        });
        Ok(RunAction {
            asks,
            cwd: ["dir_path", "directory"]
                .into_iter()
                .find_map(|name| arguments.usable_text(name))
                .map(str::to_owned),
            is_contained: true,
            dialect_env: ENVIRONMENT,
            non_interactive: !self.settings.has_compat("environment"),
            idle_timeout_ms: self.idle_ms().filter(|_| !is_background),
            yield_ms: if is_background { Some(delay) } else { self.settings.yield_ms },
            kill_after_ms: Some(KILL_AFTER_MS),
            is_job: is_background,
            names_file: is_background,
            label: arguments.usable_text("description").map(str::to_owned),
            ..RunAction::of_shell(command, &["bash", "-c"], output)
        }
        .into())
    }
}

/// Returns what a call asks for beyond its sandbox. The original declares that argument only where it can ask
/// the user.
fn request(arguments: &Arguments) -> Option<EscalationRequest> {
    let asked = arguments.object("additional_permissions")?;
    let files = asked.object("fileSystem").unwrap_or_default();
    EscalationRequest::additional(asked.flag("network"), &files, arguments.usable_text("description"))
}

impl Dialect for Gemini {
    fn tools(&self) -> Vec<Tool> {
        let mut tools = vec![Tool {
            name: "run_shell_command",
            title: "Shell",
            description: "Execute a shell command as `bash -c <command>`. To run it in the background, set `is_background` to \
                true; do not use `&` for that. The answer has the output, the exit code if it is not 0, the signal, the \
                background PIDs and the process group; background processes can be ended with `kill -- -PGID`."
                .into(),
            input_schema: Schema::new(
                &if self.settings.has_companions { INPUT } else { INPUT_ALONE }
                    .replace("{directory}", self.settings.session().directory("the project root"))
                    .replace("{more}", if self.settings.escalates { MORE } else { "" }),
            ),
            output_schema: Schema::new(OUTPUT),
            read_only: false,
        }];
        if self.settings.has_companions {
            tools.push(Tool {
                name: "list_background_processes",
                title: "List background processes",
                description: "List the background processes that were started by the shell tool.".into(),
                input_schema: Schema::new(
                    r#"{"type":"object","properties":{},"additionalProperties":false}"#,
                ),
                output_schema: Schema::new(LIST_OUTPUT),
                read_only: true,
            });
            tools.push(Tool {
                name: "read_background_output",
                title: "Read background output",
                description: "Read the output of a background process.".into(),
                input_schema: Schema::new(READ_INPUT),
                output_schema: Schema::new(READ_OUTPUT),
                read_only: true,
            });
        }
        tools
    }

    fn instructions(&self) -> Cow<'static, str> {
        "Run shell commands with `run_shell_command`; with `is_background: true` for servers, whose output \
         `read_background_output` reads and which `list_background_processes` lists."
            .into()
    }

    fn plan(&self, tool: &str, arguments: &Arguments) -> Result<Action, Answer> {
        match tool {
            "run_shell_command" => self.run(arguments),
            "list_background_processes" => Ok(Action::List),
            _ => {
                let pid = arguments
                    .number("pid")
                    .ok_or_else(|| text::log_refusal("params must have required property 'pid'"))?;
                let wait_ms = arguments.number("delay_ms").unwrap_or(0.0).clamp(0.0, MAX_DELAY_MS);
                Ok(Action::Read(ReadAction {
                    id: pid.to_string(),
                    from_start: true,
                    wait_ms,
                    until_end: true,
                    is_whole: arguments.positive("lines").is_some(),
                    ..ReadAction::default()
                }))
            }
        }
    }

    fn answer(&self, tool: &str, arguments: &Arguments, outcome: &CallOutcome) -> Answer {
        match tool {
            "run_shell_command" => {
                let run = outcome.run();
                let reason = run.command.reason();
                match (run.command.error_code.as_deref(), run.command.status) {
                    (Some("CWD_OUTSIDE"), _) => text::refusal(&format!("Path not in workspace: {reason}")),
                    (_, CommandStatus::Denied) => text::refusal(reason),
                    _ => self.form.command(arguments, &run, self.idle_ms()),
                }
            }
            "list_background_processes" => text::list(outcome),
            _ => self.form.log(arguments, &outcome.command()),
        }
    }
}

const MORE: &str = r#","additional_permissions":{"type":"object","description":"What the command needs beyond the sandbox. The user is asked.","properties":{"network":{"type":"boolean","description":"Whether it needs the network."},"fileSystem":{"type":"object","properties":{"read":{"type":"array","items":{"type":"string"},"description":"Paths that it needs to read."},"write":{"type":"array","items":{"type":"string"},"description":"Paths below which it needs to write."}},"additionalProperties":false}},"additionalProperties":false}"#;
const INPUT_ALONE: &str = r#"{"type":"object","properties":{"command":{"type":"string","description":"Exact bash command to execute as `bash -c <command>`"},"description":{"type":"string","description":"Brief description of the command for the user. Up to 3 sentences, no line breaks."},"dir_path":{"type":"string","description":"The path of the directory to run the command in, relative to the project root. Default: {directory}. Must be a directory within the workspace and must already exist."}{more}},"required":["command"],"additionalProperties":false}"#;
const INPUT: &str = r#"{"type":"object","properties":{"command":{"type":"string","description":"Exact bash command to execute as `bash -c <command>`"},"description":{"type":"string","description":"Brief description of the command for the user. Up to 3 sentences, no line breaks."},"dir_path":{"type":"string","description":"The path of the directory to run the command in, relative to the project root. Default: {directory}. Must be a directory within the workspace and must already exist."},"is_background":{"type":"boolean","description":"Set to true if this command should run in the background, such as a server. Do not use `&` then."},"delay_ms":{"type":"integer","minimum":0,"maximum":60000,"description":"How long to wait after the start before the command moves to the background (ms). Default 200."}{more}},"required":["command"],"additionalProperties":false}"#;
const OUTPUT: &str = r#"{"type":"object","properties":{"exitCode":{"type":["integer","null"]},"signal":{"type":["string","null"]},"isError":{"type":"boolean"},"pid":{"type":["integer","null"]},"command":{"type":"string"},"initialOutput":{"type":"string"},"output":{"type":"string"},"backgroundPids":{"type":"array","items":{"type":"integer"}},"processGroup":{"type":["integer","null"]},"truncated":{"type":"boolean"},"outputFile":{"type":["string","null"]},"error":{"type":["string","null"]}},"required":["exitCode","isError"],"additionalProperties":false}"#;
const READ_INPUT: &str = r#"{"type":"object","properties":{"pid":{"type":"integer","description":"The process ID (PID) of the background process."},"lines":{"type":"integer","minimum":1,"description":"How many lines of the end of the log to read. Default 100."},"delay_ms":{"type":"integer","minimum":0,"maximum":60000,"description":"How long to wait before reading (ms). Default 0."}},"required":["pid"],"additionalProperties":false}"#;
const LIST_OUTPUT: &str = r#"{"type":"object","properties":{"processes":{"type":"array","items":{"type":"object","properties":{"pid":{"type":["integer","null"]},"status":{"enum":["running","exited"]},"command":{"type":"string"},"exitCode":{"type":["integer","null"]},"signal":{"type":["string","null"]},"backgroundPids":{"type":"array","items":{"type":"integer"}}},"required":["pid","status","command"],"additionalProperties":false}},"error":{"type":["string","null"]}},"required":["processes"],"additionalProperties":false}"#;
const READ_OUTPUT: &str = r#"{"type":"object","properties":{"pid":{"type":["number","null"]},"status":{"enum":["running","exited","unknown"]},"exitCode":{"type":["integer","null"]},"signal":{"type":["string","null"]},"output":{"type":"string"},"lines":{"type":"integer"},"backgroundPids":{"type":"array","items":{"type":"integer"}}},"required":["pid","status","exitCode"],"additionalProperties":false}"#;
