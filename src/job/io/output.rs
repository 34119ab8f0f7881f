//! An output stream of a command: read, captured, decoded, passed on.

use std::cell::RefCell;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};

use crate::job::io::backpressure::Backpressure;
use crate::job::io::conversion::Conversion;
use crate::job::io::decoding::Decoding;
use crate::job::io::observed::ObservedOutput;
use crate::job::io::observer::{Observer, StreamName};
use crate::job::io::pace::Pace;
use crate::job::io::redaction::Redaction;
use crate::job::io::spill::SpillFile;
use crate::job::model::outcome::Captured;
use crate::job::model::plan::{Form, Output};
use crate::job::terminal::LiveScreen;
use crate::process::errno::Errno;
use crate::process::pipe::{PipeReader, Read, Stream};
use crate::process::pty::WindowSize;
use crate::text::binary::START;
use crate::text::redact::Redactor;
use crate::text::view::ViewBuilder;
use crate::text::{Kept, Ring};

/// The size of one read, and of the longest chunk for the consumer (bytes).
const CHUNK: usize = 64 * 1024;

/// The most bytes that one stream reads before the other streams have their turn. It is the size of the
/// largest pipe, so that one turn empties any.
const TURN: usize = 1024 * 1024;

/// The same limit for a job with a screen (bytes). It bounds the output that waits for the emulator.
const SCREEN_TURN: usize = 64 * 1024;

thread_local! {
    /// The buffer of the I/O thread's reads: one for all jobs, empty between two turns.
    static BUFFER: RefCell<Vec<u8>> = RefCell::new(Vec::with_capacity(CHUNK));
}

/// The latest output of a job, which can be read by cursor.
pub type SharedRing = Arc<Mutex<Ring<StreamName>>>;

/// The destinations of a job's output, besides the captured part.
pub struct Sinks<'a> {
    pub flow: &'a Backpressure,
    pub observer: &'a dyn Observer,
    /// The latest output.
    pub ring: Option<&'a SharedRing>,
    pub spill: Option<&'a mut SpillFile>,
    pub view: Option<&'a mut ViewBuilder>,
    /// The latest output for observers.
    pub observed: Option<&'a ObservedOutput>,
    /// The screen, of a job in a terminal.
    pub screen: Option<&'a Arc<LiveScreen>>,
}

impl std::fmt::Debug for Sinks<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Sinks").finish_non_exhaustive()
    }
}

impl Sinks<'_> {
    fn want_chunks(&self) -> bool {
        self.flow.is_wanted() || self.ring.is_some()
    }
}

/// The result of one turn of reading.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Turn {
    pub has_read: bool,
    /// Whether the turn was full: the pipe may hold more.
    pub is_full: bool,
}

/// A stream, from its first byte to its end.
#[derive(Debug)]
pub struct OutputStream {
    name: StreamName,
    pipe: Option<PipeReader>,
    kept: Kept,
    total: u64,
    /// The first bytes, which tell the kind of binary output.
    start: Vec<u8>,
    conversion: Conversion,
    decoding: Option<Box<Decoding>>,
    redaction: Option<Box<Redaction>>,
    form: Form,
    pace: Pace,
    /// The error that ended reading early, if one did.
    error: Option<Errno>,
}

impl OutputStream {
    /// Creates a stream that is read from `reader`; one without a reader is empty.
    ///
    /// # Errors
    ///
    /// The system's error when the pipe can't be watched.
    pub fn new(name: StreamName, reader: Option<Stream>, plan: &Output) -> io::Result<Self> {
        Ok(Self::of_pipe(name, reader.map(PipeReader::new).transpose()?, plan))
    }

    /// Creates a stream like [`Self::new`], from a pipe that may already be registered with the runtime.
    #[must_use]
    pub fn of_pipe(name: StreamName, pipe: Option<PipeReader>, plan: &Output) -> Self {
        Self {
            name,
            pipe,
            kept: Kept::new(&plan.keeping),
            total: 0,
            start: Vec::new(),
            conversion: Conversion::new(plan.form),
            form: plan.form,
            decoding: plan.code_page.as_ref().map(|page| Box::new(Decoding::new(page))),
            redaction: plan.redactor.as_ref().map(|redactor| Box::new(Redaction::new(redactor, plan.form))),
            pace: Pace::default(),
            error: None,
        }
    }

