//! The socket at which the programs of one job ask.

use std::io::{self, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::task::{Context, Poll};

use rustix::io::Errno;
use rustix::net::{
    AddressFamily, RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendFlags, SocketAddrUnix,
    SocketFlags, SocketType, UCred, accept_with, bind, listen, recv, recvmsg, send, socket_with, sockopt,
};
use rustix::process::Pid;
use tokio::io::unix::AsyncFd;

use crate::process::directory::private::PrivateDirectory;
use crate::process::fd::above_standard_streams;
use crate::process::fd::readiness::register_readable;
use crate::process::helper_program::{self, ASKPASS};

/// The connections that wait in the kernel until they are accepted.
const BACKLOG: i32 = 16;

/// The directory of a job, and the socket in it. Both go when this is dropped.
#[derive(Debug)]
pub struct AskpassSocket {
    directory: PrivateDirectory,
    socket: OwnedFd,
}

/// The question that a program sent.
#[derive(Debug)]
pub struct Received {
    pub bytes: Vec<u8>,
    /// The standard output of the process that sent it.
    pub output: OwnedFd,
    /// The process that sent it, as the kernel says.
    pub sender: Pid,
}

impl AskpassSocket {
    /// Makes the directory, with a link to the helper program and a socket of this name.
    ///
    /// # Errors
    ///
    /// The system's error.
    pub fn create(name: &str) -> io::Result<Self> {
        PrivateDirectory::create(|directory| {
            symlink(helper_program::path(), directory.path().join(ASKPASS))?;
            let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
            let socket = socket_with(AddressFamily::UNIX, SocketType::SEQPACKET, flags, None)?;
            bind(&socket, &SocketAddrUnix::new(directory.path().join(name))?)?;
            listen(&socket, BACKLOG)?;
            Ok(Self { directory, socket: above_standard_streams(socket)? })
        })
    }

    /// Returns the path of the directory.
    #[must_use]
    pub fn directory(&self) -> &Path {
        self.directory.path()
    }

    /// Returns the path of the program that asks.
    #[must_use]
    pub fn program(&self) -> PathBuf {
        self.directory.path().join(ASKPASS)
    }

    /// Registers the socket with the runtime of the I/O thread. The directory goes when the other part is
    /// dropped.
    ///
    /// # Errors
    ///
    /// The system's error.
    pub fn listener(self) -> io::Result<(AskpassListener, PrivateDirectory)> {
        Ok((AskpassListener(register_readable(self.socket)?), self.directory))
    }
}

/// Accepts the connections of programs.
#[derive(Debug)]
pub struct AskpassListener(AsyncFd<OwnedFd>);

impl AskpassListener {
    /// Waits for the next connection. Cancel safe.
    ///
    /// # Errors
    ///
    /// The system's error, such as `EMFILE`.
    pub async fn accept(&self) -> io::Result<AskpassConnection> {
        let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
        loop {
            let mut guard = self.0.readable().await?;
            match guard.try_io(|socket| Ok(accept_with(socket, flags)?)) {
                Ok(accepted) => {
                    let socket = above_standard_streams(accepted?)?;
                    sockopt::set_socket_passcred(&socket, true)?;
                    return Ok(AskpassConnection(register_readable(socket)?));
                }
                Err(_would_block) => {}
            }
        }
    }
}

/// The connection of one program that asks.
#[derive(Debug)]
pub struct AskpassConnection(AsyncFd<OwnedFd>);

impl AskpassConnection {
    /// Waits for the message of a program of this user; `None` for anything else. Cancel safe.
    pub async fn receive(&self, most: usize) -> Option<Received> {
        loop {
            let mut guard = self.0.readable().await.ok()?;
            match guard.try_io(|socket| receive(socket, most)) {
                Ok(received) => return received.ok().flatten(),
                Err(_would_block) => {}
            }
        }
    }

    /// Polls for the end of the program that asks, which sends nothing more.
    pub fn poll_closed(&self, context: &mut Context<'_>) -> Poll<()> {
        loop {
            let Poll::Ready(ready) = self.0.poll_read_ready(context) else { return Poll::Pending };
            // Without the runtime, nobody waits any more.
            let Ok(mut guard) = ready else { return Poll::Ready(()) };
            let next = recv(&self.0, &mut [0_u8][..], RecvFlags::PEEK | RecvFlags::DONTWAIT);
            if !matches!(next, Err(Errno::AGAIN)) {
                return Poll::Ready(());
            }
            guard.clear_ready();
        }
    }

    /// Sends a message, which is small and the only one. A program that is gone gets none.
    pub fn send(&self, bytes: &[u8]) {
        let _ = send(&self.0, bytes, SendFlags::NOSIGNAL | SendFlags::DONTWAIT);
    }
}

#[cfg(test)]
impl AskpassConnection {
    /// Makes a connection, and returns the socket of the program that asks too.
    pub(crate) fn pair() -> (Self, OwnedFd) {
        let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
        let pair = rustix::net::socketpair(AddressFamily::UNIX, SocketType::SEQPACKET, flags, None);
        let (engine, program) = pair.expect("a pair of sockets");
        (Self(register_readable(engine).expect("registered")), program)
    }
}

fn receive(socket: &AsyncFd<OwnedFd>, most: usize) -> io::Result<Option<Received>> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1), ScmCredentials(1))];
    let mut ancillary = RecvAncillaryBuffer::new(&mut space);
    // One byte more shows that a message was longer.
    let mut bytes = vec![0; most + 1];
    let flags = RecvFlags::DONTWAIT | RecvFlags::CMSG_CLOEXEC;
    let length = recvmsg(socket, &mut [IoSliceMut::new(&mut bytes)], &mut ancillary, flags)?.bytes;
    let (mut output, mut sender) = (None, None);
    for message in ancillary.drain() {
        match message {
            RecvAncillaryMessage::ScmRights(mut descriptors) => output = descriptors.next(),
            RecvAncillaryMessage::ScmCredentials(UCred { pid, uid, .. }) => sender = Some((pid, uid)),
            _ => {}
        }
    }
    let (Some(output), Some((sender, uid))) = (output, sender) else { return Ok(None) };
    if length > most || uid != rustix::process::geteuid() {
        return Ok(None);
    }
    bytes.truncate(length);
    Ok(Some(Received { bytes, output: above_standard_streams(output)?, sender }))
}
