//! `claude-code`: `Bash` of Claude Code with `BashOutput` and `KillShell` (classic), or `TaskOutput` and
//! `TaskStop` (current).
//!
//! * `command` answers `Bash`; `companions` the others.
//! * `limit` shortens long output; `filter` is the regular expression of `BashOutput`.
//! * `sleep` refuses commands that only wait; `notice` reports the end of a background command.

mod command;
mod companions;
mod filter;
mod limit;
mod notice;
mod sleep;

use crate::tools::prelude::*;
use limit::Limit;

/// The default and the longest timeout of a command (ms).
const TIMEOUT_MS: f64 = 120_000.0;
const MAX_TIMEOUT_MS: f64 = 600_000.0;
/// The timeout in the background (ms).
const BACKGROUND_TIMEOUT_MS: f64 = 1_800_000.0;
const MAX_BACKGROUND_TIMEOUT_MS: f64 = 7_200_000.0;
/// The default of the most characters that the model reads.
const MAX_CHARS: usize = 30_000;
/// The most that is captured of each stream (bytes), so that omitted characters can be counted.
const CAPTURE: u64 = 16 * 1024 * 1024;
/// The default and the longest wait of `TaskOutput` (ms).
const TASK_WAIT_MS: f64 = 30_000.0;
const MAX_TASK_WAIT_MS: f64 = 600_000.0;

/// The facts about the dialect.
pub const PROFILE: DialectProfile = DialectProfile {
    options: &[
        OptionKind::Choice { choices: &["classic", "current"] }.named("form"),
        OptionKind::Flag.named("filterConsumes"),
        OptionKind::Flag.named("listTool"),
        OptionKind::Flag.named("interpretExitCodes"),
        OptionKind::Names.named("additionalDirectories"),
        OptionKind::Milliseconds.named("maxSleepMs"),
    ],
    compat: Some(&["beginning", "processes", "streams"]),
    session: |settings| settings.session.unwrap_or(SessionMode::Cwd),
    tells_session: true,
    job_ids: "bash_",
    has_answer_time: true,
    asks_for_more: true,
    limits: &[
        LimitVariable { name: "BASH_DEFAULT_TIMEOUT_MS", setting: "timeoutMs", most: None },
        LimitVariable { name: "BASH_MAX_TIMEOUT_MS", setting: "maxTimeoutMs", most: None },
        LimitVariable { name: "BASH_MAX_OUTPUT_LENGTH", setting: "maxChars", most: Some(150_000) },
    ],
    ..DialectProfile::new("claude-code", |settings| Box::new(ClaudeCode::new(settings)))
};

/// The dialect.
#[derive(Debug)]
pub struct ClaudeCode {
    settings: ToolsetSettings,
    own: Arguments,
    is_current: bool,
}

impl ClaudeCode {
    /// Creates the dialect with the host's settings.
    #[must_use]
    pub fn new(settings: ToolsetSettings) -> Self {
        let own = settings.own();
        Self { is_current: own.text("form") == Some("current"), own, settings }
    }

    fn timeout_ms(&self, arguments: &Arguments) -> Option<f64> {
        self.settings.timeout(arguments.number("timeout"), Some(TIMEOUT_MS), Some(MAX_TIMEOUT_MS))
    }

    fn limit(&self) -> Limit {
        let own = self.settings.max_chars.and_then(|most| usize::try_from(most).ok());
        Limit { max_chars: own.unwrap_or(MAX_CHARS), is_beginning: self.settings.has_compat("beginning") }
    }

    fn sleep_refusal(&self, command: &str) -> Option<String> {
        let most_ms = self.own.positive("maxSleepMs")?;
        let reader = match (self.settings.has_companions, self.is_current) {
            (false, _) => None,
            (true, true) => Some("you will be notified when it completes"),
            (true, false) => Some("read its output with BashOutput"),
        };
        sleep::refusal(command, most_ms, reader)
    }