    /// Returns whether the stream has ended.
    #[must_use]
    pub const fn has_ended(&self) -> bool {
        self.pipe.is_none()
    }

    /// Returns whether no process has opened the named pipe of the stream.
    #[must_use]
    pub fn is_untouched(&self) -> bool {
        self.pipe.as_ref().is_some_and(PipeReader::is_untouched)
    }

    /// Returns the error that ended reading early, if one did.
    #[must_use]
    pub const fn error(&self) -> Option<Errno> {
        self.error
    }

    /// Returns the inode of the stream's pipe, while it is open.
    #[must_use]
    pub fn inode(&self) -> Option<u64> {
        Some(self.pipe.as_ref()?.inode())
    }

    /// Changes the size of the terminal that is read, while it is open.
    pub fn resize(&self, size: WindowSize) {
        if let Some(pipe) = &self.pipe {
            pipe.resize(size);
        }
    }

    /// Lets the next turn read without the delay for small turns: the command was given input, and its reply
    /// should arrive at once.
    pub const fn expect_answer(&mut self) {
        self.pace.expect_answer();
    }

    /// Replaces further values in what is read from now on.
    pub(crate) fn redact(&mut self, redactor: &Arc<Redactor>) {
        match &mut self.redaction {
            Some(redaction) => redaction.add(redactor),
            None => self.redaction = Some(Box::new(Redaction::new(redactor, self.form))),
        }
    }

    /// Returns the kept part so far, without bytes that are still being decoded.
    #[must_use]
    pub const fn kept(&self) -> &Kept {
        &self.kept
    }

    /// Takes the captured part out.
    #[must_use]
    pub fn take_captured(&mut self) -> Captured {
        let kept = std::mem::replace(&mut self.kept, Captured::nothing().kept);
        Captured { kept, total: self.total, start: std::mem::take(&mut self.start) }
    }

    /// Returns a copy of the part captured so far, including an unfinished line.
    #[must_use]
    pub fn captured(&self) -> Captured {
        let mut kept = self.kept.clone();
        if self.conversion.is_plain() {
            kept.push(self.conversion.unfinished().as_bytes());
        }
        Captured { kept, total: self.total, start: self.start.clone() }
    }

    /// Returns the line that is not finished, which goes to the consumer when it is.
    #[must_use]
    pub fn unfinished_line(&self) -> String {
        self.conversion.unfinished_line()
    }

    /// Waits until there is something to read. Never returns once the stream has ended.
    pub async fn ready(&mut self) {
        let Some(pipe) = &mut self.pipe else { return std::future::pending().await };
        if let Some(time) = self.pace.resume_at() {
            return tokio::time::sleep_until(time).await;
        }
        // A pipe with an error has nothing to wait for: the read reports the error.
        let ready = async { pipe.ready().await.unwrap_or_default() };
        match self.redaction.as_ref().and_then(|redaction| redaction.show_at()) {
            Some(time) => tokio::time::timeout_at(time, ready).await.unwrap_or_default(),
            None => ready.await,
        }
    }

    /// Reads the available output, one turn at most.
    #[allow(clippy::must_use_candidate, reason = "`ready` reports what is left too")]
    pub fn read(&mut self, sinks: &mut Sinks<'_>) -> Turn {
        BUFFER.with_borrow_mut(|buffer| self.read_with(buffer, sinks))
    }

