//! The launch of a helper by the spawner, and the messages that it sends.

use std::ffi::CString;
use std::fs::File;
use std::io::{self, IoSlice, IoSliceMut, Write};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use rustix::net::{
    AddressFamily, RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags, SocketFlags, SocketType, recvmsg, sendmsg, socketpair,
};
use rustix::process::Pid;

use super::inside::MAX_LISTENERS;
use super::plan::{MAX_PLAN, encode, encode_mount};
use super::report::{
    HelperReport, MAX_REPORT, MOUNT_DESCRIPTORS, Running, SandboxFailure, SandboxRefusal, SandboxStep,
};
use crate::process::errno::Errno;
use crate::process::fd::above_standard_streams;
use crate::process::fd::unnamed_file::unnamed_file;
use crate::process::helper_program::{OVERLAY, SANDBOX};
use crate::process::spawn::{Attributes, FdMapping, Limits, SpawnError, SpawnRequest, Spawned, Step};
use crate::process::wait::{await_exit, reap};
use crate::sandbox::plan::{OverlayMount, SandboxPlan, SandboxedCommand};
use crate::wire;

/// The helper's descriptor of its control socket, whose first message carries the plan.
pub const CONTROL_DESCRIPTOR: i32 = 3;

/// The largest number of descriptors that a helper gets: those of [`KeptDescriptors`], and those that
/// a command gets besides the standard streams.
pub const MAX_DESCRIPTORS: usize = 8;

/// The descriptors of the kept mounts that a command uses.
///
/// The order is that of the fields. All have one user namespace.
#[derive(Debug, Default)]
pub struct KeptDescriptors<D> {
    /// The user namespace; `None` without kept mounts.
    pub users: Option<D>,
    /// The lock of an overlay's layer, and the overlay's mount namespace.
    pub overlay: Option<(D, D)>,
    /// The mount of the private home.
    pub home: Option<HomeDescriptors<D>>,
}

/// The descriptors of the mount of a private home.
#[derive(Debug)]
pub struct HomeDescriptors<D> {
    /// The mount namespace of the kept mount.
    pub mounts: D,
    /// The root directory of the kept mount.
    pub root: D,
    /// The context by which it is reconfigured.
    pub context: D,
}

impl<D> KeptDescriptors<D> {
    /// Takes the descriptors that a plan needs off the beginning of a list. `None` if the list is too short.
    pub fn take(plan: &SandboxPlan, from: &mut impl Iterator<Item = D>) -> Option<Self> {
        let (has_overlay, has_home) = (plan.overlay.is_some(), plan.private_home().is_some());
        let mut kept = Self { users: None, overlay: None, home: None };
        if has_overlay || has_home {
            kept.users = Some(from.next()?);
        }
        if has_overlay {
            kept.overlay = Some((from.next()?, from.next()?));
        }
        if has_home {
            kept.home =
                Some(HomeDescriptors { mounts: from.next()?, root: from.next()?, context: from.next()? });
        }
        Some(kept)
    }

    /// Returns the descriptors, in the order of the fields.
    pub fn into_list(self) -> Vec<D> {
        let overlay = self.overlay.into_iter().flat_map(|(lock, mounts)| [lock, mounts]);
        let home = self.home.into_iter().flat_map(|home| [home.mounts, home.root, home.context]);
        self.users.into_iter().chain(overlay).chain(home).collect()
    }
}

/// A helper to spawn: `program` under the name `name`, without an environment, in `/`, with the command's
/// standard streams, and with `socket` as its descriptor [`CONTROL_DESCRIPTOR`]. The limits of the command
/// are part of the plan; the helper gets none.
#[derive(Debug)]
pub struct Launch {
    /// The helper's path.
    pub program: CString,
    /// The only argument, which selects the role.
    pub name: CString,
    /// The helper's end of the control socket. The host closes it after the spawn.
    pub socket: OwnedFd,
    /// The host's end.
    pub control: Control,
}

/// The host's end of the control socket.
#[derive(Debug)]
pub struct Control(OwnedFd);

