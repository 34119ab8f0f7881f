//! The stream of a connection: the pipes of its transport, and the process itself.

use std::io;
use std::time::Duration;

use tokio::time::{Instant, timeout, timeout_at};

use crate::engine::leader::Leader;
use crate::process::pipe::{PipeReader, PipeWriter, Read, Write};
use crate::process::signal::Signal;
use crate::process::wait::ExitWatch;
use crate::target::error::quoted;
use crate::target::transport::Transport;

/// The size of one read (bytes).
const CHUNK: usize = 64 * 1024;

/// The last bytes of the transport's error output that are kept (bytes).
const KEPT_ERRORS: usize = 64 * 1024;

/// The time that a transport without a stream may take to exit by itself.
const EXIT_DEADLINE: Duration = Duration::from_secs(2);

/// The time that a transport may take to exit by itself before the supervisor has answered: a shell there is
/// still to end what it has begun, but a program that connects may not look at its input.
const HANDSHAKE_DEADLINE: Duration = Duration::from_millis(500);

/// The time that the start of a container may take to notice that its stream has ended.
const START_DEADLINE: Duration = Duration::from_secs(8);

/// The time that a keeper may take to exit after SIGTERM: its engine removes a container meanwhile.
const TERM_DEADLINE: Duration = Duration::from_secs(12);

/// The stream and its transport. Dropping it kills the transport.
#[derive(Debug)]
pub(in crate::target) struct Stream {
    leader: Leader,
    /// Whether a keeper runs the transport, which removes a container.
    is_kept: bool,
    watch: ExitWatch,
    pub(in crate::target) reader: PipeReader,
    pub(in crate::target) writer: PipeWriter,
    pub(in crate::target) errors: Option<PipeReader>,
    /// The latest error output, which is only the transport's.
    error_text: Vec<u8>,
    out: Vec<u8>,
    written: usize,
}

/// The stream has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::target) struct Ended;

impl Stream {
    pub(super) fn new(transport: Transport) -> io::Result<Self> {
        let Transport { leader, pidfd, stdin, stdout, stderr, is_kept } = transport;
        Ok(Self {
            watch: ExitWatch::new(leader.identity().pid, pidfd)?,
            leader,
            is_kept,
            reader: PipeReader::new(stdout)?,
            writer: PipeWriter::new(stdin)?,
            errors: Some(PipeReader::new(stderr)?),
            error_text: Vec::new(),
            out: Vec::new(),
            written: 0,
        })
    }

    /// Returns the buffer to which frames are appended.
    pub(in crate::target) const fn out(&mut self) -> &mut Vec<u8> {
        &mut self.out
    }

    /// Returns the number of bytes that are not written yet.
    pub(in crate::target) const fn unsent(&self) -> usize {
        self.out.len() - self.written
    }

    /// Writes without blocking.
    pub(in crate::target) fn flush(&mut self) -> Result<(), Ended> {
        while self.unsent() > 0 {
            match self.writer.write(&self.out[self.written..]) {
                Write::Bytes(count) => self.written += count,
                Write::Full => return Ok(()),
                Write::Closed => return Err(Ended),
            }
        }
        self.out.clear();
        self.written = 0;
        Ok(())
    }

    /// Writes everything. Reads the error output at the same time, because a full pipe would stop the
    /// transport.
    pub(super) async fn send(&mut self, bytes: &[u8]) -> Result<(), Ended> {
        self.out.extend_from_slice(bytes);
        while self.unsent() > 0 {
            self.flush()?;
            if self.unsent() > 0 {
                tokio::select! {
                    result = self.writer.ready() => result.map_err(|_| Ended)?,
                    () = errors_ready(&mut self.errors) => self.read_errors(),
                }
            }
        }
        Ok(())
    }

    /// Waits for the next bytes, and appends them to `buffer`.
    pub(super) async fn receive(&mut self, buffer: &mut Vec<u8>) -> Result<(), Ended> {
        loop {
            tokio::select! {
                result = self.reader.ready() => result.map_err(|_| Ended)?,
                () = errors_ready(&mut self.errors) => {
                    self.read_errors();
                    continue;
                }
            }
            if self.read(buffer)? > 0 {
                return Ok(());
            }
        }
    }

