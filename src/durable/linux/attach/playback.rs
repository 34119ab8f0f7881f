//! Copies the log of a job into the pipes of this host's job.
//!
//! Both pipes together have the output in the order of the log: the second one gets its part when the job has
//! read the first. So a cursor of the job is a cursor of the log.

use std::io;
use std::os::fd::OwnedFd;
use std::time::Duration;

use tokio::task::yield_now;
use tokio::time::sleep;

use crate::helper::durable::log::format::LogStream;
use crate::helper::durable::log::reader::{LogPiece, LogReader};
use crate::process::pipe::{PipeWriter, Write};

/// The number of times that the other tasks of the thread may run before a full pipe counts as one that
/// nobody reads.
const QUICK_TURNS: u32 = 64;

/// The time between two checks of a pipe that nobody reads.
const PIPE_CHECK_INTERVAL: Duration = Duration::from_millis(5);

/// Takes the number of bytes that are missing at this place.
pub(in crate::durable) type OnDropped = Box<dyn Fn(u64) + Send>;

/// The log on its way to the job.
pub(in crate::durable) struct Playback {
    log: LogReader,
    pipes: [Option<PipeWriter>; 2],
    pending: Vec<u8>,
    written: usize,
    /// The stream of the pending bytes, and of those before.
    stream: LogStream,
    last: LogStream,
    /// Bytes that are missing, which the job hears of when it has read what is before.
    missing: u64,
    /// The number of bytes that were missing so far.
    dropped: u64,
    turns: u32,
    on_dropped: OnDropped,
}

/// The event that a playback waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::durable) enum PlaybackWait {
    /// Nothing: there is more to copy.
    Nothing,
    /// More output in the log.
    Output,
    /// Room in the pipe of this stream.
    Room,
    /// The job is to read the other pipe first.
    Turn,
}

impl Playback {
    /// Begins at the place of a log. A pipe that is missing takes nothing.
    pub(in crate::durable) fn new(
        log: LogReader,
        [stdout, stderr]: [Option<OwnedFd>; 2],
        on_dropped: OnDropped,
    ) -> io::Result<Self> {
        let pipe = |end: Option<OwnedFd>| end.map(PipeWriter::new).transpose();
        Ok(Self {
            log,
            pipes: [pipe(stdout)?, pipe(stderr)?],
            pending: Vec::new(),
            written: 0,
            stream: LogStream::Stdout,
            last: LogStream::Stdout,
            missing: 0,
            dropped: 0,
            turns: 0,
            on_dropped,
        })
    }

    /// Returns whether everything before a cursor is in the job's pipes.
    pub(in crate::durable) const fn has_delivered(&self, cursor: u64) -> bool {
        self.pending.is_empty() && self.missing == 0 && self.log.cursor() >= cursor
    }

    /// Returns how many bytes were missing so far.
    pub(in crate::durable) const fn dropped(&self) -> u64 {
        self.dropped
    }

    /// Returns the cursor of the next byte that is read from the log.
    pub(in crate::durable) const fn cursor(&self) -> u64 {
        self.log.cursor()
    }

    /// Copies the next piece, as far as the job takes it. `total` is the cursor up to which there is output.
    pub(in crate::durable) fn step(&mut self, total: u64) -> PlaybackWait {
        if self.missing > 0 {
            if !self.has_read(LogStream::Stdout) || !self.has_read(LogStream::Stderr) {
                return PlaybackWait::Turn;
            }
            (self.on_dropped)(std::mem::take(&mut self.missing));
        }
        if self.pending.is_empty() {
            match self.log.next(total) {
                Ok(Some(LogPiece::Output(stream, bytes))) => {
                    self.stream = stream;
                    self.pending.extend_from_slice(bytes);
                }
                Ok(Some(LogPiece::Dropped(count))) => {
                    self.missing = count;
                    self.dropped += count;
                    return PlaybackWait::Nothing;
                }
                // A segment that can't be read counts as missing, once more of the log is known.
                Ok(None) | Err(_) => return PlaybackWait::Output,
            }
        }
        if self.stream != self.last && !self.has_read(self.last) {
            return PlaybackWait::Turn;
        }
        self.last = self.stream;
        self.turns = 0;
        self.write()
    }

    fn write(&mut self) -> PlaybackWait {
        let Some(pipe) = &mut self.pipes[index(self.stream)] else {
            self.pending.clear();
            return PlaybackWait::Nothing;
        };
        match pipe.write(&self.pending[self.written..]) {
            Write::Full => return PlaybackWait::Room,
            Write::Bytes(count) => self.written += count,
            // The job takes no more.
            Write::Closed => {
                self.pipes[index(self.stream)] = None;
                self.written = self.pending.len();
            }
        }
        if self.written >= self.pending.len() {
            self.pending.clear();
            self.written = 0;
        }
        PlaybackWait::Nothing
    }

    /// Returns whether the job has read all of a pipe.
    fn has_read(&self, stream: LogStream) -> bool {
        let Some(pipe) = &self.pipes[index(stream)] else { return true };
        rustix::io::ioctl_fionread(pipe.descriptor()).is_ok_and(|count| count == 0)
    }

    /// Waits for what the last step has waited for. Cancel-safe.
    pub(in crate::durable) async fn ready(&mut self, waits: PlaybackWait) {
        match waits {
            PlaybackWait::Nothing => yield_now().await,
            PlaybackWait::Output => std::future::pending().await,
            PlaybackWait::Room => {
                if let Some(pipe) = &mut self.pipes[index(self.stream)] {
                    let _ = pipe.ready().await;
                }
            }
            PlaybackWait::Turn if self.turns < QUICK_TURNS => {
                self.turns += 1;
                // The job is on the same thread, and reads in its turn.
                yield_now().await;
            }
            PlaybackWait::Turn => sleep(PIPE_CHECK_INTERVAL).await,
        }
    }

    /// Ends the output.
    pub(in crate::durable) fn close(&mut self) {
        self.pipes = [None, None];
    }
}

const fn index(stream: LogStream) -> usize {
    match stream {
        LogStream::Stdout => 0,
        LogStream::Stderr => 1,
    }
}
