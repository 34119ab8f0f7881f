//! The helper's role `agent-bash-overlay`: makes a copy-on-write mount over a workspace or a home, in
//! namespaces that the host keeps alive by their descriptors.
//!
//! Two mounts of one layer would not see each other's files and locks, so all commands use this mount. The
//! process exits at once: a namespace lives as long as a descriptor of it is open.

use std::fs::File;
use std::os::fd::{AsFd, OwnedFd};
use std::path::Path;

use super::failure::FailureContext;
use super::mounts::{copy_on_write, isolated, make_private};
use super::process::exit;
use super::{EXIT_FAILED, input, namespaces};
use crate::sandbox::protocol::report::{HelperReport, SandboxFailure, SandboxStep};

/// Runs the role; never returns.
pub fn run() -> ! {
    let control = input::control_socket();
    match mount(&control) {
        Ok(()) => exit(0),
        Err(failure) => {
            input::send(control.as_fd(), &HelperReport::Failed(failure));
            exit(EXIT_FAILED)
        }
    }
}

fn mount(control: &OwnedFd) -> Result<(), SandboxFailure> {
    let step = SandboxStep::Overlay;
    let (mount, users) = input::receive_mount(control.as_fd())?;
    copy_on_write::uncover(&mount.root);
    namespaces::enter_for_mount(users.as_ref())?;
    make_private()?;
    let context = copy_on_write::attach(&mount).at_path(step, &mount.root)?;
    let open = |path: &Path| File::open(path).map(OwnedFd::from).at_path(step, path);
    let root = open(&mount.root)?;
    let [mounts, users] = [open(Path::new("/proc/self/ns/mnt"))?, open(Path::new("/proc/self/ns/user"))?];
    if mount.is_alone {
        // Other mounts of the host would stay mounted as long as this namespace. An initial RAM file system
        // can't be left, so there they do.
        let _ = isolated::move_into(root.as_fd()).and_then(|()| isolated::leave_host());
    }
    input::send_mount(control.as_fd(), &[mounts, users, context, root])
}
