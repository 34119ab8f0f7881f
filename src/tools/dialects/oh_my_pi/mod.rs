//! `oh-my-pi`: the bash tool of oh-my-pi, with background jobs.
//!
//! * `rewrite` moves a leading `cd` into the working directory.
//! * `environment` keeps programs from asking and from paging.
//! * `text` writes the answers.

mod environment;
mod rewrite;
mod text;

use crate::syntax::variable::is_name;
use crate::tools::prelude::*;

/// The default, the shortest and the longest timeout of a command (s).
const TIMEOUT_S: f64 = 300.0;
const MIN_TIMEOUT_S: f64 = 1.0;
const MAX_TIMEOUT_S: f64 = 3600.0;
/// The time after which a command goes on as a job, if the host enables that (ms).
const BACKGROUND_MS: f64 = 60_000.0;
/// The most output that the model reads, and the part of it for the beginning (bytes).
const MAX_BYTES: u64 = 50 * 1024;
const HEAD_BYTES: u64 = 20 * 1024;
/// The schemes of internal URLs, unless the host names others.
const URL_SCHEMES: [&str; 7] = ["skill", "agent", "artifact", "memory", "rule", "local", "plan"];
/// The longest wait of the tool `job` (ms).
const POLL_MS: f64 = 30_000.0;

/// The facts about the dialect.
pub const PROFILE: DialectProfile = DialectProfile {
    options: &[
        OptionKind::Flag.named("async"),
        OptionKind::Threshold.named("autoBackground"),
        OptionKind::Flag.named("hasUI"),
        OptionKind::Function.named("resolveUrl"),
        OptionKind::Function.named("saveArtifact"),
        OptionKind::Names.named("urlSchemes"),
        OptionKind::Names.named("parentSchemes"),
    ],
    compat: Some(&["processes"]),
    session,
    tells_session: true,
    no_terminals_variable: Some("PI_NO_PTY"),
    update_interval_ms: 50.0,
    update_bytes: MAX_BYTES,
    ..DialectProfile::new("oh-my-pi", |settings| Box::new(OhMyPi::new(settings)))
};

/// The dialect.
#[derive(Debug)]
pub struct OhMyPi {
    settings: ToolsetSettings,
    own: Arguments,
}

/// A timeout: the requested, the effective and the longest one (s).
#[derive(Clone, Copy, Debug)]
struct Time {
    requested: Option<f64>,
    effective: f64,
    most: f64,
}

impl Time {
    /// Returns the requested timeout, if it was clamped.
    fn clamped(self) -> Option<f64> {
        #[allow(clippy::float_cmp, reason = "it is the same number unless it was clamped")]
        self.requested.filter(|requested| *requested != self.effective)
    }
}

impl OhMyPi {
    /// Creates the dialect with the host's settings.
    #[must_use]
    pub fn new(settings: ToolsetSettings) -> Self {
        Self { own: settings.own(), settings }
    }

    /// Returns the most output that the model reads (bytes).
    fn limit(&self) -> u64 {
        self.settings.max_bytes.unwrap_or(MAX_BYTES)
    }

    /// Returns the answer to a command; `job` is the job that was the command, if it is over.
    fn command(&self, arguments: &Arguments, outcome: &CallOutcome, job: Option<&CommandOutcome>) -> Answer {
        let names_processes = self.settings.names_processes();
        text::command(&outcome.run(), self.time(arguments), (self.limit(), names_processes), job)
    }

    fn url_schemes(&self) -> Vec<String> {
        self.own.words("urlSchemes").unwrap_or_else(|| URL_SCHEMES.map(str::to_owned).to_vec())
    }

    fn time(&self, arguments: &Arguments) -> Time {
        let requested = arguments.number("timeout");
        let most = self.settings.max_timeout_ms.map_or(MAX_TIMEOUT_S, |time| time / 1000.0);
        // The host's limit may be below the shortest timeout that a model can ask for.
        let effective = requested.map_or_else(|| self.default_s(), |time| time.max(MIN_TIMEOUT_S)).min(most);
        Time { requested, effective, most }
    }

    fn default_s(&self) -> f64 {
        self.settings.timeout_ms.map_or(TIMEOUT_S, |time| time / 1000.0)
    }

    fn threshold_ms(&self, time: Time) -> Option<f64> {
        let asked = self
            .own
            .get("autoBackground")
            .filter(|asked| **asked != false && self.settings.has_companions)?;
        let threshold = asked.get("thresholdMs").and_then(serde_json::Value::as_f64).unwrap_or(BACKGROUND_MS);
        Some(threshold.min(time.effective * 1000.0 - 1000.0).max(0.0))
    }

