//! An event of a job.

use napi::bindgen_prelude::{BufferSlice, Env, Result};
use napi_derive::napi;

use super::files::FilesAnswer;
use super::live::connect::ConnectState;
use super::live::job_state::JobState;
use super::live::prompt::PromptState;
use super::live::value::ValueState;
use super::live::waiting::{InputWaitState, PortState};
use super::run_result::RunResult;
use crate::job::io::observer::StreamName;

/// An event of a job.
#[napi(object, object_from_js = false)]
#[allow(missing_debug_implementations, reason = "the bytes of JavaScript have none")]
pub struct Event {
    /// The job's id.
    pub id: u32,
    pub kind: EventKind,
    /// The pid of the process that runs.
    pub pid: Option<i32>,
    /// The answer, or text of the stream.
    pub text: Option<String>,
    /// Bytes of the stream, of a job whose output stays bytes.
    pub data: Option<BufferSlice<'static>>,
    /// The result at the end, or so far.
    pub result: Option<RunResult>,
    /// The output of the result, of a job whose output stays bytes.
    pub bytes: Option<ByteStreams>,
    /// The unfinished lines of standard output and standard error.
    pub lines: Option<Vec<String>>,
    pub wait: Option<InputWaitState>,
    /// The ports that the job listens on.
    pub ports: Option<Vec<PortState>>,
    pub state: Option<JobState>,
    /// A question about a connection, or its end.
    pub connect: Option<ConnectState>,
    /// A question for the value of a credential.
    pub value: Option<ValueState>,
    pub prompt: Option<PromptState>,
    /// The number of a prompt that needs no answer any more.
    pub over: Option<u32>,
    /// The answer to a call about files.
    pub files: Option<FilesAnswer>,
}

impl Event {
    pub(in crate::node) const fn new(id: u32, kind: EventKind) -> Self {
        Self {
            id,
            kind,
            pid: None,
            text: None,
            data: None,
            result: None,
            bytes: None,
            lines: None,
            wait: None,
            ports: None,
            state: None,
            connect: None,
            value: None,
            prompt: None,
            over: None,
            files: None,
        }
    }
}

/// The kept output of a job whose output stays bytes.
#[napi(object, object_from_js = false)]
#[allow(missing_debug_implementations, reason = "the bytes of JavaScript have none")]
pub struct ByteStreams {
    pub stdout: BufferSlice<'static>,
    pub stderr: BufferSlice<'static>,
}

impl ByteStreams {
    /// Copies the bytes of standard output and standard error to JavaScript.
    pub(in crate::node) fn of(env: Env, [stdout, stderr]: [Vec<u8>; 2]) -> Result<Self> {
        Ok(Self {
            stdout: BufferSlice::copy_from(&env, stdout)?,
            stderr: BufferSlice::copy_from(&env, stderr)?,
        })
    }
}

#[napi(string_enum = "lowercase")]
#[derive(Clone, Copy, Debug)]
pub enum EventKind {
    /// The answer of `bash()`.
    Answer,
    /// The process runs.
    Spawn,
    /// A chunk of standard output.
    Stdout,
    /// A chunk of standard error.
    Stderr,
    /// The lines that are not finished.
    Unfinished,
    /// Standard input was taken.
    Drain,
    /// The engine has read output that a caller waits for.
    Changed,
    /// The engine has read output that an observer waits for.
    Observed,
    /// The job has begun to wait for input.
    Waiting,
    /// The answer to a request whether the job waits for input.
    InputChecked,
    /// The ports that the job listens on.
    Ports,
    /// The processes of the job, and what its sandbox has refused.
    State,
    /// A connection waits for an answer of a person, or does no longer.
    Connect,
    /// A request needs the value of a credential.
    Value,
    /// A question of a program.
    Prompt,
    /// A prompt needs no answer any more.
    PromptOver,
    /// The answer to a call about files of a target.
    Files,
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
