//! The command's standard streams, which the host has opened.

use std::fs::OpenOptions;
use std::io;
use std::os::fd::{AsRawFd, BorrowedFd, OwnedFd};

use rustix::fs::{FileType, OFlags, fcntl_getfl, fstat};

use super::failure::check;

/// Opens the host's devices again, by their names inside.
///
/// A descriptor has the rights of the mount on which it was opened. On the host's mount, the owner of a
/// device could change its mode and times. And a program finds the name of its terminal only in its own
/// `/dev`. Pipes and sockets are on no mount. Other kinds of files are refused, because the engine passes
/// none.
pub(super) fn reopen(has_terminal: bool) -> io::Result<()> {
    for stream in 0..3 {
        // SAFETY: nothing in this process owns or closes the standard streams.
        let current = unsafe { BorrowedFd::borrow_raw(stream) };
        let status = fstat(current)?;
        match FileType::from_raw_mode(status.st_mode) {
            FileType::Fifo | FileType::Socket => {}
            FileType::CharacterDevice => {
                let name = if has_terminal && rustix::termios::isatty(current) { "console" } else { "null" };
                let device = open_device(name, fcntl_getfl(current)?)?;
                if fstat(&device)?.st_rdev != status.st_rdev {
                    return Err(io::Error::from_raw_os_error(libc::ENOTTY));
                }
                // SAFETY: replaces a standard stream, which nothing in this process owns.
                check(unsafe { libc::dup2(device.as_raw_fd(), stream) })?;
            }
            _ => return Err(io::Error::from_raw_os_error(libc::EBADF)),
        }
    }
    Ok(())
}

/// Opens a device for what `flags` allow.
fn open_device(name: &str, flags: OFlags) -> io::Result<OwnedFd> {
    let access = flags & OFlags::ACCMODE;
    let mut options = OpenOptions::new();
    options.read(access != OFlags::WRONLY).write(access != OFlags::RDONLY);
    Ok(options.open(format!("/dev/{name}"))?.into())
}
