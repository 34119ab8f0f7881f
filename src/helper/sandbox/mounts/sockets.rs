//! The UNIX sockets of the host that commands may connect to.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::PathBuf;

use rustix::fs::fstat;

use super::super::failure::FailureContext;
use super::places::attach;
use super::tree::{READ_ONLY, copy, open_path, open_root, set_attributes};
use crate::sandbox::plan::sockets::PlannedSocket;
use crate::sandbox::protocol::report::{SandboxFailure, SandboxStep};

/// The sockets with the paths at which they are attached.
pub(in super::super) type PreparedSockets = Vec<(PathBuf, OwnedFd)>;

/// Clones the mounts of the sockets.
pub(super) fn prepare(sockets: &[PlannedSocket]) -> Result<PreparedSockets, SandboxFailure> {
    let prepare = |socket: &PlannedSocket| {
        let tree = copy_of(socket).at_path(SandboxStep::Socket, &socket.source)?;
        Ok((socket.path.clone(), tree))
    };
    sockets.iter().map(prepare).collect()
}

fn copy_of(socket: &PlannedSocket) -> io::Result<OwnedFd> {
    let place = open_path(open_root()?.as_fd(), &socket.source)?;
    let status = fstat(&place)?;
    if (status.st_dev, status.st_ino) != socket.identity {
        return Err(io::Error::from_raw_os_error(libc::ESTALE));
    }
    let tree = copy(place.as_fd())?;
    set_attributes(tree.as_fd(), READ_ONLY, 0)?;
    Ok(tree)
}

/// Attaches the sockets at their paths below the root.
pub(super) fn attach_all(sockets: &PreparedSockets, root: BorrowedFd<'_>) -> Result<(), SandboxFailure> {
    let attach =
        |(path, tree): &(PathBuf, OwnedFd)| attach(path, tree, root).at_path(SandboxStep::Socket, path);
    sockets.iter().try_for_each(attach)
}
