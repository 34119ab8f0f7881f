//! An output stream of a command: read, captured, decoded, handed out.

use std::cell::RefCell;
use std::io;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

use crate::job::io::backpressure::Backpressure;
use crate::job::io::observer::{Observer, StreamName};
use crate::job::io::spill::SpillFile;
use crate::job::model::outcome::Captured;
use crate::job::terminal::LiveScreen;
use crate::process::errno::Errno;
use crate::process::pipe::{PipeReader, Read};
use crate::text::view::ViewBuilder;
use crate::text::{Keeping, Kept, Ring, Transcoder};

/// The size of one read, and of the longest text that is handed out (bytes).
const CHUNK: usize = 64 * 1024;

/// The most bytes that one stream reads before the other streams have their turn. It is the size of the largest pipe, so that
/// one turn empties any.
const TURN: usize = 1024 * 1024;

/// The same where a screen is kept (bytes), which bounds what waits for it.
const SCREEN_TURN: usize = 64 * 1024;

/// A turn that reads less than this costs more for waking up than for reading (bytes).
const SMALL_TURN: usize = 16 * 1024;

/// After so many small turns, each within `SMALL_TURN_INTERVAL` of the last, the next turn waits for `COALESCE_DELAY`: a
/// command that writes line by line would otherwise wake this thread, and then JavaScript's, for every line.
const SMALL_TURNS: u32 = 3;
const SMALL_TURN_INTERVAL: Duration = Duration::from_millis(3);
const COALESCE_DELAY: Duration = Duration::from_millis(1);

thread_local! {
    /// Where the I/O thread reads into: one buffer for all jobs, empty between two turns.
    static BUFFER: RefCell<Vec<u8>> = RefCell::new(Vec::with_capacity(CHUNK));
}

/// The latest text of a job, which can be read by cursor.
pub type SharedRing = Arc<Mutex<Ring<StreamName>>>;

/// The destinations of a job's output, besides the captured part.
pub struct Sinks<'a> {
    /// How the consumer slows the job down.
    pub flow: &'a Backpressure,
    /// The observer of the text.
    pub observer: &'a dyn Observer,
    /// The latest text.
    pub ring: Option<&'a SharedRing>,
    /// The file.
    pub spill: Option<&'a mut SpillFile>,
    /// The builder of a model's view.
    pub view: Option<&'a mut ViewBuilder>,
    /// The screen, of a job in a terminal.
    pub screen: Option<&'a Arc<LiveScreen>>,
}

impl std::fmt::Debug for Sinks<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Sinks").finish_non_exhaustive()
    }
}

impl Sinks<'_> {
    fn want_text(&self) -> bool {
        self.flow.is_wanted() || self.ring.is_some()
    }
}

/// The result of one turn of reading.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Turn {
    /// Whether it read anything.
    pub has_read: bool,
    /// Whether it was a full turn, and there may be more.
    pub is_full: bool,
}

/// A stream, from its first byte to its end.
#[derive(Debug)]
pub struct Output {
    name: StreamName,
    pipe: Option<PipeReader>,
    kept: Kept,
    total: u64,
    transcoder: Transcoder,
    /// Text that has not been handed out yet.
    text: String,
    pace: Pace,
    /// The error that ended reading early, if one did.
    error: Option<Errno>,
}

impl Output {
    /// A stream that is read from `reader`, if there is one, and of which so much is kept; as plain text, if it is to be.
    ///
    /// # Errors
    ///
    /// The system's error when the pipe can't be watched.
    pub fn new(
        name: StreamName,
        reader: Option<OwnedFd>,
        keeping: &Keeping,
        is_plain: bool,
    ) -> io::Result<Self> {
        Ok(Self::of_pipe(name, reader.map(PipeReader::new).transpose()?, keeping, is_plain))
    }

    /// The same, of a pipe that may be watched already or not.
    #[must_use]
    pub fn of_pipe(name: StreamName, pipe: Option<PipeReader>, keeping: &Keeping, is_plain: bool) -> Self {
        Self {
            name,
            pipe,
            kept: Kept::new(keeping),
            total: 0,
            transcoder: Transcoder::new(is_plain),
            text: String::new(),
            pace: Pace::default(),
            error: None,
        }
    }

    /// Whether the stream has ended.
    #[must_use]
    pub const fn has_ended(&self) -> bool {
        self.pipe.is_none()
    }

    /// The error that ended reading early, if one did.
    #[must_use]
    pub const fn error(&self) -> Option<Errno> {
        self.error
    }

