//! The mounts of a sandbox: the file system that the command sees.
//!
//! [`build`] has the order: clone the mounts of all writable paths (`tree`), make the rest read-only (or
//! leave it out, `isolated`), attach the clones over it, and at last protect and hide paths. `dev` and
//! [`proc`] are the kernel's own file systems; the sandbox init attaches the latter. `resolver_files` directs
//! programs to the name server for allowed hosts, `shown` copies public files of hidden directories, and
//! `attached` puts files of the engine in the place of others.

mod attached;
pub(super) mod copy_on_write;
mod dev;
pub(super) mod isolated;
pub(super) mod places;
pub(super) mod proc;
pub(super) mod protect;
mod resolver_files;
mod shown;
mod sockets;
pub(super) mod tree;

use std::fs::File;
use std::os::fd::{AsFd, OwnedFd};

use rustix::mount::{UnmountFlags, unmount};

use super::failure::FailureContext;
use crate::sandbox::plan::{NetworkMode, SandboxPlan, Tier};
use crate::sandbox::protocol::report::{SandboxFailure, SandboxStep};
use attached::PreparedFiles;
pub(super) use places::OpenLayer;
use sockets::PreparedSockets;
use tree::{MountAttrFlags, READ_ONLY, open_root, set_attributes};

/// The propagation flag of `mount_setattr` for private mounts (`MS_PRIVATE`), which neither send nor receive
/// mount events.
const PRIVATE: u64 = 1 << 18;

/// The mounts except `/proc`.
pub(super) struct MountView {
    /// The root directory that the command will have.
    pub(super) root: OwnedFd,
    /// The empty directory and file that hide paths.
    pub(super) blanks: dev::Blanks,
    /// `/proc/self/mountinfo`, which `poll` reports when a mount has changed.
    pub(super) changes: File,
    pub(super) layers: Vec<OpenLayer>,
    /// The attached sockets. While they are open, no other file gets the identity of one.
    pub(super) sockets: PreparedSockets,
    /// The attached files of the engine.
    pub(super) files: PreparedFiles,
}

/// The mounts of the engine that the command uses.
pub(super) struct EngineMounts {
    /// Marks the layer of the plan's overlay as used.
    pub(super) lock: Option<OwnedFd>,
    /// A detached copy of the private home.
    pub(super) home: Option<OwnedFd>,
}

/// Makes all mounts private. Returns the root directory.
pub(super) fn make_private() -> Result<OwnedFd, SandboxFailure> {
    let root = open_root().at(SandboxStep::ReadOnly)?;
    set_attributes(root.as_fd(), MountAttrFlags::empty(), PRIVATE).at(SandboxStep::ReadOnly)?;
    Ok(root)
}

/// Builds all mounts except `/proc`, which belongs to the new PID namespace.
pub(super) fn build(
    plan: &SandboxPlan,
    has_terminal: bool,
    kept: EngineMounts,
) -> Result<MountView, SandboxFailure> {
    let host = make_private()?;
    let changes = File::open("/proc/self/mountinfo").at(SandboxStep::ReadOnly)?;
    let EngineMounts { lock, mut home } = kept;
    let places = places::prepare(&plan.places, &mut home)?;
    let shared = plan.overlay.as_ref().map(|overlay| OpenLayer::open(&overlay.root, &overlay.upper, lock));
    let shared = shared.transpose().at(SandboxStep::Overlay)?;
    let sockets = sockets::prepare(&plan.sockets)?;
    let files = attached::prepare(&plan.attached)?;
    let devices = dev::prepare(has_terminal)?;
    let root = if let Some(readable) = &plan.readable {
        isolated::new_root(readable, plan.tier == Tier::SharedProcesses)?
    } else {
        set_attributes(host.as_fd(), READ_ONLY, 0).at(SandboxStep::ReadOnly)?;
        host
    };
    // On the stage of `/dev`, so before that is covered.
    let names = match plan.network {
        NetworkMode::Allow => Some(resolver_files::prepare(root.as_fd())?),
        _ => None,
    };
    let blanks = dev::attach(devices, plan, root.as_fd())?;
    let is_isolated = plan.readable.is_some();
    let mut layers = places::attach_all(places, root.as_fd())?;
    layers.extend(shared);
    if let Some(names) = names {
        resolver_files::attach(&names, root.as_fd())?;
    }
    protect::protect(plan, root.as_fd())?;
    protect::hide(plan, root.as_fd(), &blanks)?;
    // After hiding: a file may be in the place of a hidden one, and a socket in a hidden directory.
    attached::attach_all(&files, root.as_fd())?;
    sockets::attach_all(&sockets, root.as_fd())?;
    if plan.tier == Tier::SharedProcesses {
        proc::hide_present(root.as_fd(), blanks.directory.as_fd())?;
    }
    if is_isolated {
        isolated::enter(root.as_fd())?;
    }
    Ok(MountView { root, blanks, changes, layers, sockets, files })
}

/// Detaches all mounts, after the last process but this one.
///
/// While a stub has a mount, its removal makes the kernel wait for all processors: once for each stub, and
/// once more for the end of this process.
pub(super) fn detach_all() {
    let _ = unmount(c"/", UnmountFlags::DETACH);
}
