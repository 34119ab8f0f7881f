//! An event of a job.

use napi_derive::napi;

use super::run_result::RunResult;
use super::waiting::{InputWaitState, PortState};
use crate::job::io::observer::StreamName;

/// An event of a job.
#[derive(Debug)]
#[napi(object, object_from_js = false)]
pub struct Event {
    /// The job's id.
    pub id: u32,
    /// The kind of the event.
    pub kind: EventKind,
    /// The pid of the process that runs.
    pub pid: Option<i32>,
    /// The answer, or text of the stream.
    pub text: Option<String>,
    /// The result at the end, or so far.
    pub result: Option<RunResult>,
    /// The wait for input.
    pub wait: Option<InputWaitState>,
    /// The ports that the job listens on.
    pub ports: Option<Vec<PortState>>,
}

impl Event {
    /// Returns an event that has only a kind.
    pub(in crate::node) const fn new(id: u32, kind: EventKind) -> Self {
        Self { id, kind, pid: None, text: None, result: None, wait: None, ports: None }
    }
}

/// The kind of an event.
#[napi(string_enum = "lowercase")]
#[derive(Clone, Copy, Debug)]
pub enum EventKind {
    /// The answer of `bash()`.
    Answer,
    /// The process runs.
    Spawn,
    /// Text of standard output.
    Stdout,
    /// Text of standard error.
    Stderr,
    /// Standard input was taken.
    Drain,
    /// The engine has read output that a caller waits for.
    Changed,
    /// The job has begun to wait for input.
    Waiting,
    /// The answer to a request whether the job waits for input.
    InputChecked,
    /// The ports that the job listens on.
    Ports,
    /// The job goes on in the background.
    Background,
    /// The job is over.
    End,
}

impl From<StreamName> for EventKind {
    fn from(stream: StreamName) -> Self {
        match stream {
            StreamName::Stdout => Self::Stdout,
            StreamName::Stderr => Self::Stderr,
        }
    }
}
