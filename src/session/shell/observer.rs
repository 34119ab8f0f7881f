//! Handles the output and the end of a shell's own job.

use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::mpsc::UnboundedSender;

use crate::job::Outcome;
use crate::job::io::backpressure::Backpressure;
use crate::job::io::observer::{Observer, StreamName};
use crate::job::prompts::Prompt;
use crate::sandbox::network::ask::ConnectEvent;
use crate::session::handle::{OwnOutput, SessionMessage};
use crate::text::Chunk;

/// The most output on each of a shell's own streams that is kept (bytes).
const OWN_OUTPUT: usize = 64 * 1024;

/// Receives the events of the shell's job.
pub(super) struct ShellObserver {
    pub(super) number: u64,
    pub(super) messages: UnboundedSender<SessionMessage>,
    pub(super) flow: Arc<Backpressure>,
    pub(super) own: Arc<Mutex<OwnOutput>>,
}

impl ShellObserver {
    fn report_end(&self, outcome: Outcome) {
        // The send fails if the session is over, which needs no report.
        let _ = self.messages.send(SessionMessage::ShellEnded(self.number, Box::new(outcome)));
    }
}

impl Observer for ShellObserver {
    fn output(&self, stream: StreamName, chunk: Chunk) {
        self.flow.consumed(chunk.len());
        let text = chunk.into_text();
        let mut own = self.own.lock().unwrap_or_else(PoisonError::into_inner);
        let kept = match stream {
            StreamName::Stdout => &mut own.stdout,
            StreamName::Stderr => &mut own.stderr,
        };
        if kept.len() + text.len() <= OWN_OUTPUT {
            kept.push_str(&text);
        }
    }

    fn connecting(&self, event: ConnectEvent) {
        let _ = self.messages.send(SessionMessage::Connecting(self.number, event));
    }

    fn prompted(&self, prompt: Prompt) {
        let _ = self.messages.send(SessionMessage::Prompted(self.number, prompt));
    }

    fn prompt_over(&self, number: u32) {
        let _ = self.messages.send(SessionMessage::PromptOver(self.number, number));
    }

    fn moved_to_background(&self, outcome: Outcome) {
        self.report_end(outcome);
    }

    fn ended(&self, outcome: Outcome) {
        self.report_end(outcome);
    }
}
