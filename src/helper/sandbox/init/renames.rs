//! Carries out renames of directories in copy-on-write mounts, which the kernel refuses with `EXDEV`: without
//! a privilege on the host, it can't record where a directory came from.
//!
//! The init moves the content into a new directory, which the kernel can rename. Everything else is left to
//! the kernel, with the caller's rights: other files, other file systems, and callers that have become
//! another user.

use std::ffi::OsStr;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::thread;

use rustix::fs::{
    AtFlags, FileType, Mode, OFlags, RenameFlags, ResolveFlags, StatVfsMountFlags, fstatfs, fstatvfs, openat,
    openat2, renameat_with, statat,
};
use rustix::io::Errno;
use rustix::process::geteuid;

use super::caller::Caller;
use super::calls::{CallAnswer, low};
use super::moved_tree::{MAX_DEPTH, is_movable, move_directory, names};

/// The longest path of a call (bytes).
const MAX_PATH: usize = 4096;

/// The type of an overlay's file system.
const OVERLAY: i64 = 0x794c_7630;

/// The size of the stack of a thread that moves a tree (bytes): one frame for each level.
const STACK: usize = MAX_DEPTH * (16 << 10);

/// The calls that rename a file.
pub(super) const CALLS: &[i64] = &[
    #[cfg(target_arch = "x86_64")]
    libc::SYS_rename,
    libc::SYS_renameat,
    libc::SYS_renameat2,
];

/// A path of a call.
struct RenamedPath {
    parent: OwnedFd,
    name: PathBuf,
}

/// Decides about a rename. `is_valid` tells whether the caller still waits.
pub(super) fn decide(call: &libc::seccomp_data, caller: &Caller, is_valid: impl Fn() -> bool) -> CallAnswer {
    rename(call, caller, is_valid).unwrap_or(CallAnswer::Continue)
}

/// Renames a directory of a copy-on-write mount. `None` if the kernel is to decide.
fn rename(call: &libc::seccomp_data, caller: &Caller, is_valid: impl Fn() -> bool) -> Option<CallAnswer> {
    let number = i64::from(call.nr);
    let arguments = call.args;
    let (from, to, flags) = if number == libc::SYS_renameat || number == libc::SYS_renameat2 {
        let directory = |position: u64| low(position).cast_signed();
        let flags = if number == libc::SYS_renameat2 { low(arguments[4]) } else { 0 };
        ((directory(arguments[0]), arguments[1]), (directory(arguments[2]), arguments[3]), flags)
    } else {
        ((libc::AT_FDCWD, arguments[0]), (libc::AT_FDCWD, arguments[1]), 0)
    };
    let flags = RenameFlags::from_bits(flags)?;
    if !RenameFlags::NOREPLACE.contains(flags) {
        return None;
    }
    let from = place(caller, from.0, from.1)?;
    let before = statat(&from.parent, &from.name, AtFlags::SYMLINK_NOFOLLOW).ok()?;
    if !FileType::from_raw_mode(before.st_mode).is_dir() || !is_copy_on_write(&from.parent) {
        return None;
    }
    let to = place(caller, to.0, to.1)?;
    if !is_copy_on_write(&to.parent) || !is_same_user(caller) || !is_valid() {
        return None;
    }
    match renameat_with(&from.parent, &from.name, &to.parent, &to.name, flags) {
        Ok(()) => Some(CallAnswer::Done),
        Err(Errno::XDEV) => on_large_stack(|| by_content(&from, &to, flags)),
        Err(_) => None,
    }
}

/// Renames a directory by moving its content.
fn by_content(from: &RenamedPath, to: &RenamedPath, flags: RenameFlags) -> Option<CallAnswer> {
    let flags_of = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    if let Ok(target) = openat(&to.parent, &to.name, flags_of, Mode::empty())
        && !names(target.as_fd()).ok()?.is_empty()
    {
        return Some(CallAnswer::Fail(libc::ENOTEMPTY));
    }
    if !is_movable(from.parent.as_fd(), &from.name) {
        return None;
    }
    Some(move_directory((from.parent.as_fd(), &from.name), (to.parent.as_fd(), &to.name), flags).into())
}

fn on_large_stack<T: Send>(work: impl FnOnce() -> Option<T> + Send) -> Option<T> {
    thread::scope(|scope| {
        let started = thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work).ok()?;
        started.join().ok().flatten()
    })
}

/// Opens the parent directory of a path as the caller sees it.
fn place(caller: &Caller, directory: i32, address: u64) -> Option<RenamedPath> {
    let text = caller.text(address, MAX_PATH)?;
    let path = Path::new(OsStr::from_bytes(&text));
    // Magic links mean other files to this process.
    if path.starts_with("/proc") {
        return None;
    }
    let name = path.file_name()?.into();
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let base = if directory == libc::AT_FDCWD || path.is_absolute() {
        let link = format!("/proc/{}/cwd", caller.thread);
        openat(rustix::fs::CWD, link, flags, Mode::empty()).ok()?
    } else {
        caller.descriptor(directory).ok()?
    };
    let parent = openat2(base, parent, flags, Mode::empty(), ResolveFlags::NO_MAGICLINKS).ok()?;
    Some(RenamedPath { parent, name })
}

fn is_copy_on_write(directory: &OwnedFd) -> bool {
    let is_writable =
        fstatvfs(directory).is_ok_and(|status| !status.f_flag.contains(StatVfsMountFlags::RDONLY));
    is_writable && fstatfs(directory).is_ok_and(|status| status.f_type == OVERLAY)
}

/// Returns whether the caller acts as the user of this process: for others, the kernel checks the rights.
fn is_same_user(caller: &Caller) -> bool {
    let status = std::fs::read_to_string(format!("/proc/{}/status", caller.thread)).unwrap_or_default();
    let ids = status.lines().find_map(|line| line.strip_prefix("Uid:"));
    // The fourth id is that of the file system.
    let id = ids.and_then(|ids| ids.split_ascii_whitespace().nth(3)?.parse::<u32>().ok());
    id == Some(geteuid().as_raw())
}
