//! How a job reaches the outside: its output and its end.

use crate::job::model::outcome::Outcome;
use crate::job::ports::ListeningPort;
use crate::job::waiting::InputWait;

/// Which stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StreamName {
    /// Standard output.
    Stdout,
    /// Standard error.
    Stderr,
}

impl StreamName {
    /// As Node names it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Stdout => "stdout",
            Self::Stderr => "stderr",
        }
    }
}

/// Hears what a job says. Called on the engine's threads, or on the caller's when nothing could be queued, so it must
/// not block.
pub trait Observer: Send + Sync {
    /// Text of a stream, in order. Its bytes count as under way until [`Backpressure::consumed`](super::backpressure::Backpressure::consumed).
    fn output(&self, stream: StreamName, text: String);
    /// Something that was written to the job has been taken; see [`Input::write`](super::input::Input::write).
    fn drained(&self) {}
    /// The job goes on in the background. Called once at most, with what there is so far.
    fn moved_to_background(&self, _outcome: Outcome) {}
    /// The job has begun to wait for input.
    fn waiting(&self, _wait: InputWait) {}
    /// Whether it waits for input: the answer to a request.
    fn looked(&self, _wait: Option<InputWait>) {}
    /// The ports that the job listens on have changed; these are all of them.
    fn ports(&self, _ports: Vec<ListeningPort>) {}
    /// Something has been read that whoever has called [`JobHandle::watch`](crate::job::JobHandle::watch) waits for.
    fn changed(&self) {}
    /// The job is over. Called once, last.
    fn ended(&self, outcome: Outcome);
}
