//! Standard input, from whoever writes to the job, to the pipe.

use std::collections::VecDeque;
use std::io;
use std::os::fd::OwnedFd;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

use crate::job::io::observer::Observer;
use crate::job::model::plan;
use crate::process::pipe::{PipeWriter, Write};

/// How much is written in one turn (bytes). The other jobs have theirs then.
const TURN: usize = 1024 * 1024;

/// What waits to be written. Shared by the job and whoever writes to it.
#[derive(Debug)]
pub struct Input {
    queue: Mutex<Queue>,
    changed: Notify,
}

#[derive(Debug, Default)]
struct Queue {
    chunks: VecDeque<Vec<u8>>,
    /// So much of the first chunk has been written.
    written: usize,
    /// Nothing more will come.
    is_ended: bool,
    /// Nobody reads any longer.
    is_closed: bool,
    /// The first chunk is the plan's: nobody waits to hear of it.
    has_initial: bool,
}

impl Input {
    /// The beginning of a job's input. The bytes are moved out of the plan, which from then on has an open input.
    #[must_use]
    pub fn new(input: &mut plan::Input) -> Self {
        let mut queue = Queue::default();
        match input {
            plan::Input::Empty => queue.is_closed = true,
            plan::Input::Open => {}
            plan::Input::Bytes(bytes) => {
                queue.has_initial = !bytes.is_empty();
                let bytes = std::mem::take(bytes);
                queue.chunks.extend(queue.has_initial.then_some(bytes));
                queue.is_ended = true;
                *input = plan::Input::Open;
            }
        }
        Self { queue: Mutex::new(queue), changed: Notify::new() }
    }

    /// Queues bytes. [`Observer::drained`] is called once for each time this has returned true: when the bytes are in
    /// the pipe, or dropped since nobody reads any longer. False when they are dropped at once.
    pub fn write(&self, bytes: Vec<u8>) -> bool {
        let mut queue = self.lock();
        if queue.is_closed || queue.is_ended {
            return false;
        }
        queue.chunks.push_back(bytes);
        self.changed.notify_one();
        true
    }

    /// End of file follows what is queued.
    pub fn end(&self) {
        self.lock().is_ended = true;
        self.changed.notify_one();
    }

    /// Nobody reads any longer: what is queued is dropped.
    pub fn close(&self, observer: &dyn Observer) {
        let mut queue = self.lock();
        queue.is_closed = true;
        let waiting = queue.chunks.len() - usize::from(std::mem::take(&mut queue.has_initial));
        queue.chunks.clear();
        drop(queue);
        (0..waiting).for_each(|_| observer.drained());
    }

    fn has_work(&self) -> bool {
        let queue = self.lock();
        !queue.chunks.is_empty() || queue.is_ended
    }

    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Writes a job's input to its pipe, on the I/O thread.
#[derive(Debug)]
pub struct Feeder {
    input: Arc<Input>,
    pipe: Option<PipeWriter>,
}

impl Feeder {
    /// Feeds `writer`, if there is one.
    ///
    /// # Errors
    ///
    /// The system's error when the pipe can't be watched.
    pub fn new(input: Arc<Input>, writer: Option<OwnedFd>) -> io::Result<Self> {
        Ok(Self { input, pipe: writer.map(PipeWriter::new).transpose()? })
    }

    /// Whether there is nothing more to do.
    #[must_use]
    pub const fn is_done(&self) -> bool {
        self.pipe.is_none()
    }

    /// Waits until there is something to write and room for it. Never, once the pipe is closed.
    pub async fn ready(&mut self) {
        let Some(pipe) = &mut self.pipe else { return std::future::pending().await };
        while !self.input.has_work() {
            self.input.changed.notified().await;
        }
        // After an error there is nothing to wait for: writing will tell.
        pipe.ready().await.unwrap_or_default();
    }

    /// Writes what the pipe takes, at most a turn's worth. Whether it was a full turn, and it may take more.
    #[allow(clippy::must_use_candidate, reason = "what is left is told by `ready` as well")]
    pub fn feed(&mut self, observer: &dyn Observer) -> bool {
        let mut fed = 0;
        while fed < TURN
            && let Some(pipe) = &mut self.pipe
        {
            let mut queue = self.input.lock();
            let written = queue.written;
            let Some(chunk) = queue.chunks.front() else {
                if queue.is_ended {
                    self.pipe = None;
                }
                return false;
            };
            let length = chunk.len();
            match pipe.write(&chunk[written..]) {
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
                        queue.chunks.pop_front();
                        let is_initial = std::mem::take(&mut queue.has_initial);
                        drop(queue);
                        if !is_initial {
                            observer.drained();
                        }
                    }
                }
            }
        }
        fed >= TURN
    }

    /// Closes the pipe and drops the rest.
    pub fn close(&mut self, observer: &dyn Observer) {
        self.pipe = None;
        self.input.close(observer);
    }
}