    fn read_with(&mut self, buffer: &mut Vec<u8>, sinks: &mut Sinks<'_>) -> Turn {
        // A job that panicked may have left bytes in the buffer.
        buffer.clear();
        let mut taken = 0;
        let most = if sinks.screen.is_some() { SCREEN_TURN } else { TURN };
        while taken < most
            && let Some(pipe) = &mut self.pipe
        {
            let before = buffer.len();
            match pipe.read(buffer) {
                Read::Bytes(count) => {
                    taken += count;
                    self.total += count as u64;
                    if let Some(decoding) = &mut self.decoding {
                        decoding.take(buffer, before);
                    }
                    if let Some(redaction) = &mut self.redaction {
                        redaction.take(buffer, before, sinks.screen.is_some());
                    }
                    self.keep(&buffer[before..], sinks);
                    if buffer.len() >= CHUNK / 2 {
                        self.convert(buffer, sinks);
                        self.deliver_chunks(sinks);
                    }
                }
                Read::Empty => break,
                end @ (Read::End | Read::Failed(_)) => {
                    if let Read::Failed(errno) = end {
                        self.error = Some(errno);
                    }
                    self.append_held_back(buffer, sinks);
                    self.convert(buffer, sinks);
                    self.end();
                }
            }
        }
        let has_shown = self.show_held_back(buffer, sinks);
        self.convert(buffer, sinks);
        self.deliver_chunks(sinks);
        self.pace.after_turn(taken);
        if self.pace.resume_at().is_some()
            && let Some(pipe) = &mut self.pipe
        {
            pipe.deregister();
        }
        Turn { has_read: taken > 0 || has_shown, is_full: taken >= most }
    }

    /// Stops reading, although another process may still write. Returns the pipe if it is still open.
    pub fn abandon(&mut self, sinks: &mut Sinks<'_>) -> Option<PipeReader> {
        let pipe = self.pipe.take();
        if pipe.is_some() {
            self.finish(sinks);
        }
        pipe
    }

    /// Appends bytes that did not come through the pipe. [`Self::finish`] ends them.
    pub fn append(&mut self, bytes: &[u8], sinks: &mut Sinks<'_>) {
        let mut bytes = bytes.to_vec();
        self.total += bytes.len() as u64;
        if let Some(decoding) = &mut self.decoding {
            decoding.take(&mut bytes, 0);
        }
        if let Some(redaction) = &mut self.redaction {
            redaction.take(&mut bytes, 0, false);
        }
        self.keep(&bytes, sinks);
        self.convert(&mut bytes, sinks);
        self.deliver_chunks(sinks);
    }

    /// Ends a stream without a pipe: hands out what was held back for more bytes.
    pub fn finish(&mut self, sinks: &mut Sinks<'_>) {
        let mut rest = Vec::new();
        self.append_held_back(&mut rest, sinks);
        self.convert(&mut rest, sinks);
        self.end();
        self.deliver_chunks(sinks);
    }

    /// Appends to the buffer what the decoding and the redaction have held back.
    fn append_held_back(&mut self, buffer: &mut Vec<u8>, sinks: &mut Sinks<'_>) {
        let before = buffer.len();
        if let Some(decoding) = &mut self.decoding {
            decoding.finish(buffer);
        }
        if let Some(redaction) = &mut self.redaction {
            redaction.take(buffer, before, false);
            redaction.finish(buffer);
        }
        self.keep(&buffer[before..], sinks);
    }

    /// Appends to the buffer what a terminal shows of a value that may have begun. Returns whether it shows
    /// more.
    fn show_held_back(&mut self, buffer: &mut Vec<u8>, sinks: &mut Sinks<'_>) -> bool {
        let Some(redaction) = &mut self.redaction else { return false };
        let before = buffer.len();
        redaction.show(buffer);
        self.keep(&buffer[before..], sinks);
        buffer.len() > before
    }

    fn keep(&mut self, bytes: &[u8], sinks: &mut Sinks<'_>) {
        if bytes.is_empty() {
            return;
        }
        if self.start.len() < START {
            let more = bytes.len().min(START - self.start.len());
            self.start.extend_from_slice(&bytes[..more]);
        }
        if let Some(spill) = &mut sinks.spill {
            spill.push(bytes);
        }
        if let Some(view) = &mut sinks.view {
            view.push(bytes, Some(u8::from(self.name == StreamName::Stderr)));
        }
        if let Some(screen) = sinks.screen {
            screen.push(bytes);
        }
        if let Some(observed) = sinks.observed {
            observed.push(self.name, bytes);
        }
        if !self.conversion.is_plain() {
            self.kept.push(bytes);
        }
    }

