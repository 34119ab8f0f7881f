//! `bash`: the dialect of this package, and its companions for jobs that outlive a call.
//!
//! * `schemas` has the descriptions and schemas for models.
//! * `text` writes the answers, `output` those of `bash_output`.

mod output;
mod schemas;
pub(super) mod text;

use crate::tools::prelude::*;
use serde_json::json;

/// The default timeout of a command (ms).
const TIMEOUT_MS: f64 = 120_000.0;
/// The default of the most output that the model reads (bytes).
const MAX_BYTES: u64 = 30_000;
/// The longest wait of a companion's call (ms): clients give up after 60 s.
const MAX_WAIT_MS: f64 = 45_000.0;
/// The largest line number: JavaScript's `Number.MAX_SAFE_INTEGER`.
const MAX_LINE: f64 = 9_007_199_254_740_991.0;
/// The time that `bash_write` waits for the program's reply (ms).
const WRITE_WAIT_MS: f64 = 250.0;

/// The facts about the dialect.
pub const PROFILE: DialectProfile = DialectProfile {
    compat: None,
    tells_session: true,
    reports_pipe_status: true,
    asks_for_more: true,
    ..DialectProfile::new("bash", |settings| Box::new(Bash { settings }))
};

/// The dialect.
#[derive(Debug)]
pub struct Bash {
    settings: ToolsetSettings,
}

impl Bash {
    fn run(&self, arguments: &Arguments, command: &str) -> Result<Action, Answer> {
        let output = self.settings.output(OutputOptions {
            max_bytes: MAX_BYTES,
            by_line: true,
            merge: true,
            strip_ansi: true,
            view: true,
            ..OutputOptions::default()
        });
        let timeout_ms = self.timeout(arguments);
        let is_job = self.settings.has_companions && arguments.flag("background");
        let input = arguments.text("stdin").map(str::to_owned);
        Ok(RunAction {
            asks: self.request(arguments)?,
            cwd: arguments.usable_text("cwd").map(str::to_owned),
            timeout_ms: if is_job && arguments.positive("timeout_ms").is_none() { None } else { timeout_ms },
            yield_ms: if is_job { Some(0.0) } else { self.yield_ms(timeout_ms) },
            is_open: is_job && input.is_none(),
            is_job,
            input,
            label: arguments.usable_text("description").map(str::to_owned),
            ..RunAction::of_shell(command, &["bash", "-c"], output)
        }
        .into())
    }

    /// Returns what a call asks for beyond its sandbox.
    fn request(&self, arguments: &Arguments) -> Result<Option<EscalationRequest>, Answer> {
        let list = |name: &str| match arguments.get(name) {
            None => Ok(Vec::new()),
            Some(_) => {
                arguments.words(name).ok_or_else(|| refusal(&format!("'{name}': expected a list of texts")))
            }
        };
        let (hosts, writable) = (list("allow_hosts")?, list("allow_writes")?);
        let more = ExtraRights {
            unsandboxed: arguments.flag("unsandboxed"),
            network: (!hosts.is_empty()).then_some(Network::Allow { allow: hosts }),
            writable,
            ..ExtraRights::default()
        };
        if more.is_nothing() || !self.settings.has_sandbox() {
            return Ok(None);
        }
        if self.settings.is_confined() {
            return Err(refusal("every command runs in the sandbox, and nobody can be asked for more"));
        }
        let reason = arguments
            .usable_text("reason")
            .ok_or_else(|| refusal("'reason' is missing: expected why the command needs more"))?;
        Ok(Some(EscalationRequest { more, reason: Some(reason.to_owned()) }))
    }

    /// Returns the part of earlier output that the call asks for.
    fn part(&self, arguments: &Arguments) -> Result<PartAction, Answer> {
        let own = |name: &str| arguments.usable_text(name).map(str::to_owned);
        let (id, path) = (own("job"), own("path"));
        if id.is_some() == path.is_some() {
            return Err(output::refusal(
                "expected either 'job' or 'path', as an earlier answer has named it",
            ));
        }
        let [from, to] = ["from", "to"].map(|name| arguments.number(name).map(line_number));
        if to.is_some_and(|to| to < from.unwrap_or(1)) {
            return Err(output::refusal("'to' is the last line and must not be less than 'from'"));
        }
        let find = arguments.text("find").filter(|text| !text.is_empty()).map(str::to_owned);
        Ok(PartAction { id, path, from, to, find, max_bytes: self.max_bytes() })
    }