    fn run(&self, arguments: &Arguments) -> Result<Action, Answer> {
        let command = arguments.usable_text("command").ok_or_else(|| {
            command::refusal("InputValidationError: Bash failed: The required parameter `command` is missing")
        })?;
        let is_job = arguments.flag("run_in_background") && self.settings.has_companions;
        if let Some(refusal) = self.sleep_refusal(command).filter(|_| !is_job) {
            return Err(command::refusal(&refusal));
        }
        let timeout = self.timeout_ms(arguments);
        let moves = self.settings.moves_at_timeout.unwrap_or(true) && self.settings.has_companions;
        let yield_ms =
            [self.settings.yield_ms, timeout.filter(|_| moves)].into_iter().flatten().reduce(f64::min);
        let output = self.settings.output(OutputOptions {
            max_bytes: CAPTURE,
            // `BashOutput` has an element for each stream.
            merge: !(is_job && !self.is_current || self.settings.has_compat("streams")),
            strip_ansi: true,
            spill: self.is_current,
            spill_above: Some(self.limit().max_chars as u64),
            spill_at_once: self.is_current && (is_job || yield_ms.is_some()),
            view_bytes: Some(self.limit().max_chars as u64),
            ..OutputOptions::default()
        });
        let background = || {
            let asked = arguments.positive("timeout").unwrap_or(BACKGROUND_TIMEOUT_MS);
            Some(asked.min(MAX_BACKGROUND_TIMEOUT_MS))
        };
        Ok(RunAction {
            asks: (self.settings.escalates && arguments.flag("dangerouslyDisableSandbox"))
                .then(|| EscalationRequest::unsandboxed(arguments.usable_text("description"))),
            timeout_ms: if is_job { background() } else { timeout },
            yield_ms: if is_job { Some(0.0) } else { yield_ms },
            is_job,
            is_detached: is_job,
            names_file: is_job && self.is_current,
            label: arguments.usable_text("description").map(str::to_owned),
            ..RunAction::of_shell(command, &["bash", "-c"], output)
        }
        .into())
    }

    fn read(&self, tool: &str, arguments: &Arguments) -> Result<Action, Answer> {
        let names = ["bash_id", "task_id", "shell_id"];
        let id = names
            .into_iter()
            .find_map(|name| arguments.usable_text(name))
            .ok_or_else(|| companions::missing(tool))?
            .to_owned();
        if tool == "TaskOutput" {
            let waits = arguments.get("block").is_none_or(|block| block != false && block != "false");
            let wait = arguments.number("timeout").unwrap_or(TASK_WAIT_MS).clamp(0.0, MAX_TASK_WAIT_MS);
            let wait_ms = if waits { wait } else { 0.0 };
            return Ok(Action::Read(ReadAction {
                id,
                wait_ms,
                until_end: true,
                from_start: true,
                ..ReadAction::default()
            }));
        }
        let filter = arguments.usable_text("filter");
        if let Some(Err(message)) = filter.map(filter::check) {
            return Err(companions::refusal(&message));
        }
        let keeps =
            filter.is_some() && self.own.get("filterConsumes").is_some_and(|consumes| consumes == false);
        Ok(Action::Read(ReadAction { id, peeks: keeps, is_whole: filter.is_some(), ..ReadAction::default() }))
    }
}

impl Dialect for ClaudeCode {
    fn tools(&self) -> Vec<Tool> {
        let input = if self.settings.has_companions { INPUT } else { INPUT_ALONE };
        let escape = match (self.settings.has_sandbox(), self.settings.escalates) {
            (true, true) => ASKS_TO_LEAVE,
            (true, false) => SANDBOXED,
            (false, _) => NOT_SANDBOXED,
        };
        let escape = format!(r#","dangerouslyDisableSandbox":{{"type":"boolean","description":"{escape}"}}"#);
        let has_escape = self.settings.has_companions || self.settings.escalates;
        let max = self.settings.max_timeout_ms.unwrap_or(MAX_TIMEOUT_MS);
        let input = input.replace("{escape}", if has_escape { &escape } else { "" });
        let input = input.replace("{max}", &max.to_string());
        let mut tools = vec![Tool {
            name: "Bash",
            title: "Bash",
            description: format!(
                "Executes a bash command with an optional timeout. {} Long output is cut. Use `run_in_background` for commands \
                 that take long.",
                match self.settings.session() {
                    SessionMode::Cwd => "The working directory persists between commands; variables and functions do not.",
                    other => other.sentence(),
                }
            )
            .into(),
            input_schema: Schema::new(&input),
            output_schema: Schema::new(command::OUTPUT),
            read_only: false,
        }];
        if self.settings.has_companions {
            tools.extend(if self.is_current { companions::current() } else { companions::classic() });
            if self.own.flag("listTool") {
                tools.push(companions::list_tool());
            }
        }
        tools
    }

    fn instructions(&self) -> Cow<'static, str> {
        if self.is_current {
            "Run commands with `Bash`. With `run_in_background`, `TaskOutput` reads their output and `TaskStop` ends them."
        } else {
            "Run commands with `Bash`. With `run_in_background`, `BashOutput` reads their output and `KillShell` ends them."
        }
        .into()
    }