    /// Appends the bytes that have arrived to `buffer`, and returns their number.
    pub(super) fn read(&mut self, buffer: &mut Vec<u8>) -> Result<usize, Ended> {
        buffer.reserve(CHUNK);
        match self.reader.read(buffer) {
            Read::Bytes(count) => Ok(count),
            Read::Empty => Ok(0),
            Read::End | Read::Failed(_) => Err(Ended),
        }
    }

    /// Waits until the stream or the error output can be read, or unsent bytes can be written. Reads the
    /// error output.
    pub(super) async fn ready(&mut self) {
        let has_unsent = self.unsent() > 0;
        tokio::select! {
            _ = self.reader.ready() => {}
            _ = self.writer.ready(), if has_unsent => {}
            () = errors_ready(&mut self.errors) => self.read_errors(),
        }
    }

    /// Reads the error output that has arrived, and keeps the last part.
    fn read_errors(&mut self) {
        let Some(errors) = &mut self.errors else { return };
        self.error_text.reserve(CHUNK);
        if !matches!(errors.read(&mut self.error_text), Read::Bytes(_) | Read::Empty) {
            self.errors = None;
        }
        let surplus = self.error_text.len().saturating_sub(KEPT_ERRORS);
        self.error_text.drain(..surplus);
    }

    /// Returns the error output of a transport whose stream has ended. The transport may not have finished
    /// writing it: the rest has a short time, and at most until `limit`.
    pub(super) async fn last_errors(&mut self, limit: Option<Instant>) -> String {
        let until = Instant::now() + EXIT_DEADLINE;
        let _ = timeout_at(limit.map_or(until, |limit| limit.min(until)), async {
            while self.errors.is_some() {
                errors_ready(&mut self.errors).await;
                self.read_errors();
            }
        })
        .await;
        String::from_utf8_lossy(&self.error_text).into_owned()
    }

    /// Returns why the stream has ended, for people.
    pub(super) async fn reason(&mut self) -> String {
        let errors = self.last_errors(None).await;
        let last = errors.trim().lines().next_back().unwrap_or_default();
        if last.is_empty() { "the stream ended".to_owned() } else { quoted(last.as_bytes()) }
    }

    /// Ends the stream, waits for the transport to exit, and kills it at the deadline. `is_open` tells
    /// whether the supervisor has answered: a keeper must not remove a container that is being started.
    pub(in crate::target) async fn finish(mut self, is_open: bool) {
        let _ = timeout(EXIT_DEADLINE, async {
            while self.unsent() > 0 && self.flush().is_ok() {
                let _ = self.writer.ready().await;
            }
        })
        .await;
        let Self { leader, mut watch, writer, reader, errors, is_kept, .. } = self;
        drop(writer);
        // The outputs are read on: a transport that can't write would not exit.
        let mut outputs = [Some(reader), errors];
        let drain = async {
            for output in &mut outputs {
                let mut dropped = Vec::with_capacity(CHUNK);
                while let Some(pipe) = output {
                    let _ = pipe.ready().await;
                    dropped.clear();
                    if !matches!(pipe.read(&mut dropped), Read::Bytes(_) | Read::Empty) {
                        *output = None;
                    }
                }
            }
            std::future::pending::<()>().await;
        };
        let end = async {
            let patience = match (is_open, is_kept) {
                (true, _) => EXIT_DEADLINE,
                (false, true) => START_DEADLINE,
                (false, false) => HANDSHAKE_DEADLINE,
            };
            if timeout(patience, watch.exited()).await.is_ok() || !is_kept {
                return;
            }
            // At SIGTERM, the keeper removes its container.
            leader.signal_group(Signal::TERM);
            let _ = timeout(TERM_DEADLINE, watch.exited()).await;
        };
        tokio::select! {
            () = end => {}
            () = drain => {}
        }
        // A leader that has not exited is killed, with its tree.
        leader.finish();
    }
}

async fn errors_ready(errors: &mut Option<PipeReader>) {
    match errors {
        Some(errors) => drop(errors.ready().await),
        None => std::future::pending().await,
    }
}
