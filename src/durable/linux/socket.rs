//! Connects to the supervisor of a job, and speaks with it.

use std::io::{self, IoSlice};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::{Errno, retry_on_intr};
use rustix::net::{
    AddressFamily, RecvFlags, SendAncillaryBuffer, SendAncillaryMessage, SendFlags, SocketAddrUnix,
    SocketFlags, SocketType, connect, recv, send, sendmsg, socket_with,
};

use crate::helper::durable::directory::JobDirectory;
use crate::helper::durable::plan::MAX_DESCRIPTORS;
use crate::helper::durable::protocol::{HostHello, HostRequest, JobEvent, JobHello};
use crate::helper::supervisor::protocol::frame::FrameReader;
use crate::process::clock::timespec;
use crate::process::fd::above_standard_streams;

/// The size of one read (bytes).
const CHUNK: usize = 64 * 1024;

/// A connection to a supervisor, which does not block by itself.
#[derive(Debug)]
pub(in crate::durable) struct SupervisorSocket {
    pub(in crate::durable) socket: OwnedFd,
    pub(in crate::durable) reader: FrameReader,
}

/// Why a host connects to a supervisor, which has a limit of its own for hosts that attend.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::durable) enum ConnectionPurpose {
    /// The connection counts as an attached host.
    Attach,
    Ask,
}

/// The reasons why a supervisor can't be asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::durable) enum SupervisorRefusal {
    /// Nobody listens: the job has ended, or its supervisor is gone.
    Gone,
    /// The supervisor has as many hosts as it takes.
    Full,
    /// The versions do not fit.
    Old,
    /// No answer came in time.
    Silent,
}

impl SupervisorSocket {
    /// Takes a socket whose other end a supervisor has, or will have.
    pub(in crate::durable) fn new(socket: OwnedFd) -> io::Result<Self> {
        Ok(Self { socket: above_standard_streams(socket)?, reader: FrameReader::default() })
    }

    /// Connects to the supervisor of a job, and waits for its answer to the greeting.
    pub(in crate::durable) fn connect(
        job: &JobDirectory,
        purpose: ConnectionPurpose,
        limit: Duration,
    ) -> Result<(Self, JobHello), SupervisorRefusal> {
        let until = Instant::now() + limit;
        let mut connection = Self::greet(job, purpose, until)?;
        let hello = connection.hello(until)?;
        Ok((connection, hello))
    }

    /// Connects to the supervisor of a job, and greets it. [`hello`](Self::hello) has the answer.
    pub(in crate::durable) fn greet(
        job: &JobDirectory,
        purpose: ConnectionPurpose,
        until: Instant,
    ) -> Result<Self, SupervisorRefusal> {
        // The path of a socket has 107 bytes at most, so it goes through the open directory.
        let path = format!("/proc/self/fd/{}/socket", job.as_fd().as_raw_fd());
        let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
        let connected = || -> io::Result<Self> {
            let socket = socket_with(AddressFamily::UNIX, SocketType::STREAM, flags, None)?;
            connect(&socket, &SocketAddrUnix::new(path)?)?;
            Self::new(socket)
        };
        let connection = connected().map_err(|error| match error.kind() {
            io::ErrorKind::WouldBlock => SupervisorRefusal::Silent,
            _ => SupervisorRefusal::Gone,
        })?;
        let hello = HostHello::new(purpose == ConnectionPurpose::Attach);
        // A supervisor that refuses does not wait for the hello: what it has said can still be read.
        let _ = connection.send(&HostRequest::Hello(hello), until);
        Ok(connection)
    }

    /// Waits for the answer to the greeting.
    pub(in crate::durable) fn hello(&mut self, until: Instant) -> Result<JobHello, SupervisorRefusal> {
        let answer = self.receive(until, |event| match event {
            JobEvent::Hello(hello) if hello.is_understood() => Some(Ok(hello)),
            JobEvent::Hello(_) | JobEvent::Refused(b"old") => Some(Err(SupervisorRefusal::Old)),
            JobEvent::Refused(_) => Some(Err(SupervisorRefusal::Full)),
            _ => None,
        });
        match answer {
            Ok(hello) => hello,
            Err(error) if error.kind() == io::ErrorKind::TimedOut => Err(SupervisorRefusal::Silent),
            Err(_) => Err(SupervisorRefusal::Gone),
        }
    }

    /// Sends a request as a whole.
    pub(in crate::durable) fn send(&self, request: &HostRequest<'_>, until: Instant) -> io::Result<()> {
        let mut bytes = Vec::new();
        request.put(&mut bytes);
        self.send_bytes(&bytes, until)
    }

    fn send_bytes(&self, mut rest: &[u8], until: Instant) -> io::Result<()> {
        while !rest.is_empty() {
            match retry_on_intr(|| send(&self.socket, rest, SendFlags::NOSIGNAL | SendFlags::DONTWAIT)) {
                Ok(count) => rest = &rest[count..],
                Err(Errno::AGAIN) => self.wait(PollFlags::OUT, until)?,
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }

    /// Sends a request with descriptors.
    pub(in crate::durable) fn send_with(
        &self,
        request: &HostRequest<'_>,
        descriptors: &[OwnedFd],
        until: Instant,
    ) -> io::Result<()> {
        if descriptors.is_empty() {
            return self.send(request, until);
        }
        let mut bytes = Vec::new();
        request.put(&mut bytes);
        let passed: Vec<BorrowedFd<'_>> = descriptors.iter().map(AsFd::as_fd).collect();
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MAX_DESCRIPTORS))];
        let mut ancillary = SendAncillaryBuffer::new(&mut space);
        if !ancillary.push(SendAncillaryMessage::ScmRights(&passed)) {
            return Err(Errno::TOOBIG.into());
        }
        let flags = SendFlags::NOSIGNAL | SendFlags::DONTWAIT;
        loop {
            match retry_on_intr(|| sendmsg(&self.socket, &[IoSlice::new(&bytes)], &mut ancillary, flags)) {
                // The descriptors go with the first byte.
                Ok(count) => return self.send_bytes(bytes.get(count..).unwrap_or_default(), until),
                Err(Errno::AGAIN) => self.wait(PollFlags::OUT, until)?,
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// Receives until `take` returns a value. Other events are dropped; what follows stays in the reader.
    pub(in crate::durable) fn receive<T>(
        &mut self,
        until: Instant,
        mut take: impl FnMut(JobEvent<'_>) -> Option<T>,
    ) -> io::Result<T> {
        let mut buffer = vec![0; CHUNK];
        loop {
            while let Some(frame) =
                self.reader.next_frame().map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))?
            {
                if let Some(value) = JobEvent::decode(frame).and_then(&mut take) {
                    return Ok(value);
                }
            }
            match retry_on_intr(|| recv(&self.socket, &mut buffer[..], RecvFlags::DONTWAIT)) {
                Ok((0, _)) => return Err(io::ErrorKind::UnexpectedEof.into()),
                Ok((count, _)) => self.reader.push(&buffer[..count]),
                Err(Errno::AGAIN) => self.wait(PollFlags::IN, until)?,
                Err(error) => return Err(error.into()),
            }
        }
    }

    fn wait(&self, flags: PollFlags, until: Instant) -> io::Result<()> {
        let left = until.saturating_duration_since(Instant::now());
        let mut events = [PollFd::new(&self.socket, flags)];
        match poll(&mut events, Some(&timespec(left))) {
            Ok(0) => Err(io::ErrorKind::TimedOut.into()),
            Ok(_) | Err(Errno::INTR) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }
}

impl AsFd for SupervisorSocket {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}
