//! The `/proc` of the new PID namespace, or what is visible of the one around the sandbox.

use std::ffi::CStr;
use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::path::Path;

use rustix::fs::{Dir, Mode, OFlags, openat};

use super::super::failure::FailureContext;
use super::tree::{self, MountAttrFlags, READ_ONLY, attach_onto_itself, copy, new_file_system, open_path};
use crate::sandbox::protocol::report::{SandboxFailure, SandboxStep};

/// Paths of `/proc` about the whole machine, which are made read-only.
#[rustfmt::skip]
const READ_ONLY_PATHS: [&str; 11] = [
    "sys", "sysrq-trigger", "irq", "bus", "fs", "acpi", "scsi", "mtrr", "asound", "driver", "dynamic_debug",
];

/// Files of `/proc` about the kernel's memory and keys, which appear empty.
const MASKED: [&str; 5] = ["kcore", "keys", "timer_list", "latency_stats", "sched_debug"];

/// Attaches a new `/proc`; the first process of the PID namespace calls it. Each process sees only processes
/// that it may trace (`hidepid=ptraceable`).
pub(in super::super) fn attach(root: BorrowedFd<'_>) -> Result<(), SandboxFailure> {
    attach_all(root).at_path(SandboxStep::Proc, Path::new("/proc"))
}

fn attach_all(root: BorrowedFd<'_>) -> io::Result<()> {
    let settings: [(&CStr, Option<&[u8]>); 1] = [(c"hidepid", Some(b"4"))];
    let no_programs = MountAttrFlags::MOUNT_ATTR_NOSUID
        | MountAttrFlags::MOUNT_ATTR_NODEV
        | MountAttrFlags::MOUNT_ATTR_NOEXEC;
    let mount = new_file_system(c"proc", &settings, no_programs)?;
    let place = Path::new("/proc");
    tree::attach(mount.as_fd(), open_path(root, place)?.as_fd())?;
    let proc = open_path(root, place)?;
    let null = open_path(root, Path::new("/dev/null"))?;
    for name in READ_ONLY_PATHS {
        if let Some(place) = existing(proc.as_fd(), name)? {
            attach_onto_itself(place.as_fd(), READ_ONLY)?;
        }
    }
    for name in MASKED {
        if let Some(place) = existing(proc.as_fd(), name)? {
            tree::attach(copy(null.as_fd())?.as_fd(), place.as_fd())?;
        }
    }
    Ok(())
}

/// Makes the directories of all processes that run now appear empty, where no new `/proc` can be mounted:
/// those around the sandbox, and the helper's. The kernel removes such a mount with its process, so a later
/// process with that pid is visible.
pub(super) fn hide_present(root: BorrowedFd<'_>, blank: BorrowedFd<'_>) -> Result<(), SandboxFailure> {
    hide_all(root, blank).at_path(SandboxStep::Proc, Path::new("/proc"))
}

fn hide_all(root: BorrowedFd<'_>, blank: BorrowedFd<'_>) -> io::Result<()> {
    let proc = open_path(root, Path::new("/proc"))?;
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    for entry in Dir::new(openat(&proc, c".", flags, Mode::empty())?)? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        if !name.bytes().all(|byte| byte.is_ascii_digit()) {
            continue;
        }
        let Some(place) = existing(proc.as_fd(), &name)? else { continue };
        match tree::attach(copy(blank)?.as_fd(), place.as_fd()) {
            // The process has ended.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            other => other?,
        }
    }
    Ok(())
}

fn existing(proc: BorrowedFd<'_>, name: &str) -> io::Result<Option<std::os::fd::OwnedFd>> {
    match open_path(proc, Path::new(name)) {
        Ok(place) => Ok(Some(place)),
        // Not every kernel has this path.
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}
