//! An end of the socket between the host and the interceptor, which never blocks.

use std::fs::File;
use std::io::{self, IoSlice, IoSliceMut, Read, Seek, Write};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd, RawFd};

use rustix::io::{Errno, retry_on_intr};
use rustix::net::{
    AddressFamily, RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, ReturnFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags, SocketFlags, SocketType, recvmsg, sendmsg, socketpair,
};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::messages::{HostMessage, InterceptorMessage, MAX_FIRST, MAX_SCOPE, ScopePlan};
use crate::process::fd::above_standard_streams;
use crate::process::fd::unnamed_file::unnamed_file;
use crate::wire;

/// The longest message (bytes): a connection with the first bytes of its client, or the certificate of an
/// authority with the names of all hosts.
pub const MAX_MESSAGE: usize = 96 << 10;
const _: () = assert!(MAX_FIRST + 4096 <= MAX_MESSAGE);

/// The most descriptors of a message: those of a connection.
const MAX_DESCRIPTORS: usize = 2;

/// An end of the socket between the host and the interceptor.
///
/// For a runtime, register it for both directions, and read also while a message waits to be written: the
/// other end may do the same.
#[derive(Debug)]
pub struct InterceptSocket(OwnedFd);

impl InterceptSocket {
    /// Creates both ends. Closing one end closes the other.
    ///
    /// # Errors
    ///
    /// The system's error, such as `EMFILE`.
    pub fn pair() -> io::Result<(Self, Self)> {
        let (host, interceptor) =
            socketpair(AddressFamily::UNIX, SocketType::SEQPACKET, SocketFlags::CLOEXEC, None)?;
        Ok((Self(above_standard_streams(host)?), Self(above_standard_streams(interceptor)?)))
    }

    /// Takes an end that [`Self::pair`] has created, in the other process.
    #[must_use]
    pub const fn of(end: OwnedFd) -> Self {
        Self(end)
    }

    /// Returns the end, to pass it to a new process.
    #[must_use]
    pub fn into_inner(self) -> OwnedFd {
        self.0
    }

    /// Sends a message of the host, with the descriptors that [`HostMessage`] names.
    ///
    /// # Errors
    ///
    /// As of [`Self::report`].
    pub fn tell(&self, message: &HostMessage, descriptors: &[BorrowedFd<'_>]) -> io::Result<()> {
        self.send(message, descriptors)
    }

    /// Sends a message of the interceptor.
    ///
    /// # Errors
    ///
    /// [`io::ErrorKind::WouldBlock`] if the socket is full, `EPIPE` or `ECONNRESET` if the other end is
    /// closed, `EMSGSIZE` for a message above [`MAX_MESSAGE`].
    pub fn report(&self, message: &InterceptorMessage) -> io::Result<()> {
        self.send(message, &[])
    }

    /// Receives the host's next message and its descriptors; `None` if the host has closed its end.
    ///
    /// # Errors
    ///
    /// As of [`Self::next_report`].
    pub fn next_order(&self) -> io::Result<Option<(HostMessage, Vec<OwnedFd>)>> {
        self.receive()
    }

    /// Receives the interceptor's next message; `None` if the interceptor has closed its end.
    ///
    /// # Errors
    ///
    /// [`io::ErrorKind::WouldBlock`] if there is no message yet, [`io::ErrorKind::InvalidData`] for a message
    /// of another version, `EMFILE` if there was no descriptor left for those of a message.
    pub fn next_report(&self) -> io::Result<Option<InterceptorMessage>> {
        Ok(self.receive()?.map(|(message, _)| message))
    }

    fn send(&self, message: &impl Serialize, descriptors: &[BorrowedFd<'_>]) -> io::Result<()> {
        let bytes = wire::encode(message);
        if bytes.len() > MAX_MESSAGE {
            return Err(Errno::MSGSIZE.into());
        }
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MAX_DESCRIPTORS))];
        let mut ancillary = SendAncillaryBuffer::new(&mut space);
        if !descriptors.is_empty() && !ancillary.push(SendAncillaryMessage::ScmRights(descriptors)) {
            return Err(Errno::TOOBIG.into());
        }
        let flags = SendFlags::NOSIGNAL | SendFlags::DONTWAIT;
        retry_on_intr(|| sendmsg(&self.0, &[IoSlice::new(&bytes)], &mut ancillary, flags))?;
        Ok(())
    }

    fn receive<T: DeserializeOwned>(&self) -> io::Result<Option<(T, Vec<OwnedFd>)>> {
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MAX_DESCRIPTORS))];
        let mut ancillary = RecvAncillaryBuffer::new(&mut space);
        let mut buffer = vec![0; MAX_MESSAGE];
        let flags = RecvFlags::DONTWAIT | RecvFlags::CMSG_CLOEXEC;
        let received =
            retry_on_intr(|| recvmsg(&self.0, &mut [IoSliceMut::new(&mut buffer)], &mut ancillary, flags))?;
        if received.bytes == 0 {
            return Ok(None);
        }
        if received.flags.contains(ReturnFlags::CTRUNC) {
            return Err(Errno::MFILE.into());
        }
        let message = wire::decode(buffer.get(..received.bytes).unwrap_or_default())
            .map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))?;
        let descriptors = ancillary.drain().flat_map(|message| match message {
            RecvAncillaryMessage::ScmRights(descriptors) => descriptors.collect(),
            _ => Vec::new(),
        });
        Ok(Some((message, descriptors.map(above_standard_streams).collect::<io::Result<_>>()?)))
    }
}