    fn run(&self, arguments: &Arguments) -> Result<Action, Answer> {
        let given = arguments.usable_text("command").ok_or_else(|| text::error("command is required"))?;
        let env = arguments.texts("env");
        if let Some((name, _)) = env.iter().find(|(name, _)| !is_name(name)) {
            return Err(text::error(&format!("Invalid bash env name: {name}")));
        }
        let wants_job = arguments.flag("async");
        if wants_job && !self.own.flag("async") {
            return Err(text::error(
                "Async bash execution is disabled. Enable async.enabled to use async mode.",
            ));
        }
        if wants_job && !self.settings.has_companions {
            return Err(text::error("Async job manager unavailable for this session."));
        }
        let asked = arguments.usable_text("cwd").map(str::to_owned);
        let (cwd, command) = match asked {
            Some(cwd) => (Some(cwd), given.to_owned()),
            None => {
                rewrite::leading_cd(given).map_or((None, given.to_owned()), |(cwd, rest)| (Some(cwd), rest))
            }
        };
        let time = self.time(arguments);
        let has_terminal = arguments.flag("pty") && self.own.flag("hasUI") && self.settings.has_terminals;
        let output = self.settings.output(OutputOptions {
            max_bytes: MAX_BYTES,
            keep: Keep::Both,
            head_bytes: Some(HEAD_BYTES),
            by_line: true,
            merge: true,
            strip_ansi: true,
            spill: true,
            spill_above: Some(MAX_BYTES),
            marker: Some(text::MARKER.to_owned()),
            ..OutputOptions::default()
        });
        let output = OutputOptions {
            head_bytes: output
                .head_bytes
                .map(|head| head.min(output.max_bytes * 2 / 5))
                .filter(|_| output.keep == Keep::Both),
            ..output
        };
        let auto_ms = self.threshold_ms(time).filter(|_| !has_terminal);
        let yield_ms = if wants_job {
            Some(0.0)
        } else {
            [auto_ms, self.settings.yield_ms].into_iter().flatten().reduce(f64::min)
        };
        Ok(RunAction {
            cwd,
            env,
            dialect_env: environment::NON_INTERACTIVE,
            non_interactive: false,
            timeout_ms: Some(time.effective * 1000.0),
            yield_ms,
            is_job: wants_job,
            is_detached: wants_job,
            pty: has_terminal.then_some(TerminalSize::USUAL),
            url_schemes: self.url_schemes(),
            label: Some(label(given)),
            starts_afresh: true,
            overlaps: true,
            saves_state: true,
            ..RunAction::of_shell(&command, &["bash", "-c"], output)
        }
        .into())
    }
}

/// Returns what is kept between calls. A command that may go on as a job needs a shell of its own, as in the
/// original.
fn session(settings: &ToolsetSettings) -> SessionMode {
    let may_move = settings.own().get("autoBackground").is_some_and(|asked| asked != false);
    let usual = if may_move || settings.yield_ms.is_some() { SessionMode::None } else { SessionMode::Live };
    settings.session.unwrap_or(usual)
}

/// Returns whether a call of `job` waits for jobs: for those that it names, or for all if it asks for nothing
/// else.
fn is_polling(arguments: &Arguments) -> bool {
    let cancels = arguments.words("cancel").is_some_and(|ids| !ids.is_empty());
    arguments.get("poll").is_some() || (!cancels && !arguments.flag("list"))
}

/// Returns the name of a command for people: its first line, shortened.
fn label(command: &str) -> String {
    let line = command.trim().lines().next().unwrap_or_default();
    if line.chars().count() <= 80 {
        return line.to_owned();
    }
    line.chars().take(79).chain(['…']).collect()
}

/// Returns the sentence about what is kept between calls. A command in a session starts in the workspace, as
/// in the original.
const fn state(session: SessionMode) -> &'static str {
    match session {
        SessionMode::Cwd => session.sentence(),
        SessionMode::None => {
            "Use `cwd` rather than `cd`: each command has a shell of its own, which starts in the workspace directory."
        }
        SessionMode::Carry | SessionMode::Live => {
            "Use `cwd` rather than `cd`: each command starts in the workspace, while variables and functions stay from call to call."
        }
    }
}

impl Dialect for OhMyPi {
    fn tools(&self) -> Vec<Tool> {
        let time = self.time(&Arguments::default());
        let has_async = self.own.flag("async") && self.settings.has_companions;
        let r#async = r#","async":{"type":"boolean","description":"Run in the background and answer at once with a job id."}"#;
        let input = format!(
            r#"{{"type":"object","properties":{{"command":{{"type":"string","description":"Shell command to execute."}},"env":{{"type":"object","additionalProperties":{{"type":"string"}},"description":"Extra environment variables."}},"timeout":{{"type":"number","description":"Timeout in seconds. Default {}, from {MIN_TIMEOUT_S} to {}."}},"cwd":{{"type":"string","description":"Working directory."}},"pty":{{"type":"boolean","description":"Run in a terminal, where there is somebody at one."}}{}}},"required":["command"],"additionalProperties":false}}"#,
            time.effective,
            time.most,
            if has_async { r#async } else { "" }
        );
        let mut tools = vec![Tool {
            name: "bash",
            title: "Bash",
            description: format!(
                "Execute a shell command in the workspace. {} The answer has the merged output and the exit code if it is not 0.",
                state(self.settings.session())
            )
            .into(),
            input_schema: Schema::new(&input),
            output_schema: Schema::new(text::OUTPUT),
            read_only: false,
        }];
        if self.settings.has_companions {
            tools.push(Tool {
                name: "job",
                title: "Background jobs",
                description:
                    "List background jobs (`list`), wait for them (`poll`) or cancel them (`cancel`).".into(),
                input_schema: Schema::new(text::JOB_INPUT),
                output_schema: Schema::new(text::JOB_OUTPUT),
                read_only: false,
            });
        }
        tools
    }

    fn instructions(&self) -> Cow<'static, str> {
        "Run shell commands with `bash`. Those that go on in the background are seen and ended with `job`."
            .into()
    }