impl Launch {
    /// Spawns the helper in place of the program of a request, by `spawn`.
    ///
    /// # Errors
    ///
    /// The failed step of the spawn.
    pub fn spawn(
        self,
        request: &SpawnRequest<'_>,
        spawn: impl FnOnce(&SpawnRequest<'_>) -> Result<Spawned, SpawnError>,
    ) -> Result<(Spawned, Control), SpawnError> {
        let root = File::open("/").map_err(SpawnError::at(Step::Descriptors))?;
        // The socket is dropped behind this: the helper has the only copy, so its death closes the other end.
        let Self { program, name, socket, control } = self;
        let spawned = spawn(&SpawnRequest {
            candidates: &[program],
            arguments: &[name],
            environment: &[],
            directory: root.as_fd(),
            extra_fd: Some(FdMapping { source: socket.as_fd(), target: CONTROL_DESCRIPTOR }),
            limits: &Limits::default(),
            // The command takes the terminal.
            attributes: Attributes { has_terminal: false, ..request.attributes },
            // The command carries the tag: the sandbox init and the stub remover are no processes of the job.
            tag: None,
            ..*request
        })?;
        Ok((spawned, control))
    }
}

/// Ends a helper that could not start its command, and returns the step of an ordinary spawn that has failed;
/// `None` if the sandbox could not be built.
#[must_use]
pub fn end_failed(helper: Pid, failure: &SandboxFailure) -> Option<Step> {
    await_exit(helper);
    reap(helper);
    match failure.step {
        SandboxStep::Execute => Some(Step::Execute),
        SandboxStep::Directory => Some(Step::Directory),
        _ => None,
    }
}

/// Prepares a helper for this plan. `descriptors` are those of the kept mounts that the plan uses
/// ([`KeptDescriptors`]), and then become those that `command.descriptors` names, in order.
///
/// # Errors
///
/// The system's error, such as `EMFILE`; `E2BIG` for a plan above [`MAX_PLAN`].
pub fn prepare(
    helper: &Path,
    plan: &SandboxPlan,
    command: &SandboxedCommand,
    descriptors: &[BorrowedFd<'_>],
) -> io::Result<Launch> {
    prepare_role(helper, SANDBOX, &encode(plan, command), descriptors)
}

/// Prepares a helper that makes a copy-on-write mount, in this user namespace or a new one.
/// [`Control::receive_mount`] returns the result.
///
/// # Errors
///
/// The system's error, such as `EMFILE`.
pub fn prepare_mount(
    helper: &Path,
    mount: &OverlayMount,
    users: Option<BorrowedFd<'_>>,
) -> io::Result<Launch> {
    prepare_role(helper, OVERLAY, &encode_mount(mount), &users.into_iter().collect::<Vec<_>>())
}

fn prepare_role(
    helper: &Path,
    role: &str,
    bytes: &[u8],
    descriptors: &[BorrowedFd<'_>],
) -> io::Result<Launch> {
    if bytes.len() > MAX_PLAN || descriptors.len() > MAX_DESCRIPTORS {
        return Err(io::Error::from_raw_os_error(libc::E2BIG));
    }
    let (control, socket) =
        socketpair(AddressFamily::UNIX, SocketType::SEQPACKET, SocketFlags::CLOEXEC, None)?;
    let (control, socket) = (above_standard_streams(control)?, above_standard_streams(socket)?);
    let mut file = File::from(unnamed_file()?);
    file.write_all(bytes)?;
    let passed: Vec<BorrowedFd<'_>> = [file.as_fd()].into_iter().chain(descriptors.iter().copied()).collect();
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MAX_DESCRIPTORS + 1))];
    let mut ancillary = SendAncillaryBuffer::new(&mut space);
    ancillary.push(SendAncillaryMessage::ScmRights(&passed));
    sendmsg(&control, &[IoSlice::new(b"p")], &mut ancillary, SendFlags::NOSIGNAL)?;
    Ok(Launch {
        program: CString::new(helper.as_os_str().as_bytes())?,
        name: CString::new(role)?,
        socket,
        control: Control(control),
    })
}