    /// The original stays in the project without a root too.
    fn directories(&self) -> Option<Vec<String>> {
        let is_original = self.settings.compat.as_deref() == Some("true");
        self.own.words("additionalDirectories").or_else(|| is_original.then(Vec::new))
    }

    fn plan(&self, tool: &str, arguments: &Arguments) -> Result<Action, Answer> {
        match tool {
            "Bash" => self.run(arguments),
            "BashOutput" | "TaskOutput" => self.read(tool, arguments),
            "BashList" => Ok(Action::List),
            _ => {
                let names = ["shell_id", "task_id", "bash_id"];
                let id = names.into_iter().find_map(|name| arguments.usable_text(name));
                let id = id.ok_or_else(|| companions::missing(tool))?;
                Ok(Action::Kill { id: id.to_owned() })
            }
        }
    }

    fn ended(&self, call: &StartingCall<'_>, job: &JobOutcome) -> JobEnd {
        let notice = || notice::notice(job, call.id, self.settings.names_processes());
        let answer = self.answer(call.tool, call.arguments, &job.clone().into());
        JobEnd { notice: self.is_current.then(notice), answer }
    }

    fn answer(&self, tool: &str, arguments: &Arguments, outcome: &CallOutcome) -> Answer {
        match tool {
            "Bash" => {
                let interprets = self.own.flag("interpretExitCodes");
                let asks_to_leave = arguments.flag("dangerouslyDisableSandbox");
                let style = command::Style {
                    is_current: self.is_current,
                    limit: self.limit(),
                    interprets,
                    names_processes: self.settings.names_processes(),
                    note: (asks_to_leave && self.settings.is_confined()).then_some(RAN_INSIDE),
                };
                style.answer(arguments, &outcome.run(), self.timeout_ms(arguments))
            }
            "BashOutput" => {
                companions::output(arguments, &outcome.job(), self.limit(), self.settings.names_processes())
            }
            "TaskOutput" => companions::task_output(outcome, self.limit(), self.settings.names_processes()),
            "BashList" => companions::list(outcome.jobs(), self.settings.names_processes()),
            _ => companions::killed(outcome, tool == "TaskStop"),
        }
    }
}

const SANDBOXED: &str = "Disabled by policy: every command runs in the sandbox.";
const ASKS_TO_LEAVE: &str =
    "Set this to true to ask to run this command without the sandbox. The user is asked.";
const RAN_INSIDE: &str = "[dangerouslyDisableSandbox is disabled by policy: the command ran in the sandbox]";
const NOT_SANDBOXED: &str = "Ignored: there is no sandbox.";
const INPUT_ALONE: &str = r#"{"type":"object","properties":{"command":{"type":"string","description":"The command to execute"},"timeout":{"type":"number","description":"Optional timeout in milliseconds (max {max})"},"description":{"type":"string","description":"Clear, concise description of what this command does in 5-10 words, in active voice."}{escape}},"required":["command"],"additionalProperties":false}"#;
const INPUT: &str = r#"{"type":"object","properties":{"command":{"type":"string","description":"The command to execute"},"timeout":{"type":"number","description":"Optional timeout in milliseconds (max {max})"},"description":{"type":"string","description":"Clear, concise description of what this command does in 5-10 words, in active voice."},"run_in_background":{"type":"boolean","description":"Set to true to run this command in the background and read its output later."}{escape}},"required":["command"],"additionalProperties":false}"#;
