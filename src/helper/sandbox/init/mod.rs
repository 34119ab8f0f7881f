//! The sandbox init: the first process in the sandbox.
//!
//! The init is the parent of orphans, and carries out `connect()` for the other processes ([`calls`],
//! [`address`]). It lives as long as any process of the sandbox. When it exits, the kernel kills the
//! remaining processes. The init exits with the host, and when the monitor has exited without reporting
//! the end of the command.

mod address;
mod caller;
mod calls;
mod listener;
mod moved_tree;
mod orphans;
mod renames;
mod unix_paths;
mod watch;

use std::convert::Infallible;
use std::io::IoSliceMut;
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::thread;

use rustix::io::Errno;
use rustix::net::{
    AddressFamily, RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags, SocketFlags, SocketType, recv, recvmsg, send, sendmsg, socketpair,
};
use rustix::process::{DumpableBehavior, Pid, WaitOptions, set_dumpable_behavior, setsid, wait};

use super::confine::capabilities;
use super::failure::{FailureContext, failed};
use super::mounts::{MountView, isolated, proc};
use super::process::{WatchedProcesses, exit, fork, keep_only, release_standard_streams, set_signals};
use super::stub_remover::StubRemover;
use crate::sandbox::plan::{SandboxPlan, Tier};
use crate::sandbox::protocol::report::{HelperReport, MAX_REPORT, SandboxFailure, SandboxStep};
use crate::wire;
use calls::Broker;
use watch::Inside;

/// The init is ready: the command may start.
const READY: &[u8] = b"r";

/// The init, as the monitor sees it.
pub(super) struct Init {
    /// The pid outside.
    pub(super) pid: Pid,
    socket: OwnedFd,
}

/// Starts the init, and waits until it is ready.
pub(super) fn start(
    plan: &SandboxPlan,
    view: &MountView,
    control: &OwnedFd,
    life: &WatchedProcesses,
    remover: Option<&StubRemover>,
) -> Result<Init, SandboxFailure> {
    let (own, others) = socketpair(AddressFamily::UNIX, SocketType::SEQPACKET, SocketFlags::CLOEXEC, None)
        .at(SandboxStep::Fork)?;
    let Some(pid) = fork().at(SandboxStep::Fork)? else {
        drop(others);
        let Err(failure) = run(plan, view, control, life, remover, &own);
        let _ = send(&own, &wire::encode(&HelperReport::Failed(failure)), SendFlags::NOSIGNAL);
        exit(1)
    };
    drop(own);
    let init = Init { pid, socket: others };
    match init.receive().at(SandboxStep::Fork)?.as_slice() {
        READY => Ok(init),
        message => match wire::decode(message) {
            Ok(HelperReport::Failed(failure)) => Err(failure),
            _ => failed(SandboxStep::Fork, libc::ECHILD),
        },
    }
}

impl Init {
    fn receive(&self) -> rustix::io::Result<Vec<u8>> {
        let mut message = vec![0; MAX_REPORT];
        let (_, length) =
            rustix::io::retry_on_intr(|| recv(&self.socket, &mut message[..], RecvFlags::empty()))?;
        message.truncate(length);
        Ok(message)
    }

    /// Passes the command's descriptor for user notifications to the init.
    pub(super) fn pass(&self, listener: BorrowedFd<'_>) -> rustix::io::Result<()> {
        let passed = [listener];
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
        let mut ancillary = SendAncillaryBuffer::new(&mut space);
        ancillary.push(SendAncillaryMessage::ScmRights(&passed));
        let slice = std::io::IoSlice::new(b"l");
        sendmsg(&self.socket, &[slice], &mut ancillary, SendFlags::NOSIGNAL).map(|_| ())
    }

    /// Waits, after the end of the command, until the init has exited or reports that it stays. Returns
    /// whether it has exited.
    pub(super) fn await_end(&self) -> bool {
        let has_ended = self.receive().is_ok_and(|message| message.is_empty());
        // The init can exit only when all processes of its namespace are reaped. A command can create
        // children of this process there (`CLONE_PARENT`).
        let reap = || wait(WaitOptions::empty());
        let goes_on = |reaped| match reaped {
            Ok(Some((pid, _))) => pid != self.pid,
            Ok(None) => true,
            Err(error) => error == Errno::INTR,
        };
        while has_ended && goes_on(reap()) {}
        has_ended
    }
}

/// Runs the init. Returns only after a failure before the command starts.
fn run(
    plan: &SandboxPlan,
    view: &MountView,
    control: &OwnedFd,
    life: &WatchedProcesses,
    remover: Option<&StubRemover>,
    socket: &OwnedFd,
) -> Result<Infallible, SandboxFailure> {
    setsid().at(SandboxStep::Fork)?;
    if plan.tier == Tier::Namespaces {
        proc::attach(view.root.as_fd())?;
    }
    if plan.readable.is_some() {
        isolated::leave_host()?;
    }
    release_standard_streams().at(SandboxStep::Descriptors)?;
    let kept = [control, &life.monitor.read, &life.host, socket]
        .into_iter()
        .chain(remover.map(|remover| &remover.life));
    let layers = view.layers.iter().flat_map(|layer| std::iter::once(&layer.upper).chain(&layer.lock));
    let sockets = view.sockets.iter().map(|(_, socket)| socket);
    keep_only(&mut kept.chain(layers).chain(sockets).map(AsRawFd::as_raw_fd).collect::<Vec<_>>());
    capabilities::keep_tracing()?;
    set_dumpable_behavior(DumpableBehavior::NotDumpable).at(SandboxStep::Capabilities)?;
    set_signals([libc::SIGHUP, libc::SIGINT, libc::SIGTERM].into_iter(), libc::SIG_IGN);
    send(socket, READY, SendFlags::NOSIGNAL).at(SandboxStep::Fork)?;
    // Before any thread starts: threads must not receive the signal.
    let child_gone = watch::signal_descriptor().at(SandboxStep::Fork)?;
    let Some(listener) = receive_listener(socket.as_fd()) else {
        // The command could not be confined, so the monitor ends too.
        exit(1);
    };
    let broker = Broker::new(plan, view, control.as_fd());
    let inside = match plan.tier {
        Tier::Namespaces => Inside::Children(&child_gone),
        _ => Inside::Callers(&listener),
    };
    thread::scope(|scope| {
        listener::serve(scope, &listener, &broker);
        watch::watch(&inside, life, socket.as_fd());
    });
    exit(0)
}

/// Receives the descriptor for user notifications. `None` if the command has ended before.
fn receive_listener(socket: BorrowedFd<'_>) -> Option<OwnedFd> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut ancillary = RecvAncillaryBuffer::new(&mut space);
    let mut byte = [0];
    let mut slices = [IoSliceMut::new(&mut byte)];
    let flags = RecvFlags::CMSG_CLOEXEC;
    rustix::io::retry_on_intr(|| recvmsg(socket, &mut slices, &mut ancillary, flags)).ok()?;
    ancillary.drain().find_map(|message| match message {
        RecvAncillaryMessage::ScmRights(mut descriptors) => descriptors.next(),
        _ => None,
    })
}
