//! Standard input: queues what callers write, and feeds it to the pipe.

use std::collections::VecDeque;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

use crate::job::io::observer::Observer;
use crate::job::model::plan;
use crate::process::pipe::{PipeWriter, Stream, Write};

/// The most that one turn writes (bytes), before the other jobs have their turn.
const TURN: usize = 1024 * 1024;

/// The bytes that wait to be written, shared by the job and its writers.
#[derive(Debug)]
pub struct JobInput {
    queue: Mutex<PendingInput>,
    changed: Notify,
    /// Whether the input is a terminal's: written bytes count as typed, and the end of the input is a key.
    is_typed: bool,
}

/// The key that a user types for the end of the input: Ctrl-D.
const TYPED_END: u8 = 4;

#[derive(Debug, Default)]
struct PendingInput {
    chunks: VecDeque<InputChunk>,
    /// The part of the first chunk that has been written (bytes).
    written: usize,
    /// Whether the caller has given the whole input in advance.
    is_given: bool,
    /// Whether the caller has ended the input.
    is_ended: bool,
    /// Whether the command's end is closed.
    is_closed: bool,
    /// The last byte that was queued, where a terminal reads.
    last_byte: Option<u8>,
}

#[derive(Debug)]
struct InputChunk {
    bytes: Vec<u8>,
    /// Whether a caller waits for [`Observer::drained`] for this chunk.
    is_awaited: bool,
}

impl JobInput {
    /// Creates the input of a job. Moves the bytes out of the plan, whose input is open from then on.
    #[must_use]
    pub fn new(input: &mut plan::Input, is_typed: bool) -> Self {
        let mut queue = PendingInput::default();
        match input {
            plan::Input::Empty => queue.is_closed = true,
            plan::Input::Open => {}
            plan::Input::Bytes(bytes) => {
                let bytes = std::mem::take(bytes);
                // A dropped piece that is not awaited needs no event.
                let initial = (!bytes.is_empty()).then_some(InputChunk { bytes, is_awaited: false });
                queue.chunks.extend(initial);
                queue.is_given = true;
                queue.is_ended = true;
                *input = plan::Input::Open;
            }
        }
        Self { queue: Mutex::new(queue), changed: Notify::new(), is_typed }
    }

    /// Takes the whole input, and closes it; `None` if the caller writes it.
    pub fn take_given(&self) -> Option<Vec<u8>> {
        let mut queue = self.lock();
        if !queue.is_given {
            return None;
        }
        queue.is_closed = true;
        let chunk = queue.chunks.pop_front();
        Some(chunk.map(|chunk| chunk.bytes).unwrap_or_default())
    }

    /// Takes the whole input as [`Self::take_given`] does, unless it is larger than `limit`.
    pub fn take_given_up_to(&self, limit: usize) -> Option<Vec<u8>> {
        let length = self.lock().chunks.front().map_or(0, |chunk| chunk.bytes.len());
        if length > limit { None } else { self.take_given() }
    }

    /// Queues bytes. Returns false if it drops them at once. For each true, [`Observer::drained`] is called
    /// once: when the bytes are in the pipe, or dropped because the command has closed its end.
    pub fn write(&self, bytes: Vec<u8>) -> bool {
        let mut queue = self.lock();
        if queue.is_closed || queue.is_ended {
            return false;
        }
        queue.last_byte = bytes.last().copied();
        queue.chunks.push_back(InputChunk { bytes, is_awaited: true });
        self.changed.notify_one();
        true
    }

    /// Ends the input after the queued bytes. For a terminal that is Ctrl-D, and after an unfinished line a
    /// second one, because the first only submits that line. The terminal stays open.
    pub fn end(&self) {
        let mut queue = self.lock();
        if self.is_typed && !queue.is_ended && !queue.is_closed {
            let is_line_unfinished =
                queue.last_byte.is_some_and(|byte| !matches!(byte, b'\r' | b'\n' | TYPED_END));
            let bytes = vec![TYPED_END; if is_line_unfinished { 2 } else { 1 }];
            queue.chunks.push_back(InputChunk { bytes, is_awaited: false });
        }
        queue.is_ended = true;
        drop(queue);
        self.changed.notify_one();
    }

    /// Ends the input as [`Self::end`] does. A terminal's input ends again, because a program may read on
    /// after an end.
    pub fn end_again(&self) {
        if self.is_typed && self.lock().is_ended {
            self.reply(vec![TYPED_END]);
        } else {
            self.end();
        }
    }