impl AsFd for InterceptSocket {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

impl AsRawFd for InterceptSocket {
    fn as_raw_fd(&self) -> RawFd {
        self.0.as_raw_fd()
    }
}

/// Writes a plan into an unnamed file, for [`HostMessage::Scope`].
///
/// # Errors
///
/// The system's error, such as `EMFILE`; `E2BIG` for a plan above [`MAX_SCOPE`].
pub fn write_scope(plan: &ScopePlan) -> io::Result<OwnedFd> {
    let bytes = wire::encode(plan);
    if bytes.len() > MAX_SCOPE {
        return Err(Errno::TOOBIG.into());
    }
    let mut file = File::from(unnamed_file()?);
    file.write_all(&bytes)?;
    Ok(file.into())
}

/// Reads a plan from the file of [`write_scope`].
///
/// # Errors
///
/// The system's error, [`io::ErrorKind::InvalidData`] for bytes that are no plan.
pub fn read_scope(file: OwnedFd) -> io::Result<ScopePlan> {
    let mut file = File::from(file);
    file.rewind()?;
    let mut bytes = Vec::new();
    file.take(MAX_SCOPE as u64 + 1).read_to_end(&mut bytes)?;
    wire::decode(&bytes).map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))
}

#[cfg(test)]
mod tests {
    use std::io::ErrorKind;
    use std::os::fd::AsFd;

    use rustix::pipe::pipe;

    use super::{InterceptSocket, MAX_MESSAGE, read_scope, write_scope};
    use crate::sandbox::network::allow::AllowedDestination;
    use crate::sandbox::protocol::intercept::messages::{
        HeaderRule, HostMessage, HostRule, InterceptorMessage, MAX_FIRST, PassedConnection, ScopePlan,
        SecretPlan, SecretText,
    };

    fn plan() -> ScopePlan {
        let header =
            HeaderRule { name: "authorization".to_owned(), template: "Bearer {}".to_owned(), secret: 0 };
        let rule = HostRule {
            destination: AllowedDestination { host: "a.b".to_owned(), port: 443 },
            headers: vec![header],
            methods: Some(vec!["GET".to_owned()]),
            paths: Some(vec!["/**".to_owned()]),
            masks: true,
            is_plain: false,
        };
        let secret = SecretPlan { name: "x".to_owned(), value: Some(SecretText("topsecret".to_owned())) };
        ScopePlan { rules: vec![rule], secrets: vec![secret], roots: vec![7; 300_000] }
    }

    #[test]
    fn a_connection_arrives_with_its_descriptors_and_its_first_bytes() {
        let (host, interceptor) = InterceptSocket::pair().expect("a pair");
        let (one, other) = pipe().expect("a pipe");
        let passed = PassedConnection {
            id: 7,
            scope: 1,
            host: "a.b".to_owned(),
            port: 443,
            first: vec![22; MAX_FIRST],
        };
        let message = HostMessage::Connection(passed.clone());
        host.tell(&message, &[one.as_fd(), other.as_fd()]).expect("it is sent");
        let (received, descriptors) = interceptor.next_order().expect("a message").expect("open");
        let HostMessage::Connection(received) = received else { panic!("{received:?}") };
        assert_eq!(received, passed);
        assert_eq!(descriptors.len(), 2);
        assert_eq!(interceptor.next_order().expect_err("no more").kind(), ErrorKind::WouldBlock);
        drop(host);
        assert!(interceptor.next_order().expect("the end").is_none());
    }

    #[test]
    fn a_scope_is_read_from_its_file() {
        let file = write_scope(&plan()).expect("a file");
        assert_eq!(read_scope(file).expect("a plan"), plan());
    }

    #[test]
    fn a_message_that_is_too_long_is_not_sent() {
        let (host, interceptor) = InterceptSocket::pair().expect("a pair");
        let certificate = Ok("x".repeat(MAX_MESSAGE));
        let error = interceptor.report(&InterceptorMessage::Scope { id: 1, certificate });
        assert_eq!(error.expect_err("too long").raw_os_error(), Some(libc::EMSGSIZE));
        let hello = InterceptorMessage::Hello { version: "1.2.3".to_owned() };
        interceptor.report(&hello).expect("it is sent");
        assert_eq!(host.next_report().expect("a message"), Some(hello));
    }

    #[test]
    fn no_secret_is_in_a_debug_text() {
        let value = HostMessage::Value {
            request: 1,
            scope: 1,
            secret: 0,
            value: Ok(SecretText("topsecret".to_owned())),
        };
        assert!(!format!("{value:?} {:?}", plan().secrets).contains("topsecret"));
    }
}