    /// Converts the buffer for the consumer, and empties it.
    fn convert(&mut self, buffer: &mut Vec<u8>, sinks: &Sinks<'_>) {
        if self.conversion.is_plain() || sinks.want_chunks() {
            let before = self.conversion.pending().len();
            self.conversion.push(buffer, CHUNK / 2);
            self.keep_plain(before);
        } else {
            self.conversion.skip(buffer);
            buffer.clear();
        }
    }

    fn end(&mut self) {
        self.pipe = None;
        let before = self.conversion.pending().len();
        self.conversion.finish();
        self.keep_plain(before);
    }

    /// Keeps the plain text that has become pending since its length was `before`.
    fn keep_plain(&mut self, before: usize) {
        if self.conversion.is_plain() {
            self.kept.push(&self.conversion.pending()[before..]);
        }
    }

    fn deliver_chunks(&mut self, sinks: &Sinks<'_>) {
        if let Some(ring) = sinks.ring {
            let mut ring = ring.lock().unwrap_or_else(PoisonError::into_inner);
            self.conversion.push_to(&mut ring, self.name);
        }
        while !self.conversion.pending().is_empty() && sinks.flow.can_take() {
            let chunk = self.conversion.next_chunk(CHUNK);
            sinks.flow.sent(chunk.len());
            sinks.observer.output(self.name, chunk);
        }
        self.conversion.drop_pending();
    }
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::io::Write;
    use std::sync::Mutex;

    use super::{BUFFER, Backpressure, Observer, Output, OutputStream, Sinks, StreamName};
    use crate::job::io::backpressure::Demand;
    use crate::job::model::outcome::Outcome;
    use crate::process::pipe::pipe;
    use crate::text::{Chunk, Keeping};

    #[derive(Default)]
    struct Heard(Mutex<String>);

    impl Observer for Heard {
        fn output(&self, _: StreamName, chunk: Chunk) {
            self.0.lock().expect("no panic").push_str(&chunk.into_text());
        }

        fn ended(&self, _: Outcome) {}
    }

    #[tokio::test(flavor = "current_thread")]
    async fn no_job_gets_the_bytes_that_a_panicked_job_left_in_the_buffer() {
        let (reader, writer) = pipe().expect("a pipe");
        let plan = Output::keeping(Keeping::Prefix { limit: 100 });
        let mut output = OutputStream::new(StreamName::Stdout, Some(reader), &plan).expect("watched");
        std::fs::File::from(writer).write_all(b"own").expect("written");
        BUFFER.with_borrow_mut(|buffer| buffer.extend(b"another's"));
        let (flow, heard) = (Backpressure::new(Demand::Wanted), Heard::default());
        output.read(&mut Sinks {
            flow: &flow,
            observer: &heard,
            ring: None,
            spill: None,
            view: None,
            observed: None,
            screen: None,
        });
        assert_eq!(*heard.0.lock().expect("no panic"), "own");
    }

    #[tokio::test(flavor = "current_thread")]
    async fn a_stream_that_cant_be_read_on_has_ended_with_its_error() {
        let (mut reset, peer) = std::os::unix::net::UnixStream::pair().expect("a pair");
        reset.set_nonblocking(true).expect("set");
        // The peer closes without reading this, so the kernel reports a reset connection to this end.
        reset.write_all(b"unread").expect("written");
        drop(peer);
        let plan = Output::keeping(Keeping::Prefix { limit: 100 });
        let mut output = OutputStream::new(StreamName::Stdout, Some(reset.into()), &plan).expect("watched");
        let (flow, heard) = (Backpressure::new(Demand::Wanted), Heard::default());
        output.read(&mut Sinks {
            flow: &flow,
            observer: &heard,
            ring: None,
            spill: None,
            view: None,
            observed: None,
            screen: None,
        });
        assert!(output.has_ended());
        assert_eq!(output.error(), Some(crate::process::errno::Errno(libc::ECONNRESET)));
    }
}
