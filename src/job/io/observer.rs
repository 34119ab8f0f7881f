//! The trait by which a job reports its output, its waits and its end.

use crate::job::model::outcome::Outcome;
use crate::job::ports::ListeningPort;
use crate::job::prompts::Prompt;
use crate::job::state::CommandState;
use crate::job::waiting::InputWait;
use crate::sandbox::network::ask::ConnectEvent;
use crate::text::Chunk;

/// The name of an output stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StreamName {
    Stdout,
    Stderr,
}

impl StreamName {
    /// Returns the name that Node uses.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Stdout => "stdout",
            Self::Stderr => "stderr",
        }
    }
}

/// Receives the events of a job. The engine calls it on its own threads, or on the caller's thread when
/// nothing could be queued, so no method may block.
pub trait Observer: Send + Sync {
    /// Receives a chunk of a stream, in order. Its bytes count as under way until
    /// [`Backpressure::consumed`](super::backpressure::Backpressure::consumed).
    fn output(&self, stream: StreamName, chunk: Chunk);
    /// Receives the pid after each [`JobRequest::ReportSpawn`](crate::job::JobRequest::ReportSpawn), as soon
    /// as the process runs.
    fn spawned(&self, _pid: i32) {}
    /// Called when bytes that were written to the job have been taken; see
    /// [`JobInput::write`](super::input::JobInput::write).
    fn drained(&self) {}
    /// Receives the outcome so far of a job that moves to the background. Called once at most.
    fn moved_to_background(&self, _outcome: Outcome) {}
    /// Called when the job has begun to wait for input.
    fn waiting(&self, _wait: InputWait) {}
    /// Receives the answer to a request whether the job waits for input.
    fn input_checked(&self, _wait: Option<InputWait>) {}
    /// Receives all ports that the job listens on, whenever they change.
    fn ports(&self, _ports: Vec<ListeningPort>) {}
    /// Receives the state of the job, once after each
    /// [`JobRequest::ReportState`](crate::job::JobRequest::ReportState).
    fn state(&self, _state: CommandState) {}
    /// Receives the unfinished lines of both streams, once after each
    /// [`JobRequest::ReportUnfinished`](crate::job::JobRequest::ReportUnfinished).
    fn unfinished(&self, _lines: [String; 2]) {}
    /// Called once after [`JobHandle::watch`](crate::job::JobHandle::watch), when the next output has been
    /// read.
    fn changed(&self) {}
    /// Called once after [`ObservedOutput::watch`](super::observed::ObservedOutput::watch), when the next
    /// output has been read.
    fn observed(&self) {}
    /// Receives what happens to the questions about hosts that the sandbox does not list.
    fn connecting(&self, _event: ConnectEvent) {}
    /// Receives a question of a program. [`JobRequest::AnswerPrompt`](crate::job::JobRequest::AnswerPrompt)
    /// answers it.
    fn prompted(&self, _prompt: Prompt) {}
    /// Receives the number of a prompt that needs no answer any more. Those that are open when the job is
    /// over are not reported.
    fn prompt_over(&self, _number: u32) {}
    /// Receives the outcome of a job that is over. Called once, last.
    fn ended(&self, outcome: Outcome);
}