    /// The number of its pipe, while it is open.
    #[must_use]
    pub fn inode(&self) -> Option<u64> {
        Some(self.pipe.as_ref()?.inode())
    }

    /// The descriptor of its pipe or terminal, while it is open.
    #[must_use]
    pub fn descriptor(&self) -> Option<BorrowedFd<'_>> {
        self.pipe.as_ref()?.descriptor()
    }

    /// The command was given input: what it says to that is worth to be read at once.
    pub const fn expect_answer(&mut self) {
        self.pace.small_turns = 0;
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
        Captured { kept, total: self.total }
    }

    /// Returns a copy of the part captured so far, including an unfinished line.
    #[must_use]
    pub fn captured(&self) -> Captured {
        let mut kept = self.kept.clone();
        if self.transcoder.is_plain() {
            let mut line = String::new();
            self.transcoder.peek(&mut line);
            kept.push(line.as_bytes());
        }
        Captured { kept, total: self.total }
    }

    /// Waits until there is something to read. Never returns once the stream has ended.
    pub async fn ready(&mut self) {
        let Some(pipe) = &mut self.pipe else { return std::future::pending().await };
        match self.pace.resume_at {
            Some(time) => tokio::time::sleep_until(time).await,
            // After an error there is nothing to wait for: reading will tell.
            None => pipe.ready().await.unwrap_or_default(),
        }
    }

    /// Reads what is available, one turn at most.
    #[allow(clippy::must_use_candidate, reason = "what is left is told by `ready` as well")]
    pub fn read(&mut self, sinks: &mut Sinks<'_>) -> Turn {
        BUFFER.with_borrow_mut(|buffer| self.read_with(buffer, sinks))
    }

    fn read_with(&mut self, buffer: &mut Vec<u8>, sinks: &mut Sinks<'_>) -> Turn {
        // A job that has panicked may have left text in it.
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
                    self.keep(&buffer[before..], sinks);
                    if buffer.len() >= CHUNK / 2 {
                        self.decode(buffer, sinks);
                        self.hand_out(sinks);
                    }
                }
                Read::Empty => break,
                end @ (Read::End | Read::Failed(_)) => {
                    if let Read::Failed(errno) = end {
                        self.error = Some(errno);
                    }
                    self.decode(buffer, sinks);
                    self.end();
                }
            }
        }
        self.decode(buffer, sinks);
        self.hand_out(sinks);
        self.pace.after_turn(taken);
        if self.pace.resume_at.is_some()
            && let Some(pipe) = &mut self.pipe
        {
            pipe.deregister();
        }
        Turn { has_read: taken > 0, is_full: taken >= most }
    }

    /// Stops reading, though a writer may be left. Returns the pipe if it is still open.
    pub fn abandon(&mut self, sinks: &Sinks<'_>) -> Option<PipeReader> {
        let pipe = self.pipe.take();
        if pipe.is_some() {
            self.end();
            self.hand_out(sinks);
        }
        pipe
    }

    /// Takes text that came another way, after the end of the stream.
    pub fn append(&mut self, bytes: &[u8], sinks: &mut Sinks<'_>) {
        self.keep(bytes, sinks);
        self.decode(&mut bytes.to_vec(), sinks);
        self.hand_out(sinks);
    }

    fn keep(&mut self, bytes: &[u8], sinks: &mut Sinks<'_>) {
        self.total += bytes.len() as u64;
        if let Some(spill) = &mut sinks.spill {
            spill.push(bytes);
        }
        if let Some(view) = &mut sinks.view {
            view.push(bytes, Some(u8::from(self.name == StreamName::Stderr)));
        }
        if let Some(screen) = sinks.screen {
            screen.push(bytes);
        }
        if !self.transcoder.is_plain() {
            self.kept.push(bytes);
        }
    }

    /// Decodes the buffer and empties it.
    fn decode(&mut self, buffer: &mut Vec<u8>, sinks: &Sinks<'_>) {
        if self.transcoder.is_plain() {
            let before = self.text.len();
            self.transcoder.push(buffer, &mut self.text);
            self.kept.push(&self.text.as_bytes()[before..]);
        } else if !sinks.want_text() {
            self.transcoder.skip(buffer);
        } else if self.text.is_empty() && buffer.len() >= CHUNK / 2 {
            // A large piece becomes the text itself: to copy it would take longer than to read it.
            let bytes = std::mem::replace(buffer, Vec::with_capacity(CHUNK));
            match self.transcoder.take(bytes) {
                Ok(text) => self.text = text,
                Err(bytes) => self.transcoder.push(&bytes, &mut self.text),
            }
        } else {
            self.transcoder.push(buffer, &mut self.text);
        }
        buffer.clear();
    }

    fn end(&mut self) {
        self.pipe = None;
        let before = self.text.len();
        self.transcoder.finish(&mut self.text);
        if self.transcoder.is_plain() {
            self.kept.push(&self.text.as_bytes()[before..]);
        }
    }

    fn hand_out(&mut self, sinks: &Sinks<'_>) {
        if let Some(ring) = sinks.ring {
            ring.lock().unwrap_or_else(PoisonError::into_inner).push(self.name, &self.text);
        }
        while !self.text.is_empty() && sinks.flow.can_take() {
            let text = first_chunk(&mut self.text);
            sinks.flow.sent(text.len());
            sinks.observer.output(self.name, text);
        }
        self.text = String::new();
    }
}

