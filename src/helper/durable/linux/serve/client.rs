//! The connection of one host.

use std::os::fd::OwnedFd;
use std::time::Duration;

use rustix::io::{Errno, retry_on_intr};
use rustix::net::{RecvFlags, SendFlags, recv, send};

use crate::helper::durable::protocol::JobEvent;
use crate::helper::supervisor::protocol::credit::Grants;
use crate::helper::supervisor::protocol::frame::FrameReader;

/// The unsent bytes beyond which a host that does not read is disconnected.
const MAX_UNSENT: usize = 512 * 1024;

/// The longest time to the greeting of a host, which comes with the connection: one that hangs must not take
/// the place of another.
const GREETING_DEADLINE: Duration = Duration::from_secs(5);

/// The size of one read (bytes).
const CHUNK: usize = 64 * 1024;

/// A connected host.
#[derive(Debug)]
pub(super) struct HostConnection {
    pub(super) id: u32,
    pub(super) socket: OwnedFd,
    pub(super) reader: FrameReader,
    pub(super) has_hello: bool,
    /// When the host has connected, since the boot of the machine.
    connected_at: Duration,
    /// Whether the host counts as attached.
    pub(super) attends: bool,
    /// The cursor beyond which the host wants to hear of output.
    pub(super) watching: Option<u64>,
    /// The input that the host may still send.
    pub(super) grants: Grants,
    out: Vec<u8>,
    pub(super) is_closed: bool,
}

impl HostConnection {
    pub(super) fn new(id: u32, socket: OwnedFd, now: Duration) -> Self {
        Self {
            id,
            socket,
            reader: FrameReader::default(),
            has_hello: false,
            connected_at: now,
            attends: false,
            watching: None,
            grants: Grants::default(),
            out: Vec::new(),
            is_closed: false,
        }
    }

    pub(super) fn push(&mut self, event: &JobEvent<'_>) {
        event.put(&mut self.out);
        self.flush();
        self.is_closed |= self.out.len() > MAX_UNSENT;
    }

    /// Returns the time at which a host that has not greeted is disconnected.
    pub(super) fn greeting_due(&self) -> Option<Duration> {
        (!self.has_hello).then(|| self.connected_at.saturating_add(GREETING_DEADLINE))
    }

    pub(super) fn has_unsent(&self) -> bool {
        !self.out.is_empty() && !self.is_closed
    }

    /// Sends what the socket takes.
    pub(super) fn flush(&mut self) {
        while self.has_unsent() {
            let flags = SendFlags::DONTWAIT | SendFlags::NOSIGNAL;
            match retry_on_intr(|| send(&self.socket, &self.out, flags)) {
                Ok(count) => drop(self.out.drain(..count)),
                Err(Errno::AGAIN) => return,
                Err(_) => self.is_closed = true,
            }
        }
    }

    /// Reads what has arrived. The end of the connection closes the client.
    pub(super) fn receive(&mut self) {
        let mut buffer = vec![0; CHUNK];
        match retry_on_intr(|| recv(&self.socket, &mut buffer[..], RecvFlags::DONTWAIT)) {
            Ok((count, _)) if count > 0 => self.reader.push(&buffer[..count]),
            Err(Errno::AGAIN) => {}
            _ => self.is_closed = true,
        }
    }

    /// Reports that the log has grown, once for each question.
    pub(super) fn report_growth(&mut self, cursor: u64) {
        if self.watching.is_some_and(|watched| cursor > watched) {
            self.watching = None;
            self.push(&JobEvent::Grew(cursor));
        }
    }
}
