//! The frames that the supervisor has to write: whole frames, those without output first.

use std::os::fd::BorrowedFd;

use rustix::io::{Errno, write};

use crate::helper::supervisor::protocol::frame::{HEADER, Header, MAX_PAYLOAD};
use crate::helper::supervisor::protocol::message::ToClient;

/// The unsent bytes beyond which the supervisor reads no more of the host's frames: a host that asks and
/// never reads the answers.
const FULL: usize = 128 * 1024;

/// Frames that wait to be written.
#[derive(Debug, Default)]
pub(super) struct Outbox {
    /// Whole frames, of which `written` bytes are out.
    current: Vec<u8>,
    written: usize,
    /// Frames that come next.
    urgent: Vec<u8>,
}

/// The host does not read any more.
pub(super) struct Broken;

impl Outbox {
    /// Queues a frame, behind the one that is being written.
    pub(super) fn push(&mut self, command: u32, message: &ToClient<'_>) {
        message.put(command, &mut self.urgent);
    }

    /// Queues a frame of a reaper as it is.
    pub(super) fn pass_on(&mut self, frame: &[u8]) {
        self.urgent.extend_from_slice(frame);
    }

    pub(super) const fn has_unsent(&self) -> bool {
        self.written < self.current.len() || !self.urgent.is_empty()
    }

    pub(super) const fn is_full(&self) -> bool {
        self.urgent.len() > FULL
    }

    /// Reads output straight into a frame, of `most` bytes at most, and queues the frame unless nothing was
    /// read. Nothing else may be unsent.
    pub(super) fn read_into_frame(
        &mut self,
        kind: u8,
        command: u32,
        most: usize,
        read: impl FnOnce(&mut [u8]) -> Result<usize, Errno>,
    ) -> Result<usize, Errno> {
        self.current.clear();
        self.written = 0;
        self.current.resize(HEADER + most.min(MAX_PAYLOAD), 0);
        let result = read(&mut self.current[HEADER..]);
        let length = *result.as_ref().unwrap_or(&0);
        self.current.truncate(if length == 0 { 0 } else { HEADER + length });
        if length > 0 {
            self.current[..HEADER].copy_from_slice(&Header { length, kind, command }.encode());
        }
        result
    }

    /// Writes what the stream takes now.
    pub(super) fn flush(&mut self, stream: BorrowedFd<'_>) -> Result<(), Broken> {
        loop {
            if self.written == self.current.len() {
                self.current.clear();
                self.written = 0;
                std::mem::swap(&mut self.current, &mut self.urgent);
            }
            if self.current.is_empty() {
                return Ok(());
            }
            match write(stream, &self.current[self.written..]) {
                Ok(count) => self.written += count,
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => return Ok(()),
                Err(_) => return Err(Broken),
            }
        }
    }
}
