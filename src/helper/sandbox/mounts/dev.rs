//! The `/dev` of a sandbox: a few devices, its own terminals, its own shared memory.

use std::ffi::CStr;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};

use rustix::fs::{CWD, FileType, Mode, OFlags, mkdirat, mknodat, openat, symlinkat};

use super::super::failure::FailureContext;
use super::shown::{self, Copies};
use super::tree::{
    self, DEVICE, MountAttrFlags, READ_ONLY, WRITABLE, copy, copy_of, new_file_system, open_path,
    set_attributes, set_own_attributes,
};
use crate::sandbox::plan::SandboxPlan;
use crate::sandbox::protocol::report::{SandboxFailure, SandboxStep};

/// The devices of the host that a command gets.
const DEVICES: [&str; 6] = ["null", "zero", "full", "random", "urandom", "tty"];

const LINKS: [(&CStr, &CStr); 5] = [
    (c"fd", c"/proc/self/fd"),
    (c"stdin", c"/proc/self/fd/0"),
    (c"stdout", c"/proc/self/fd/1"),
    (c"stderr", c"/proc/self/fd/2"),
    (c"ptmx", c"pts/ptmx"),
];

/// The size of the file system of `/dev` itself (bytes): it has names only.
const SIZE: &[u8] = b"65536";

/// The size of the file system of the blanks (bytes), for some public files of hidden directories.
const BLANKS_SIZE: &[u8] = b"4194304";

/// Copies of the host's devices, made before the host's mounts become unable to open devices.
pub(super) struct Devices {
    copies: Vec<(&'static str, OwnedFd)>,
}

/// The empty directory and file that are attached at hidden paths.
pub(in super::super) struct Blanks {
    /// An empty, read-only directory.
    pub(super) directory: OwnedFd,
    /// A device that no process can open.
    pub(super) file: OwnedFd,
    /// Read-only directories with the public files of hidden ones.
    pub(super) shown: Copies,
}

/// Copies the devices, and the terminal at standard input as `console`.
pub(super) fn prepare(has_terminal: bool) -> Result<Devices, SandboxFailure> {
    let mut copies = Vec::with_capacity(DEVICES.len() + 1);
    for name in DEVICES {
        let path = Path::new("/dev").join(name);
        copies.push((name, copy_of(&path, DEVICE).at_path(SandboxStep::Devices, &path)?));
    }
    if has_terminal {
        copies.push(("console", copy_terminal().at(SandboxStep::Devices)?));
    }
    Ok(Devices { copies })
}

fn copy_terminal() -> io::Result<OwnedFd> {
    let name = rustix::termios::ttyname(rustix::stdio::stdin(), Vec::new())?;
    let place = openat(CWD, name, OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC, Mode::empty())?;
    let tree = copy(place.as_fd())?;
    set_attributes(tree.as_fd(), DEVICE, 0)?;
    Ok(tree)
}

/// Attaches the new `/dev`. Returns the blanks for hidden paths.
pub(super) fn attach(
    devices: Devices,
    plan: &SandboxPlan,
    root: BorrowedFd<'_>,
) -> Result<Blanks, SandboxFailure> {
    attach_all(devices, plan, root).at(SandboxStep::Devices)
}

fn attach_all(devices: Devices, plan: &SandboxPlan, root: BorrowedFd<'_>) -> io::Result<Blanks> {
    // The file system of the blanks stays attached below the new `/dev`, where it is covered, but can be
    // copied.
    let blanks = blanks(plan, root)?;
    let settings: [(&CStr, Option<&[u8]>); 2] = [(c"mode", Some(b"0755")), (c"size", Some(SIZE))];
    let dev = new_file_system(c"tmpfs", &settings, WRITABLE)?;
    tree::attach(dev.as_fd(), open_path(root, Path::new("/dev"))?.as_fd())?;
    let dev = open_path(root, Path::new("/dev"))?;
    for (name, device) in devices.copies {
        drop(openat(
            &dev,
            name,
            OFlags::CREATE | OFlags::EXCL | OFlags::WRONLY | OFlags::CLOEXEC,
            mode(0o666),
        )?);
        tree::attach(device.as_fd(), open_path(dev.as_fd(), Path::new(name))?.as_fd())?;
    }
    for (name, target) in LINKS {
        symlinkat(target, &dev, name)?;
    }
    let terminals: [(&CStr, Option<&[u8]>); 2] = [(c"ptmxmode", Some(b"0666")), (c"mode", Some(b"0620"))];
    let no_programs = MountAttrFlags::MOUNT_ATTR_NOSUID | MountAttrFlags::MOUNT_ATTR_NOEXEC;
    let terminals = new_file_system(c"devpts", &terminals, no_programs)?;
    let memory = new_file_system(c"tmpfs", &[(c"mode", Some(b"1777"))], WRITABLE)?;
    // The names are made before `/dev` becomes read-only, which must not include what is attached below it.
    let places = ["pts", "shm"].map(|name| mkdirat(&dev, name, mode(0o755)).map(|()| name));
    for (name, mount) in places.into_iter().zip([terminals, memory]) {
        tree::attach(mount.as_fd(), open_path(dev.as_fd(), Path::new(name?))?.as_fd())?;
    }
    // Places of files are made while they can be.
    let files = plan.attached.iter().filter_map(|file| file.path.strip_prefix("/dev").ok());
    for path in files {
        tree::make_directories(dev.as_fd(), path.parent().unwrap_or(path));
        tree::make_file(dev.as_fd(), path);
    }
    set_own_attributes(dev.as_fd(), READ_ONLY)?;
    Ok(blanks)
}

/// Creates the blanks, on a read-only file system.
fn blanks(plan: &SandboxPlan, root: BorrowedFd<'_>) -> io::Result<Blanks> {
    let settings: [(&CStr, Option<&[u8]>); 2] = [(c"mode", Some(b"0755")), (c"size", Some(BLANKS_SIZE))];
    let mount = new_file_system(c"tmpfs", &settings, WRITABLE)?;
    let place = PathBuf::from("/dev");
    tree::attach(mount.as_fd(), open_path(root, &place)?.as_fd())?;
    let place = open_path(root, &place)?;
    mkdirat(&place, c"directory", mode(0o555))?;
    // The only device number (0:0) that needs no privilege. No driver has it.
    mknodat(&place, c"file", FileType::CharacterDevice, mode(0), 0)?;
    let sockets = plan.sockets.iter().map(|socket| socket.path.as_path());
    let places: Vec<&Path> = sockets.chain(plan.attached.iter().map(|file| file.path.as_path())).collect();
    let blanks = Blanks {
        directory: open_path(place.as_fd(), Path::new("directory"))?,
        file: open_path(place.as_fd(), Path::new("file"))?,
        shown: shown::copy(&plan.shown, &places, &plan.hidden, root, place.as_fd())?,
    };
    set_own_attributes(place.as_fd(), READ_ONLY | MountAttrFlags::MOUNT_ATTR_NOEXEC)?;
    Ok(blanks)
}

fn mode(bits: u32) -> Mode {
    Mode::from_raw_mode(bits)
}
