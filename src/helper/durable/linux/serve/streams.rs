//! The pipes or the terminal of the command: output goes to the log, input comes from hosts.

use std::collections::VecDeque;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::time::Duration;

use rustix::io::{Errno, read, write};

use crate::helper::durable::log::format::{LogStream, MAX_PAYLOAD, incomplete_end};
use crate::helper::durable::log::writer::LogWriter;
use crate::process::pty::{WindowSize, set_size};

/// The time for which the first bytes of a character wait for the others.
const PARTIAL_CHARACTER_DELAY: Duration = Duration::from_millis(100);

/// The most output that is read when the leader exits (bytes): the largest pipe.
const AT_EXIT: usize = 1024 * 1024;

/// The supervisor's ends of the command's pipes or terminal, and the input that waits for them.
#[derive(Debug)]
pub(super) struct JobStreams {
    stdin: Option<OwnedFd>,
    /// The input that was not written, with the host that has sent it.
    input: VecDeque<(Option<u32>, Vec<u8>)>,
    /// The part of the first piece that was written (bytes).
    written: usize,
    is_ended: bool,
    outputs: [LoggedOutput; 2],
    /// The command's end of its terminal, until the leader has exited: so the output does not end when the
    /// command closes what it may open again.
    peer: Option<OwnedFd>,
    has_terminal: bool,
}

#[derive(Debug)]
struct LoggedOutput {
    stream: LogStream,
    pipe: Option<OwnedFd>,
    /// The first bytes of a character, and since when they wait.
    held: Vec<u8>,
    held_since: Option<Duration>,
}

/// The result of one turn of writing input.
#[derive(Debug, Default)]
pub(super) struct FedInput {
    /// The bytes that were written or dropped for each host.
    pub(super) passed: Vec<(u32, usize)>,
    /// Whether the command has closed its input.
    pub(super) is_gone: bool,
}

impl JobStreams {
    /// Takes the supervisor's ends, and the input that was given at the start.
    pub(super) fn new(
        stdin: Option<OwnedFd>,
        [stdout, stderr]: [Option<OwnedFd>; 2],
        peer: Option<OwnedFd>,
        given: Option<Vec<u8>>,
    ) -> Self {
        let output = |stream, pipe| LoggedOutput { stream, pipe, held: Vec::new(), held_since: None };
        Self {
            stdin,
            written: 0,
            is_ended: given.is_some(),
            input: given.filter(|bytes| !bytes.is_empty()).map(|bytes| (None, bytes)).into_iter().collect(),
            outputs: [output(LogStream::Stdout, stdout), output(LogStream::Stderr, stderr)],
            has_terminal: peer.is_some(),
            peer,
        }
    }

    /// Returns the pipes that can be read.
    pub(super) fn readable(&self) -> impl Iterator<Item = (usize, BorrowedFd<'_>)> {
        self.outputs.iter().enumerate().filter_map(|(at, output)| Some((at, output.pipe.as_ref()?.as_fd())))
    }

    /// Returns the input, and whether bytes wait to be written.
    pub(super) fn writable(&self) -> Option<(BorrowedFd<'_>, bool)> {
        Some((self.stdin.as_ref()?.as_fd(), !self.input.is_empty()))
    }

    /// Returns when bytes that wait for the rest of a character go to the log without it.
    pub(super) fn next(&self) -> Option<Duration> {
        self.outputs
            .iter()
            .filter_map(|output| output.held_since)
            .min()
            .map(|since| since + PARTIAL_CHARACTER_DELAY)
    }

    /// Reads one piece of an output into the log. Returns whether there was any.
    pub(super) fn read(&mut self, at: usize, now: Duration, log: &mut LogWriter) -> bool {
        self.outputs[at].read(now, log) > 0
    }

