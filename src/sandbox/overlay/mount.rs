//! Mounts a layer over its workspace, in namespaces that this process keeps alive by their descriptors.

use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::path::Path;

use super::error::OverlayError;
use crate::process::wait::{await_exit, reap};
use crate::sandbox::plan::OverlayMount;
use crate::sandbox::probe::{explained, start};
use crate::sandbox::protocol::launch::{Launch, prepare_mount};
use crate::sandbox::protocol::report::NAMESPACES;

/// Mounts a layer. Returns the mount namespace, then the user namespace.
pub(super) fn mount(helper: &Path, mount: &OverlayMount) -> Result<[OwnedFd; NAMESPACES], OverlayError> {
    let failed = |error: io::Error| OverlayError::Mount(error.to_string());
    let Launch { program, name, socket, control } = prepare_mount(helper, mount).map_err(failed)?;
    let child = start(&program, &name, socket.as_fd()).map_err(failed)?;
    drop(socket);
    let namespaces = control.receive_namespaces();
    await_exit(child);
    reap(child);
    namespaces.map_err(|failure| OverlayError::Mount(explained(&failure)))
}
