//! Receives the plan, and sends reports.

use std::fs::File;
use std::io::{IoSlice, IoSliceMut, Read, Seek};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, FromRawFd, OwnedFd};

use rustix::io::{FdFlags, fcntl_setfd};
use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer, SendAncillaryMessage,
    SendFlags, recvmsg, sendmsg,
};

use super::failure::{FailureContext, failed};
use crate::sandbox::plan::{OverlayMount, SandboxPlan, SandboxedCommand};
use crate::sandbox::protocol::inside::MAX_LISTENERS;
use crate::sandbox::protocol::launch::{CONTROL_DESCRIPTOR, KeptDescriptors, MAX_DESCRIPTORS};
use crate::sandbox::protocol::plan::{MAX_PLAN, decode, decode_mount};
use crate::sandbox::protocol::report::{
    HelperReport, MOUNT_DESCRIPTORS, Running, SandboxFailure, SandboxStep,
};
use crate::wire;

/// The first message on the control socket: the plan, with what the host has opened for it.
pub(super) struct PlanMessage {
    pub(super) plan: SandboxPlan,
    pub(super) command: SandboxedCommand,
    /// The descriptors for the command, as many as `command.descriptors` names.
    pub(super) descriptors: Vec<OwnedFd>,
    /// The mounts of the engine that the command uses.
    pub(super) kept: KeptDescriptors<OwnedFd>,
}

/// Takes the control socket, which the spawner has placed at [`CONTROL_DESCRIPTOR`].
pub(super) fn control_socket() -> OwnedFd {
    // SAFETY: nothing else in this process has taken this descriptor; if it is closed, the first use fails.
    let control = unsafe { OwnedFd::from_raw_fd(CONTROL_DESCRIPTOR) };
    // Where the descriptor is no socket, reading the plan fails.
    let _ = fcntl_setfd(&control, FdFlags::CLOEXEC);
    control
}

/// Reads the plan and its descriptors.
pub(super) fn receive(control: BorrowedFd<'_>) -> Result<PlanMessage, SandboxFailure> {
    let step = SandboxStep::Plan;
    let (bytes, received) = receive_bytes(control)?;
    let Ok((plan, command)) = decode(&bytes) else { return failed(step, libc::EBADMSG) };
    let mut received = received.into_iter();
    let Some(kept) = KeptDescriptors::take(&plan, &mut received) else {
        return failed(step, libc::EBADMSG);
    };
    let descriptors: Vec<OwnedFd> = received.collect();
    if descriptors.len() != command.descriptors.len() {
        return failed(step, libc::EBADMSG);
    }
    Ok(PlanMessage { plan, command, descriptors, kept })
}

/// Reads a copy-on-write mount, and the user namespace for it; `None` for a new one.
pub(super) fn receive_mount(
    control: BorrowedFd<'_>,
) -> Result<(OverlayMount, Option<OwnedFd>), SandboxFailure> {
    let (bytes, descriptors) = receive_bytes(control)?;
    let mount = decode_mount(&bytes).or_else(|_| failed(SandboxStep::Plan, libc::EBADMSG))?;
    Ok((mount, descriptors.into_iter().next()))
}

/// Reads the bytes of a plan, and the descriptors in the same messages.
fn receive_bytes(control: BorrowedFd<'_>) -> Result<(Vec<u8>, Vec<OwnedFd>), SandboxFailure> {
    let step = SandboxStep::Plan;
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MAX_DESCRIPTORS + 1))];
    let mut ancillary = RecvAncillaryBuffer::new(&mut space);
    let mut byte = [0];
    recvmsg(control, &mut [IoSliceMut::new(&mut byte)], &mut ancillary, RecvFlags::CMSG_CLOEXEC).at(step)?;
    let mut received = ancillary.drain().flat_map(|message| match message {
        RecvAncillaryMessage::ScmRights(descriptors) => descriptors.collect(),
        _ => Vec::new(),
    });
    let Some(file) = received.next() else { return failed(step, libc::EBADMSG) };
    let descriptors: Vec<OwnedFd> = received.collect();
    let mut bytes = Vec::new();
    let mut file = File::from(file);
    file.rewind().at(step)?;
    file.take(MAX_PLAN as u64 + 1).read_to_end(&mut bytes).at(step)?;
    Ok((bytes, descriptors))
}

/// Sends the listeners to the host.
pub(super) fn send_listeners(control: BorrowedFd<'_>, listeners: &[OwnedFd]) -> Result<(), SandboxFailure> {
    send_with(control, &HelperReport::Listening, listeners).at(SandboxStep::Listen)
}

/// Sends the descriptors of a copy-on-write mount to the host.
pub(super) fn send_mount(
    control: BorrowedFd<'_>,
    descriptors: &[OwnedFd; MOUNT_DESCRIPTORS],
) -> Result<(), SandboxFailure> {
    send_with(control, &HelperReport::Mounted, descriptors).at(SandboxStep::Overlay)
}

/// Sends that the command runs, and the files of its network's counters. A host that has exited needs
/// neither.
pub(super) fn send_running(control: BorrowedFd<'_>, running: Running, counters: &[OwnedFd]) {
    let _ = send_with(control, &HelperReport::Running(running), counters);
}

/// Sends a report with descriptors, at most [`MAX_LISTENERS`].
fn send_with(
    control: BorrowedFd<'_>,
    report: &HelperReport,
    descriptors: &[OwnedFd],
) -> rustix::io::Result<()> {
    let passed: Vec<BorrowedFd<'_>> = descriptors.iter().map(AsFd::as_fd).collect();
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MAX_LISTENERS))];
    let mut ancillary = SendAncillaryBuffer::new(&mut space);
    ancillary.push(SendAncillaryMessage::ScmRights(&passed));
    sendmsg(control, &[IoSlice::new(&wire::encode(report))], &mut ancillary, SendFlags::NOSIGNAL).map(|_| ())
}

/// Sends a report without blocking: a host that has exited, or does not read, must not stop the sandbox init.
pub(super) fn send(control: BorrowedFd<'_>, report: &HelperReport) {
    let flags = SendFlags::NOSIGNAL | SendFlags::DONTWAIT;
    let _ = rustix::io::retry_on_intr(|| rustix::net::send(control, &wire::encode(report), flags));
}