    /// Writes bytes to the log whose character was not completed in time.
    pub(super) fn release(&mut self, now: Duration, log: &mut LogWriter) {
        for output in &mut self.outputs {
            if output.held_since.is_some_and(|since| since + PARTIAL_CHARACTER_DELAY <= now) {
                output.release(log);
            }
        }
    }

    /// Reads what the leader has written before its exit.
    pub(super) fn leader_exited(&mut self, now: Duration, log: &mut LogWriter) {
        self.peer = None;
        for output in &mut self.outputs {
            let mut count = 0;
            while count < AT_EXIT {
                match output.read(now, log) {
                    0 => break,
                    more => count += more,
                }
            }
        }
    }

    /// Reads the rest: no process of the job is left.
    pub(super) fn finish(&mut self, now: Duration, log: &mut LogWriter) {
        self.stdin = None;
        self.peer = None;
        for output in &mut self.outputs {
            while output.read(now, log) > 0 {}
            output.release(log);
            output.pipe = None;
        }
    }

    pub(super) fn resize(&self, size: WindowSize) {
        if let (true, Some(terminal)) = (self.has_terminal, &self.outputs[0].pipe) {
            let _ = set_size(terminal, size);
        }
    }

    /// Takes input from a host. Returns false if it is dropped, because there is no input.
    pub(super) fn take_input(&mut self, host: u32, bytes: &[u8]) -> bool {
        let is_open = self.stdin.is_some() && !self.is_ended;
        if is_open {
            self.input.push_back((Some(host), bytes.to_vec()));
        }
        is_open
    }

    /// Ends the input behind what was written. The end of a terminal's input is a byte of it.
    pub(super) fn end_input(&mut self) {
        self.is_ended |= !self.has_terminal;
    }

    /// Writes input, as much as the command takes.
    pub(super) fn feed(&mut self) -> FedInput {
        let mut fed = FedInput::default();
        while let (Some(stdin), Some((host, bytes))) = (&self.stdin, self.input.front()) {
            let host = *host;
            match write(stdin, &bytes[self.written..]) {
                Ok(count) => {
                    self.written += count;
                    fed.passed.extend(host.map(|host| (host, count)));
                    if self.written >= bytes.len() {
                        self.written = 0;
                        self.input.pop_front();
                    }
                }
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => break,
                Err(_) => return self.drop_input(),
            }
        }
        if self.is_ended && self.input.is_empty() {
            self.stdin = None;
        }
        fed
    }

    /// Drops the input, which the command has closed.
    pub(super) fn drop_input(&mut self) -> FedInput {
        let is_gone = self.stdin.take().is_some();
        self.written = 0;
        let dropped = self.input.drain(..).filter_map(|(host, bytes)| Some((host?, bytes.len())));
        FedInput { passed: dropped.collect(), is_gone }
    }
}

impl LoggedOutput {
    /// Reads one piece, and returns its length.
    fn read(&mut self, now: Duration, log: &mut LogWriter) -> usize {
        let Some(pipe) = &self.pipe else { return 0 };
        let held = self.held.len();
        // At most three bytes are held, and the rest is one record.
        self.held.resize(MAX_PAYLOAD, 0);
        let result = loop {
            match read(pipe, &mut self.held[held..]) {
                Err(Errno::INTR) => {}
                result => break result,
            }
        };
        let count = *result.as_ref().unwrap_or(&0);
        self.held.truncate(held + count);
        match result {
            Err(Errno::AGAIN) => {}
            // A terminal without a program fails with EIO.
            Ok(0) | Err(_) => {
                self.pipe = None;
                self.release(log);
            }
            Ok(_) => {
                let whole = self.held.len() - incomplete_end(&self.held);
                log.write(self.stream, &self.held[..whole]);
                self.held.drain(..whole);
                self.held_since = (!self.held.is_empty()).then_some(now);
            }
        }
        count
    }

    fn release(&mut self, log: &mut LogWriter) {
        log.write(self.stream, &self.held);
        self.held.clear();
        self.held_since = None;
    }
}