    fn plan(&self, tool: &str, arguments: &Arguments) -> Result<Action, Answer> {
        if tool == "bash" {
            return self.run(arguments);
        }
        let ids = |name| arguments.words(name).unwrap_or_default();
        let (poll, cancel) = (ids("poll"), ids("cancel"));
        if arguments.flag("list") && !(poll.is_empty() && cancel.is_empty()) {
            let refusal = CallOutcome::invalid("`list` cannot be combined with `poll` or `cancel`.");
            return Err(text::jobs(&refusal, false, MAX_BYTES, true));
        }
        Ok(Action::Manage { poll, cancel, is_polling: is_polling(arguments), wait_ms: POLL_MS })
    }

    fn answer(&self, tool: &str, arguments: &Arguments, outcome: &CallOutcome) -> Answer {
        if tool != "bash" {
            let names_processes = self.settings.names_processes();
            return text::jobs(outcome, is_polling(arguments), self.limit(), names_processes);
        }
        self.command(arguments, outcome, None)
    }

    fn ended(&self, call: &StartingCall<'_>, job: &JobOutcome) -> JobEnd {
        JobEnd { notice: None, answer: self.command(call.arguments, &job.clone().into(), Some(&job.command)) }
    }

    fn updates_in_background(&self) -> bool {
        let may_move = self.own.get("autoBackground").is_some_and(|asked| *asked != false);
        self.settings.has_companions && (self.own.flag("async") || may_move)
    }
}

#[cfg(test)]
mod tests {
    use super::{Action, Arguments, Dialect, OhMyPi, RunAction};

    fn plan(own: &str, arguments: &str) -> Result<RunAction, String> {
        let settings = format!(r#"{{"hasCompanions":true,"own":{own}}}"#);
        let dialect = OhMyPi::new(serde_json::from_str(&settings).expect("settings"));
        match dialect.plan("bash", &Arguments::from_json(arguments)) {
            Ok(Action::Run(run)) => Ok(*run),
            Ok(other) => panic!("not a run: {other:?}"),
            Err(answer) => Err(answer.text),
        }
    }

    #[test]
    fn a_leading_cd_moves_into_the_directory_unless_there_is_one() {
        let run = plan("{}", r#"{"command":"cd 'a b' && ls"}"#).expect("a run");
        assert_eq!((run.cwd.as_deref(), run.command.as_deref()), (Some("a b"), Some("ls")));
        let run = plan("{}", r#"{"command":"cd a && ls","cwd":"b"}"#).expect("a run");
        assert_eq!((run.cwd.as_deref(), run.command.as_deref()), (Some("b"), Some("cd a && ls")));
    }

    #[test]
    fn the_time_is_clamped() {
        let time = |time: &str| {
            plan("{}", &format!(r#"{{"command":"ls","timeout":{time}}}"#)).expect("a run").timeout_ms
        };
        assert_eq!(["0", "1", "\"5\"", "1e9", "null"].map(time), [1e3, 1e3, 5e3, 3.6e6, 3e5].map(Some));
    }

    #[test]
    fn wrong_calls_have_the_words_of_the_original() {
        let refused = |arguments| plan("{}", arguments).expect_err("a refusal");
        assert_eq!(refused(r#"{"command":"ls","env":{"A-B":"1"}}"#), "Invalid bash env name: A-B");
        assert_eq!(
            refused(r#"{"command":"ls","async":true}"#),
            "Async bash execution is disabled. Enable async.enabled to use async mode."
        );
        let alone = OhMyPi::new(serde_json::from_str(r#"{"own":{"async":true}}"#).expect("settings"));
        let refusal = alone.plan("bash", &Arguments::from_json(r#"{"command":"ls","async":true}"#));
        assert_eq!(refusal.expect_err("a refusal").text, "Async job manager unavailable for this session.");
        // The environment is read first.
        let both = r#"{"command":"ls","async":true,"env":{"1":""}}"#;
        assert_eq!(refused(both), "Invalid bash env name: 1");
    }

    #[test]
    fn a_command_goes_on_as_a_job_before_its_time_is_up() {
        let yields = |own: &str, time: &str| {
            plan(own, &format!(r#"{{"command":"ls","timeout":{time}}}"#)).expect("a run").yield_ms
        };
        assert_eq!(yields(r#"{"autoBackground":true}"#, "300"), Some(60_000.0));
        assert_eq!(yields(r#"{"autoBackground":true}"#, "10"), Some(9_000.0));
        assert_eq!(yields(r#"{"autoBackground":{"thresholdMs":5}}"#, "10"), Some(5.0));
        assert_eq!(yields("{}", "10"), None);
    }
}
