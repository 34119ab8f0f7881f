//! The files of a cgroup's directory.

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, OwnedFd};

use rustix::fs::{Mode, OFlags, openat};
use rustix::path::Arg;

use crate::process::errno::Errno;
use crate::process::fd::reserve::with_reserve;

/// Opens a directory below another one. Follows no link.
pub(super) fn open_directory(parent: impl AsFd, name: impl Arg + Copy) -> io::Result<OwnedFd> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    open(parent, name, flags).map(OwnedFd::from)
}

/// Reads a file of the kernel.
pub(super) fn read(directory: impl AsFd, name: &str) -> io::Result<String> {
    let mut text = String::new();
    open(directory, name, OFlags::RDONLY | OFlags::CLOEXEC)?.read_to_string(&mut text)?;
    Ok(text)
}

/// Writes a file of the kernel in one call.
pub(super) fn write(directory: impl AsFd, name: &str, text: &str) -> io::Result<()> {
    open(directory, name, OFlags::WRONLY | OFlags::CLOEXEC)?.write_all(text.as_bytes())
}

fn open(directory: impl AsFd, name: impl Arg + Copy, flags: OFlags) -> io::Result<File> {
    with_reserve(|| openat(directory.as_fd(), name, flags, Mode::empty()).map_err(io::Error::from))
        .map(File::from)
}

/// Returns the name of an error, such as `EACCES`.
pub(super) fn name_of(error: &io::Error) -> String {
    Errno::of(error).name()
}