/// Takes the first chunk off. Text is mostly no longer than its bytes; those that are invalid become three each.
fn first_chunk(text: &mut String) -> String {
    if text.len() <= CHUNK {
        return std::mem::take(text);
    }
    let cut = (0..=CHUNK).rev().find(|&place| text.is_char_boundary(place)).unwrap_or(CHUNK);
    let rest = text.split_off(cut);
    std::mem::replace(text, rest)
}

/// When the next turn is due.
#[derive(Debug, Default)]
struct Pace {
    small_turns: u32,
    last_turn: Option<Instant>,
    resume_at: Option<Instant>,
}

impl Pace {
    fn after_turn(&mut self, taken: usize) {
        let now = Instant::now();
        let is_soon = self.last_turn.is_some_and(|last| now.duration_since(last) < SMALL_TURN_INTERVAL);
        let is_small = (1..SMALL_TURN).contains(&taken);
        self.small_turns = if is_soon && is_small { self.small_turns + 1 } else { 0 };
        self.last_turn = Some(now);
        self.resume_at = (self.small_turns >= SMALL_TURNS).then(|| now + COALESCE_DELAY);
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::sync::Mutex;

    use super::{BUFFER, Backpressure, Observer, Output, Sinks, StreamName};
    use crate::job::io::backpressure::Demand;
    use crate::job::model::outcome::Outcome;
    use crate::process::pipe::pipe;
    use crate::text::Keeping;

    #[derive(Default)]
    struct Heard(Mutex<String>);

    impl Observer for Heard {
        fn output(&self, _: StreamName, text: String) {
            self.0.lock().expect("no panic").push_str(&text);
        }

        fn ended(&self, _: Outcome) {}
    }

    #[tokio::test(flavor = "current_thread")]
    async fn what_a_job_has_left_in_the_buffer_when_it_panicked_is_nobodys() {
        let (reader, writer) = pipe().expect("a pipe");
        let keeping = Keeping::Prefix { limit: 100 };
        let mut output = Output::new(StreamName::Stdout, Some(reader), &keeping, false).expect("watched");
        std::fs::File::from(writer).write_all(b"own").expect("written");
        BUFFER.with_borrow_mut(|buffer| buffer.extend(b"another's"));
        let (flow, heard) = (Backpressure::new(Demand::Wanted), Heard::default());
        output.read(&mut Sinks {
            flow: &flow,
            observer: &heard,
            ring: None,
            spill: None,
            view: None,
            screen: None,
        });
        assert_eq!(*heard.0.lock().expect("no panic"), "own");
    }

    #[tokio::test(flavor = "current_thread")]
    async fn a_stream_that_cant_be_read_on_has_ended_with_its_error() {
        let (mut reset, peer) = std::os::unix::net::UnixStream::pair().expect("a pair");
        reset.set_nonblocking(true).expect("set");
        // The peer goes without having read it: the kernel tells this end that the connection was reset.
        reset.write_all(b"unread").expect("written");
        drop(peer);
        let keeping = Keeping::Prefix { limit: 100 };
        let mut output =
            Output::new(StreamName::Stdout, Some(reset.into()), &keeping, false).expect("watched");
        let (flow, heard) = (Backpressure::new(Demand::Wanted), Heard::default());
        output.read(&mut Sinks {
            flow: &flow,
            observer: &heard,
            ring: None,
            spill: None,
            view: None,
            screen: None,
        });
        assert!(output.has_ended());
        assert_eq!(output.error(), Some(crate::process::errno::Errno(libc::ECONNRESET)));
    }
}
