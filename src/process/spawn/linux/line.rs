//! The line that a new leader writes about itself into the registry's file, before it executes.

use std::os::fd::AsRawFd;

use crate::process::registry::{GuardianSocket, LINE_LENGTH, LeaderRecord};

/// The width of the pid's field: the digits of the largest pid.
const PID_WIDTH: usize = 10;

/// A line of the registry's file, complete except for the pid, which the child writes right-aligned in its
/// field.
pub(super) struct RegistryLine {
    file: libc::c_int,
    offset: i64,
    text: [u8; LINE_LENGTH],
    guardian_socket: Option<GuardianSocket>,
}

impl RegistryLine {
    pub(super) fn new(record: &LeaderRecord<'_>) -> Self {
        let mut text = [b' '; LINE_LENGTH];
        let fields = record.fields_after_pid.as_bytes();
        let length = fields.len().min(LINE_LENGTH - PID_WIDTH - 1);
        text[PID_WIDTH..PID_WIDTH + length].copy_from_slice(&fields[..length]);
        text[LINE_LENGTH - 1] = b'\n';
        Self {
            file: record.file.as_raw_fd(),
            offset: record.offset,
            text,
            guardian_socket: record.guardian_socket,
        }
    }

    /// Writes the line, in the child. Returns whether the file has it.
    pub(super) fn write(&self) -> bool {
        let mut text = self.text;
        // SAFETY: `getpid` has no arguments and always succeeds.
        let mut pid = unsafe { libc::getpid() }.unsigned_abs();
        for digit in text[..PID_WIDTH].iter_mut().rev() {
            if pid > 0 {
                *digit = b'0' + (pid % 10) as u8;
            }
            pid /= 10;
        }
        // SAFETY: the call writes from a live buffer of that size.
        let written = unsafe { libc::pwrite(self.file, text.as_ptr().cast(), LINE_LENGTH, self.offset) };
        usize::try_from(written) == Ok(LINE_LENGTH)
    }

    /// Closes the guardian's socket in the child, which has its own descriptor table.
    pub(super) fn close_guardian_socket(&self) {
        let Some(GuardianSocket { descriptor, inode }) = self.guardian_socket else { return };
        // SAFETY: an all-zero status is valid to fill. The inode shows that the descriptor is still that
        // socket, which the child does not use.
        unsafe {
            let mut status: libc::stat = std::mem::zeroed();
            if libc::fstat(descriptor, &raw mut status) == 0 && status.st_ino == inode {
                libc::close(descriptor);
            }
        }
    }
}
