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
    style: MaskStyle,
    /// The values of the plan, and then each value that became known while the command ran. A stream gets
    /// what the one before has passed on.
    stages: Vec<RedactedStream>,
    /// The redacted bytes of a read and of a stage, empty between two.
    out: Vec<u8>,
    show_at: Option<Instant>,
}

impl Redaction {
    pub(super) fn new(redactor: &Arc<Redactor>, form: Form) -> Self {
        let style = match form {
            Form::Bytes => MaskStyle::Asterisks,
            Form::Text | Form::Plain => MaskStyle::Named,
        };
        let mut redaction = Self { style, stages: Vec::new(), out: Vec::new(), show_at: None };
        redaction.add(redactor);
        redaction
    }

    /// Replaces further values from now on.
    pub(super) fn add(&mut self, redactor: &Arc<Redactor>) {
        self.stages.push(RedactedStream::new(Arc::clone(redactor), self.style));
    }

    /// Replaces the bytes of a buffer from `start` on by what is decided of the stream.
    pub(super) fn take(&mut self, buffer: &mut Vec<u8>, start: usize, is_terminal: bool) {
        let Self { stages, out, .. } = self;
        for stage in stages.iter_mut() {
            pass(stage, buffer, start, out);
        }
        let may_show = self.stages.iter().any(RedactedStream::may_show);
        self.show_at = (is_terminal && may_show).then(|| Instant::now() + SHOW_DELAY);
    }

    /// Returns when a terminal shows more without further output.
    pub(super) const fn show_at(&self) -> Option<Instant> {
        self.show_at
    }

    /// Appends what a terminal shows now.
    pub(super) fn show(&mut self, buffer: &mut Vec<u8>) {
        if self.show_at.is_some_and(|time| time <= Instant::now()) {
            self.show_at = None;
            self.let_out(buffer, RedactedStream::show);
        }
    }

    /// Appends what was held back.
    pub(super) fn finish(&mut self, buffer: &mut Vec<u8>) {
        self.show_at = None;
        self.let_out(buffer, RedactedStream::finish);
    }

    /// Lets each stage append what it holds back, which the later stages get.
    fn let_out(&mut self, buffer: &mut Vec<u8>, append: impl Fn(&mut RedactedStream, &mut Vec<u8>)) {
        let Self { stages, out, .. } = self;
        let start = buffer.len();
        for stage in stages.iter_mut() {
            pass(stage, buffer, start, out);
            append(stage, buffer);
        }
    }
}

/// Replaces the bytes of a buffer from `start` on by what a stage passes on of them. `out` is empty before
/// and after.
fn pass(stage: &mut RedactedStream, buffer: &mut Vec<u8>, start: usize, out: &mut Vec<u8>) {
    stage.push(&buffer[start..], out);
    buffer.truncate(start);
    buffer.append(out);
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::{Form, Redaction, Redactor};

    fn redactor(name: &str, value: &str) -> Arc<Redactor> {
        let values = [(name.to_owned(), value.to_owned())];
        Arc::new(Redactor::new(&values, &[], false).expect("no rules"))
    }

    #[test]
    fn a_value_that_becomes_known_is_replaced_from_then_on_beside_the_others() {
        let mut redaction = Redaction::new(&redactor("KEY", "k7-Q9xtZ4-mW"), Form::Text);
        let mut shown = Vec::new();
        let mut write = |redaction: &mut Redaction, text: &str| {
            let start = shown.len();
            shown.extend_from_slice(text.as_bytes());
            redaction.take(&mut shown, start, false);
        };
        write(&mut redaction, "hunter2-long\n");
        redaction.add(&redactor("answer", "hunter2-long"));
        for part in ["is hun", "ter2-l", "ong and k7-Q", "9xtZ4-mW\nhunter2-lo"] {
            write(&mut redaction, part);
        }
        redaction.finish(&mut shown);
        let expected = "hunter2-long\nis [redacted:answer] and [redacted:KEY]\n[redacted:answer]";
        assert_eq!(String::from_utf8_lossy(&shown), expected);
    }

    #[test]
    fn what_a_stage_shows_of_a_terminal_goes_through_the_later_ones() {
        let mut redaction = Redaction::new(&redactor("KEY", "hunter2-long-key"), Form::Text);
        redaction.add(&redactor("answer", "hunter2"));
        let mut shown = b"hunter2".to_vec();
        redaction.take(&mut shown, 0, true);
        redaction.finish(&mut shown);
        assert_eq!(String::from_utf8_lossy(&shown), "[redacted:answer]");
    }
}