impl Control {
    /// Waits until the command runs, or the sandbox could not be built: some milliseconds. The helper's end
    /// must be closed in this process, so that the death of the helper closes the socket.
    ///
    /// Refusals before the monitor's report that the command runs are added to `refused`. Returns the
    /// files of the network's counters too, with the network `off`.
    ///
    /// # Errors
    ///
    /// The step that failed. If the helper was killed, `ECANCELED` at [`SandboxStep::Plan`].
    pub fn await_running(
        &self,
        refused: &mut Vec<SandboxRefusal>,
    ) -> Result<(Running, Vec<OwnedFd>), SandboxFailure> {
        let mut running = None;
        loop {
            let received = self.receive(RecvFlags::empty());
            match (received.map_err(|error| unreported(Errno::of(&error)))?, running) {
                // Without an init, the helper executes the program itself: then the socket closes.
                (Some((HelperReport::Running(started), _)), _) if started.init.is_none() => {
                    running = Some(started);
                }
                (Some((HelperReport::Running(started), counters)), _) => return Ok((started, counters)),
                (None, Some(started)) => return Ok((started, Vec::new())),
                (Some((HelperReport::Failed(failure), _)), _) => return Err(failure),
                (Some((HelperReport::Refused(refusal), _)), _) => refused.push(refusal),
                (Some((HelperReport::Listening | HelperReport::Mounted, _)), _) => {
                    return Err(unreported(Errno(libc::EBADMSG)));
                }
                (None, None) => return Err(unreported(Errno(libc::ECANCELED))),
            }
        }
    }

    /// Waits for the first message of a sandbox with allowed hosts, which carries the listeners.
    ///
    /// # Errors
    ///
    /// The step that failed, as of [`Control::await_running`].
    pub fn receive_listeners(&self) -> Result<Vec<OwnedFd>, SandboxFailure> {
        self.receive_with(&HelperReport::Listening)
    }

    /// Waits for the descriptors of a copy-on-write mount.
    ///
    /// # Errors
    ///
    /// The step that failed, as of [`Control::await_running`].
    pub fn receive_mount(&self) -> Result<[OwnedFd; MOUNT_DESCRIPTORS], SandboxFailure> {
        let received = self.receive_with(&HelperReport::Mounted)?;
        received.try_into().map_err(|_| unreported(Errno(libc::EBADMSG)))
    }

    /// Waits for this message, and returns its descriptors.
    fn receive_with(&self, expected: &HelperReport) -> Result<Vec<OwnedFd>, SandboxFailure> {
        match self.receive(RecvFlags::empty()).map_err(|error| unreported(Errno::of(&error)))? {
            Some((report, descriptors)) if report == *expected => Ok(descriptors),
            Some((HelperReport::Failed(failure), _)) => Err(failure),
            _ => Err(unreported(Errno(libc::ECANCELED))),
        }
    }

    /// Returns a duplicate of this end, by which a task notices the end of the sandbox.
    ///
    /// # Errors
    ///
    /// The system's error, such as `EMFILE`.
    pub fn try_clone(&self) -> io::Result<OwnedFd> {
        self.0.try_clone()
    }

    /// Returns the next message if there is one, without waiting.
    ///
    /// # Errors
    ///
    /// The system's error, [`io::ErrorKind::WouldBlock`] if there is no message yet.
    pub fn next(&self) -> io::Result<Option<HelperReport>> {
        Ok(self.receive(RecvFlags::DONTWAIT)?.map(|(report, _)| report))
    }

    /// Receives a message and its descriptors. `None` if the helper's end is closed.
    fn receive(&self, flags: RecvFlags) -> io::Result<Option<(HelperReport, Vec<OwnedFd>)>> {
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MAX_LISTENERS))];
        let mut ancillary = RecvAncillaryBuffer::new(&mut space);
        let mut buffer = [0; MAX_REPORT];
        let received = rustix::io::retry_on_intr(|| {
            let mut slices = [IoSliceMut::new(&mut buffer)];
            recvmsg(&self.0, &mut slices, &mut ancillary, flags | RecvFlags::CMSG_CLOEXEC)
        });
        let length = received?.bytes;
        if length == 0 {
            return Ok(None);
        }
        let report = wire::decode(buffer.get(..length).unwrap_or_default())
            .map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))?;
        let descriptors = ancillary.drain().flat_map(|message| match message {
            RecvAncillaryMessage::ScmRights(descriptors) => descriptors.collect(),
            _ => Vec::new(),
        });
        Ok(Some((report, descriptors.map(above_standard_streams).collect::<io::Result<_>>()?)))
    }
}

impl AsFd for Control {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

fn unreported(errno: Errno) -> SandboxFailure {
    SandboxFailure { step: SandboxStep::Plan, errno, path: None }
}
