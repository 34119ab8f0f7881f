//! Refreshes the mount of a private home, and copies it out of the namespace in which the engine keeps it.

use std::io::{self, IoSlice, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, OwnedFd};

use rustix::mount::fsconfig_reconfigure;
use rustix::net::{
    AddressFamily, RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags, SocketFlags, SocketType, recvmsg, sendmsg, socketpair,
};
use rustix::process::{Pid, WaitOptions, waitpid};

use super::failure::FailureContext;
use super::mounts::tree::{self, WRITABLE, set_attributes};
use super::namespaces::join_mounts;
use super::process::{exit, fork};
use crate::sandbox::protocol::launch::HomeDescriptors;
use crate::sandbox::protocol::report::{SandboxFailure, SandboxStep};

/// A copy of the mount of a home that a child of this process makes.
pub(super) struct HomeCopy {
    child: Pid,
    socket: OwnedFd,
}

/// Starts to refresh and to copy the mount of a home.
///
/// A child of this process enters the namespace: the mounts of this process must stay those of the host, and
/// a process without privileges there could not come back. This process goes on meanwhile.
pub(super) fn start(home: &HomeDescriptors<OwnedFd>) -> Result<HomeCopy, SandboxFailure> {
    start_child(home).at(SandboxStep::Source)
}

fn start_child(home: &HomeDescriptors<OwnedFd>) -> io::Result<HomeCopy> {
    let (own, child) = socketpair(AddressFamily::UNIX, SocketType::SEQPACKET, SocketFlags::CLOEXEC, None)?;
    if let Some(pid) = fork()? {
        return Ok(HomeCopy { child: pid, socket: own });
    }
    let copied = copy_inside(&home.mounts, &home.root).and_then(|tree| send(&child, &tree));
    // As in `KeptMount::refresh`.
    let ended = copied.and_then(|()| Ok(fsconfig_reconfigure(home.context.as_fd())?));
    exit(ended.err().and_then(|error| error.raw_os_error()).unwrap_or(0))
}

impl HomeCopy {
    /// Waits for the detached copy. From then on, the mount shows the present files of the host, so paths can
    /// be hidden there.
    pub(super) fn finish(self) -> Result<OwnedFd, SandboxFailure> {
        self.finished().at(SandboxStep::Source)
    }

    fn finished(self) -> io::Result<OwnedFd> {
        let ended = rustix::io::retry_on_intr(|| waitpid(Some(self.child), WaitOptions::empty()))?;
        match ended.and_then(|(_, status)| status.exit_status()).unwrap_or(libc::ECANCELED) {
            0 => receive(&self.socket)?.ok_or_else(|| io::ErrorKind::UnexpectedEof.into()),
            errno => Err(io::Error::from_raw_os_error(errno)),
        }
    }
}

fn copy_inside(mounts: &OwnedFd, root: &OwnedFd) -> io::Result<OwnedFd> {
    join_mounts(mounts)?;
    let tree = tree::copy(root.as_fd())?;
    set_attributes(tree.as_fd(), WRITABLE, 0)?;
    Ok(tree)
}

fn send(socket: &OwnedFd, tree: &OwnedFd) -> io::Result<()> {
    let passed = [tree.as_fd()];
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut ancillary = SendAncillaryBuffer::new(&mut space);
    ancillary.push(SendAncillaryMessage::ScmRights(&passed));
    sendmsg(socket, &[IoSlice::new(b"t")], &mut ancillary, SendFlags::NOSIGNAL)?;
    Ok(())
}

/// Receives a descriptor of a child that has ended.
fn receive(socket: &OwnedFd) -> io::Result<Option<OwnedFd>> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut ancillary = RecvAncillaryBuffer::new(&mut space);
    let mut byte = [0];
    let mut slices = [IoSliceMut::new(&mut byte)];
    let flags = RecvFlags::CMSG_CLOEXEC;
    rustix::io::retry_on_intr(|| recvmsg(socket, &mut slices, &mut ancillary, flags))?;
    Ok(ancillary.drain().find_map(|message| match message {
        RecvAncillaryMessage::ScmRights(mut descriptors) => descriptors.next(),
        _ => None,
    }))
}
