//! One output stream of a command: read, captured, decoded, handed out.

use std::cell::RefCell;
use std::io;
use std::os::fd::OwnedFd;
use std::time::Duration;

use tokio::time::Instant;

use super::flow::Flow;
use super::handle::Observer;
use crate::process::pipe::{PipeReader, Read};
use crate::text::{Capture, Utf8Decoder};

/// The most that is read at once and the longest text that is handed out (bytes).
const CHUNK: usize = 64 * 1024;

/// How much one stream may read before the others have their turn (bytes). Also the largest pipe there can be,
/// so that one turn empties any.
const TURN: usize = 1024 * 1024;

/// A turn that brought less than this was hardly worth it (bytes).
const SMALL_TURN: usize = 16 * 1024;

/// So many small turns in a row, each so soon after the last, and the next one waits a little: a command that
/// writes line by line would otherwise wake this thread, and then JavaScript's, for every line.
const SMALL_TURNS: u32 = 3;
const SOON: Duration = Duration::from_millis(3);
const PAUSE: Duration = Duration::from_millis(1);

thread_local! {
    /// Where the I/O thread reads into: one buffer for all jobs.
    static BUFFER: RefCell<Box<[u8]>> = RefCell::new(vec![0; CHUNK].into_boxed_slice());
}

/// Which stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StreamName {
    /// Standard output.
    Stdout,
    /// Standard error.
    Stderr,
}

/// A stream, from its first byte to its end.
#[derive(Debug)]
pub struct Output {
    name: StreamName,
    pipe: Option<PipeReader>,
    capture: Capture,
    decoder: Utf8Decoder,
    text: String,
    pace: Pace,
}

impl Output {
    /// A stream that is read from `reader`, and of which at most `limit` bytes are kept.
    ///
    /// # Errors
    ///
    /// The system's error when the pipe can't be watched.
    pub fn new(name: StreamName, reader: OwnedFd, limit: usize) -> io::Result<Self> {
        Ok(Self {
            name,
            pipe: Some(PipeReader::new(reader)?),
            capture: Capture::new(limit),
            decoder: Utf8Decoder::default(),
            text: String::new(),
            pace: Pace::default(),
        })
    }

    /// Whether the stream has ended.
    #[must_use]
    pub const fn has_ended(&self) -> bool {
        self.pipe.is_none()
    }

    /// The number of its pipe, while it is open.
    #[must_use]
    pub fn inode(&self) -> Option<u64> {
        Some(self.pipe.as_ref()?.inode())
    }

    /// What was captured.
    #[must_use]
    pub fn into_capture(self) -> Capture {
        self.capture
    }

    /// Waits until it is worth to read. Never, once the stream has ended.
    pub async fn ready(&mut self) {
        let Some(pipe) = &mut self.pipe else { return std::future::pending().await };
        match self.pace.resume_at {
            Some(time) => tokio::time::sleep_until(time).await,
            // After an error there is nothing to wait for: reading will tell.
            None => pipe.ready().await.unwrap_or_default(),
        }
    }

    /// Reads what there is, at most a turn's worth. Whether it was a full turn, and there may be more.
    #[allow(clippy::must_use_candidate, reason = "what is left is told by `ready` as well")]
    pub fn read(&mut self, flow: &Flow, observer: &dyn Observer) -> bool {
        BUFFER.with_borrow_mut(|buffer| self.read_with(buffer, flow, observer))
    }

    fn read_with(&mut self, buffer: &mut [u8], flow: &Flow, observer: &dyn Observer) -> bool {
        let mut taken = 0;
        while taken < TURN
            && let Some(pipe) = &mut self.pipe
        {
            // What waits to be handed out leaves that much less room in the chunk.
            let room = CHUNK - self.text.len().min(CHUNK / 2);
            match pipe.read(&mut buffer[..room]) {
                Read::Bytes(count) => {
                    taken += count;
                    self.take(&buffer[..count], flow);
                    if self.text.len() >= CHUNK / 2 {
                        self.hand_out(flow, observer);
                    }
                }
                Read::Empty => break,
                Read::End => self.end(),
            }
        }
        self.hand_out(flow, observer);
        self.pace.after_turn(taken);
        if self.pace.resume_at.is_some()
            && let Some(pipe) = &mut self.pipe
        {
            pipe.rest();
        }
        taken >= TURN
    }

    /// Stops reading, though a writer is left.
    pub fn abandon(&mut self, flow: &Flow, observer: &dyn Observer) {
        self.end();
        self.hand_out(flow, observer);
    }

    fn take(&mut self, bytes: &[u8], flow: &Flow) {
        self.capture.push(bytes);
        if flow.is_wanted() {
            self.decoder.push(bytes, &mut self.text);
        } else {
            self.decoder.skip(bytes);
        }
    }

    fn end(&mut self) {
        self.pipe = None;
        self.decoder.finish(&mut self.text);
    }

    fn hand_out(&mut self, flow: &Flow, observer: &dyn Observer) {
        while !self.text.is_empty() && flow.can_take() {
            let text = first_chunk(&mut self.text);
            flow.sent(text.len());
            observer.output(self.name, text);
        }
        self.text.clear();
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
        let is_soon = self.last_turn.is_some_and(|last| now.duration_since(last) < SOON);
        let is_small = (1..SMALL_TURN).contains(&taken);
        self.small_turns = if is_soon && is_small { self.small_turns + 1 } else { 0 };
        self.last_turn = Some(now);
        self.resume_at = (self.small_turns >= SMALL_TURNS).then(|| now + PAUSE);
    }
}
