//! The facts of a durable job, for JavaScript.

use napi_derive::napi;

use super::javascript_number;
use crate::durable::info::DurableInfo;
use crate::helper::durable::record::end::{JobEnd, LeaderExit};
use crate::helper::durable::record::facts::SandboxFacts;
use crate::process::pty::WindowSize;

/// A durable job. Times are milliseconds since 1970.
#[derive(Clone, Debug)]
#[napi(object, object_from_js = false)]
pub struct DurableResult {
    pub id: String,
    /// The command and its working directory, as they were given.
    pub command: String,
    pub cwd: String,
    pub name: Option<String>,
    pub owner: String,
    pub root: String,
    /// The version of the package that started the job.
    pub version: String,
    /// `logout` or `process`: what the job outlives.
    pub survives: &'static str,
    /// Why.
    pub reason: String,
    pub pid: u32,
    pub started_at: f64,
    /// The end of the longest run.
    pub ends_at: f64,
    /// The number of attached hosts.
    pub attached: u32,
    /// The output that the command has written (bytes).
    pub total_bytes: f64,
    /// The part of it that was not kept.
    pub dropped: f64,
    /// Whether hosts can write to the command.
    pub input: bool,
    pub pty: Option<DurableTerminal>,
    /// Whether standard error goes to standard output.
    pub merged: bool,
    /// Whether the job is another machine's, so that nothing is known of its life.
    pub elsewhere: bool,
    pub sandbox: Option<DurableSandboxResult>,
    pub end: Option<DurableEnd>,
}

/// The sandbox of a durable job.
#[derive(Clone, Debug)]
#[napi(object, object_from_js = false)]
pub struct DurableSandboxResult {
    /// The option `sandbox`, as JSON.
    pub options: String,
    pub level: String,
    pub mechanism: String,
    pub applied: Vec<String>,
    pub missing: Vec<String>,
}

/// The size of a job's terminal at its start.
#[derive(Clone, Copy, Debug)]
#[napi(object, object_from_js = false)]
pub struct DurableTerminal {
    pub columns: u32,
    pub rows: u32,
}

/// The end of a durable job.
#[derive(Clone, Debug)]
#[napi(object, object_from_js = false)]
pub struct DurableEnd {
    pub cause: &'static str,
    pub exit_code: Option<i32>,
    /// The number of the signal that ended the leader.
    pub signal: Option<i32>,
    pub at: f64,
    /// The reason of a loss: `reboot` or `killed`.
    pub reason: Option<String>,
}

impl From<&DurableInfo> for DurableResult {
    fn from(info: &DurableInfo) -> Self {
        let facts = &info.facts;
        Self {
            id: facts.id.clone(),
            command: facts.command.clone(),
            cwd: facts.cwd.clone(),
            name: facts.name.clone(),
            owner: facts.owner.clone(),
            root: facts.root.clone(),
            version: facts.version.clone(),
            survives: if facts.survives_logout { "logout" } else { "process" },
            reason: facts.reason.clone(),
            pid: info.pid,
            started_at: javascript_number(facts.started_at),
            ends_at: javascript_number(info.ends_at),
            attached: info.attached,
            total_bytes: javascript_number(info.total),
            dropped: javascript_number(info.dropped),
            input: facts.has_input,
            pty: facts.terminal.map(|WindowSize { columns, rows }| DurableTerminal {
                columns: columns.into(),
                rows: rows.into(),
            }),
            merged: facts.is_merged,
            elsewhere: info.is_elsewhere,
            sandbox: facts.sandbox.as_ref().map(DurableSandboxResult::from),
            end: info.end.as_ref().map(DurableEnd::from),
        }
    }
}

impl From<&SandboxFacts> for DurableSandboxResult {
    fn from(sandbox: &SandboxFacts) -> Self {
        let names = |parts: &str| parts.split_whitespace().map(str::to_owned).collect();
        Self {
            options: sandbox.options.clone(),
            level: sandbox.level.clone(),
            mechanism: sandbox.mechanism.clone(),
            applied: names(&sandbox.applied),
            missing: names(&sandbox.missing),
        }
    }
}

impl From<&JobEnd> for DurableEnd {
    fn from(end: &JobEnd) -> Self {
        let (exit_code, signal) = match end.exit {
            Some(LeaderExit::Code(code)) => (Some(code), None),
            Some(LeaderExit::Signal(signal)) => (None, Some(signal)),
            None => (None, None),
        };
        Self {
            cause: end.cause.name(),
            exit_code,
            signal,
            at: javascript_number(end.at),
            reason: end.reason.clone(),
        }
    }
}
