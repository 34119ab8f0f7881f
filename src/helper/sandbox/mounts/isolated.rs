//! The root directory of an isolated sandbox: it has only the listed paths.

use std::ffi::CStr;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};

use rustix::fs::{FileType, fstat, readlinkat, symlinkat};
use rustix::mount::{UnmountFlags, unmount};
use rustix::process::{fchdir, pivot_root};

use super::super::failure::FailureContext;
use super::tree::{
    self, READ_ONLY, WRITABLE, copy, make_directories, make_file, new_file_system, open_link, open_path,
    open_root, relative, set_attributes, set_own_attributes,
};
use crate::sandbox::protocol::report::{SandboxFailure, SandboxStep};

/// The directories that the kernel's own file systems and the private ones are attached at.
const OWN: [&str; 3] = ["/dev", "/proc", "/tmp"];

/// The directory at which the new root is attached until it is entered: every system has it.
const STAGE: &str = "/dev";

/// Makes the new root with read-only copies of these paths, and of `/proc` if no new one is mounted there
/// later. A symbolic link is made again; a missing path is left out.
pub(super) fn new_root(readable: &[PathBuf], has_host_proc: bool) -> Result<OwnedFd, SandboxFailure> {
    let step = SandboxStep::Root;
    let host = open_root().at(step)?;
    let root = empty_root(host.as_fd()).at(step)?;
    let proc = has_host_proc.then(|| Path::new("/proc"));
    for path in readable.iter().map(PathBuf::as_path).chain(proc) {
        add(path, host.as_fd(), root.as_fd()).at_path(step, path)?;
    }
    Ok(root)
}

fn empty_root(host: BorrowedFd<'_>) -> io::Result<OwnedFd> {
    let settings: [(&CStr, Option<&[u8]>); 1] = [(c"mode", Some(b"0755"))];
    let mount = new_file_system(c"tmpfs", &settings, WRITABLE)?;
    let stage = Path::new(STAGE);
    tree::attach(mount.as_fd(), open_path(host, stage)?.as_fd())?;
    let root = open_path(host, stage)?;
    for path in OWN {
        make_directories(root.as_fd(), Path::new(path));
    }
    Ok(root)
}

fn add(path: &Path, host: BorrowedFd<'_>, root: BorrowedFd<'_>) -> io::Result<()> {
    let source = match open_link(host, path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        other => other?,
    };
    make_directories(root, path.parent().unwrap_or(Path::new("/")));
    match FileType::from_raw_mode(fstat(&source)?.st_mode) {
        FileType::Symlink => {
            let target = readlinkat(&source, c"", Vec::new())?;
            return match symlinkat(target, root, relative(path)) {
                Ok(()) | Err(rustix::io::Errno::EXIST) => Ok(()),
                Err(error) => Err(error.into()),
            };
        }
        FileType::Directory => make_directories(root, path),
        _ => make_file(root, path),
    }
    let tree = copy(source.as_fd())?;
    set_attributes(tree.as_fd(), READ_ONLY, 0)?;
    tree::attach(tree.as_fd(), open_path(root, path)?.as_fd())
}

/// Makes this directory the root of this process. The host's mounts stay above it until [`leave_host`].
pub(super) fn enter(root: BorrowedFd<'_>) -> Result<(), SandboxFailure> {
    set_own_attributes(root, READ_ONLY).at(SandboxStep::Root)?;
    move_into(root)
}

/// Makes this directory the root of this process as [`enter`] does, but leaves it writable.
pub(in super::super) fn move_into(root: BorrowedFd<'_>) -> Result<(), SandboxFailure> {
    fchdir(root).and_then(|()| pivot_root(c".", c".")).at(SandboxStep::Root)
}

/// Detaches the host's mounts, which are on top of the working directory.
pub(in super::super) fn leave_host() -> Result<(), SandboxFailure> {
    unmount(c".", UnmountFlags::DETACH).at(SandboxStep::Root)
}
