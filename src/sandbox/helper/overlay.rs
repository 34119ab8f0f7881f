//! The helper's role `agent-bash-overlay`: mounts a layer over a workspace, in namespaces that the host keeps
//! alive by their descriptors.
//!
//! Two mounts of one layer would not see each other's files, so all commands of an overlay use this mount.
//! The process exits at once: a namespace lives as long as a descriptor of it is open.

use std::fs::File;
use std::os::fd::{AsFd, OwnedFd};

use super::failure::At;
use super::mounts::{make_private, places};
use super::process::exit;
use super::{EXIT_FAILED, input, namespaces};
use crate::sandbox::protocol::report::{Failure, Report, SandboxStep};

/// Runs the role; never returns.
pub fn run() -> ! {
    let control = input::control_socket();
    match mount(&control) {
        Ok(()) => exit(0),
        Err(failure) => {
            input::send(control.as_fd(), &Report::Failed(failure));
            exit(EXIT_FAILED)
        }
    }
}

fn mount(control: &OwnedFd) -> Result<(), Failure> {
    let mount = input::receive_mount(control.as_fd())?;
    namespaces::enter_for_overlay()?;
    make_private()?;
    places::attach_overlay(&mount).at_path(SandboxStep::Overlay, &mount.root)?;
    let open = |name| File::open(name).map(OwnedFd::from).at(SandboxStep::Overlay);
    input::send_namespaces(control.as_fd(), &[open("/proc/self/ns/mnt")?, open("/proc/self/ns/user")?])
}