    fn max_bytes(&self) -> u64 {
        self.settings.max_bytes.unwrap_or(MAX_BYTES)
    }

    fn timeout(&self, arguments: &Arguments) -> Option<f64> {
        self.settings.timeout(arguments.number("timeout_ms"), Some(TIMEOUT_MS), None)
    }

    fn yield_ms(&self, timeout_ms: Option<f64>) -> Option<f64> {
        let at_timeout = timeout_ms.filter(|_| self.settings.moves_at_timeout == Some(true));
        [self.settings.yield_ms, at_timeout].into_iter().flatten().reduce(f64::min)
    }
}

impl Dialect for Bash {
    fn tools(&self) -> Vec<Tool> {
        let timeout = self.settings.timeout(None, Some(TIMEOUT_MS), None);
        let mut tools = vec![schemas::bash(&self.settings, timeout)];
        if self.settings.has_companions {
            tools.extend(schemas::companions());
        }
        tools
    }

    fn instructions(&self) -> Cow<'static, str> {
        schemas::instructions(self.settings.has_companions, self.settings.session()).into()
    }

    fn plan(&self, tool: &str, arguments: &Arguments) -> Result<Action, Answer> {
        if tool == "bash" {
            let command = arguments
                .usable_text("command")
                .ok_or_else(|| refusal("'command' is missing: expected a shell command"))?;
            return self.run(arguments, command);
        }
        if tool == "bash_list" {
            return Ok(Action::List);
        }
        if tool == "bash_output" {
            return self.part(arguments).map(Action::Output);
        }
        let id = arguments
            .usable_text("job")
            .ok_or_else(|| refusal("'job' is missing: expected the id of a job, such as job-1"))?
            .to_owned();
        let wait_ms = arguments.number("wait_ms").map(|wait| wait.clamp(0.0, MAX_WAIT_MS));
        Ok(match tool {
            "bash_read" => Action::Read(ReadAction {
                id,
                since: arguments.number("since"),
                wait_ms: wait_ms.unwrap_or(0.0),
                ..ReadAction::default()
            }),
            "bash_write" => Action::Write(WriteAction {
                id,
                text: arguments.text("text").map(str::to_owned),
                end: arguments.flag("end"),
                signal: arguments.usable_text("signal").map(str::to_owned),
                wait_ms: wait_ms.unwrap_or(WRITE_WAIT_MS),
                ..WriteAction::default()
            }),
            _ => Action::Kill { id },
        })
    }

    fn answer(&self, tool: &str, arguments: &Arguments, outcome: &CallOutcome) -> Answer {
        match tool {
            "bash" => text::command(&outcome.run(), self.timeout(arguments)),
            "bash_list" => text::list(outcome.jobs()),
            "bash_kill" => text::killed(arguments, outcome),
            "bash_output" => output::answer(arguments, outcome),
            _ => {
                // A view has its own budget.
                let most = if self.settings.has_view(true) { u64::MAX } else { self.max_bytes() };
                text::read(arguments, outcome, most)
            }
        }
    }
}

fn refusal(message: &str) -> Answer {
    let data = json!({ "status": "failed", "exit_code": null, "error": message });
    Answer::new(format!("Error: {message}"), true, &data)
}

/// Lines are counted from 1.
#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a cast saturates, and no file has more lines"
)]
fn line_number(number: f64) -> u64 {
    number.clamp(1.0, MAX_LINE) as u64
}

/// Creates the schema of an object from its properties and the names of the required ones.
pub(super) fn object(properties: &str, required: &str) -> Schema {
    Schema::new(&format!(
        r#"{{"type":"object","properties":{{{properties}}},"required":[{required}],"additionalProperties":false}}"#
    ))
}
