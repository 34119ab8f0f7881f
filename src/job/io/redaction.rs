//! The redaction of one output stream, before everything that keeps it or passes it on.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use crate::job::model::plan::Form;
use crate::text::redact::{MaskStyle, RedactedStream, Redactor};

/// The delay before a terminal shows the first bytes of what may be a value. A program writes a value at
/// once, and a person who types notices 50 ms.
const SHOW_DELAY: Duration = Duration::from_millis(20);

/// A stream that is redacted.
#[derive(Debug)]
pub(super) struct Redaction {
    stream: RedactedStream,
    /// The redacted bytes of a read, empty between two.
    out: Vec<u8>,
    show_at: Option<Instant>,
}

impl Redaction {
    pub(super) fn new(redactor: &Arc<Redactor>, form: Form) -> Self {
        let style = match form {
            Form::Bytes => MaskStyle::Asterisks,
            Form::Text | Form::Plain => MaskStyle::Named,
        };
        Self { stream: RedactedStream::new(Arc::clone(redactor), style), out: Vec::new(), show_at: None }
    }

    /// Replaces the bytes of a buffer from `start` on by what is decided of the stream.
    pub(super) fn take(&mut self, buffer: &mut Vec<u8>, start: usize, is_terminal: bool) {
        self.stream.push(&buffer[start..], &mut self.out);
        buffer.truncate(start);
        buffer.append(&mut self.out);
        self.show_at = (is_terminal && self.stream.may_show()).then(|| Instant::now() + SHOW_DELAY);
    }

    /// Returns when a terminal shows more without further output.
    pub(super) const fn show_at(&self) -> Option<Instant> {
        self.show_at
    }

    /// Appends what a terminal shows now.
    pub(super) fn show(&mut self, buffer: &mut Vec<u8>) {
        if self.show_at.is_some_and(|time| time <= Instant::now()) {
            self.show_at = None;
            self.stream.show(buffer);
        }
    }

    /// Appends what was held back.
    pub(super) fn finish(&mut self, buffer: &mut Vec<u8>) {
        self.show_at = None;
        self.stream.finish(buffer);
    }
}
