//! Copies the mount of a private home out of the namespace in which the engine keeps it.

use std::io::{self, IoSlice, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, OwnedFd};

use rustix::net::{
    AddressFamily, RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags, SocketFlags, SocketType, recvmsg, sendmsg, socketpair,
};
use rustix::process::{WaitOptions, waitpid};

use super::failure::FailureContext;
use super::mounts::tree::{self, WRITABLE, set_attributes};
use super::namespaces::join_mounts;
use super::process::{exit, fork};
use crate::sandbox::protocol::report::{SandboxFailure, SandboxStep};

/// Returns a detached copy of the mount of a home with this root directory.
///
/// A child of this process enters the namespace: the mounts of this process must stay those of the host, and
/// a process without privileges there could not come back.
pub(super) fn copy(mounts: &OwnedFd, root: &OwnedFd) -> Result<OwnedFd, SandboxFailure> {
    copy_by_child(mounts, root).at(SandboxStep::Source)
}

fn copy_by_child(mounts: &OwnedFd, root: &OwnedFd) -> io::Result<OwnedFd> {
    let (own, child) = socketpair(AddressFamily::UNIX, SocketType::SEQPACKET, SocketFlags::CLOEXEC, None)?;
    let Some(pid) = fork()? else {
        let copied = copy_inside(mounts, root).and_then(|tree| send(&child, &tree));
        exit(copied.err().and_then(|error| error.raw_os_error()).unwrap_or(0));
    };
    drop(child);
    let received = receive(&own)?;
    let ended = rustix::io::retry_on_intr(|| waitpid(Some(pid), WaitOptions::empty()))?;
    let errno = ended.and_then(|(_, status)| status.exit_status()).unwrap_or(libc::ECANCELED);
    received.ok_or_else(|| io::Error::from_raw_os_error(errno))
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

/// Receives a descriptor. `None` if the child has ended without one.
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