    /// Queues the terminal's reply to a query of the program, also after the caller has ended the input.
    pub fn reply(&self, bytes: Vec<u8>) {
        let mut queue = self.lock();
        if !queue.is_closed {
            queue.chunks.push_back(InputChunk { bytes, is_awaited: false });
            drop(queue);
            self.changed.notify_one();
        }
    }

    /// Drops all queued input, because the command's end of the pipe is closed.
    pub fn close(&self, observer: &dyn Observer) {
        let mut queue = self.lock();
        queue.is_closed = true;
        let waiting = queue.chunks.iter().filter(|chunk| chunk.is_awaited).count();
        queue.chunks.clear();
        drop(queue);
        (0..waiting).for_each(|_| observer.drained());
    }

    /// Returns whether bytes are queued or the end is due.
    #[must_use]
    pub fn has_work(&self) -> bool {
        let queue = self.lock();
        !queue.chunks.is_empty() || (queue.is_ended && !self.is_typed)
    }

    fn lock(&self) -> MutexGuard<'_, PendingInput> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Writes a job's input to its pipe, on the I/O thread.
#[derive(Debug)]
pub struct Feeder {
    input: Arc<JobInput>,
    pipe: Option<PipeWriter>,
}

impl Feeder {
    /// Feeds `writer`, if there is one.
    ///
    /// # Errors
    ///
    /// The system's error when the pipe can't be watched.
    pub fn new(input: Arc<JobInput>, writer: Option<Stream>) -> io::Result<Self> {
        Ok(Self { input, pipe: writer.map(PipeWriter::new).transpose()? })
    }

    /// Returns the queue that feeds the pipe.
    #[must_use]
    pub const fn input(&self) -> &Arc<JobInput> {
        &self.input
    }

    /// Returns the pipe or terminal that is fed, while it is open.
    #[must_use]
    pub const fn pipe(&self) -> Option<&PipeWriter> {
        self.pipe.as_ref()
    }

    /// Returns whether the pipe is closed and nothing more will be written.
    #[must_use]
    pub const fn is_done(&self) -> bool {
        self.pipe.is_none()
    }

    /// Waits until bytes are queued and the pipe has room. Never returns once the pipe is closed.
    pub async fn ready(&mut self) {
        let Some(pipe) = &mut self.pipe else { return std::future::pending().await };
        while !self.input.has_work() {
            self.input.changed.notified().await;
        }
        // After an error, the pipe is not awaited: the next write reports the error.
        pipe.ready().await.unwrap_or_default();
    }

    /// Writes as much as the pipe takes, one turn at most. Returns true after a full turn: the pipe may take
    /// more.
    #[allow(clippy::must_use_candidate, reason = "`ready` reports what is left too")]
    pub fn feed(&mut self, observer: &dyn Observer) -> bool {
        let mut fed = 0;
        while fed < TURN
            && let Some(pipe) = &mut self.pipe
        {
            let mut queue = self.input.lock();
            let written = queue.written;
            let Some(chunk) = queue.chunks.front() else {
                if queue.is_ended && !self.input.is_typed {
                    self.pipe = None;
                }
                return false;
            };
            let length = chunk.bytes.len();
            match pipe.write(&chunk.bytes[written..]) {
                Write::Full => return false,
                Write::Closed => {
                    drop(queue);
                    self.close(observer);
                    return false;
                }
                Write::Bytes(count) => {
                    fed += count;
                    queue.written += count;
                    if queue.written >= length {
                        queue.written = 0;
                        let is_awaited = queue.chunks.pop_front().is_some_and(|chunk| chunk.is_awaited);
                        drop(queue);
                        if is_awaited {
                            observer.drained();
                        }
                    }
                }
            }
        }
        fed >= TURN
    }

    /// Writes all that is queued, as soon as the pipe has room. Returns whether the caller has ended the
    /// input.
    pub async fn drain(&mut self, observer: &dyn Observer) -> bool {
        while self.pipe.is_some() && self.input.has_work() {
            self.ready().await;
            self.feed(observer);
        }
        self.input.lock().is_ended
    }

    /// Closes the pipe and drops the rest.
    pub fn close(&mut self, observer: &dyn Observer) {
        self.pipe = None;
        self.input.close(observer);
    }
}
