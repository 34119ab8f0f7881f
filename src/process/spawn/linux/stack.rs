//! The stack of a child until it executes.

use std::ffi::c_void;
use std::io;
use std::ptr;

/// The size of the mapping (bytes): the guard and 64 KiB, many times what a few nested system calls need.
const STACK_SIZE: usize = GUARD_SIZE + 64 * 1024;

/// The size of the guard below the stack (bytes): the largest page size of any supported system. Access to
/// the guard faults.
const GUARD_SIZE: usize = 64 * 1024;

/// A stack above a guard.
pub(super) struct Stack {
    base: *mut c_void,
}

impl Stack {
    /// Maps a stack.
    ///
    /// # Errors
    ///
    /// The system's error, such as `ENOMEM`.
    pub(super) fn new() -> io::Result<Self> {
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_STACK;
        // SAFETY: a new private mapping, to which only this value refers.
        let base = unsafe {
            libc::mmap(ptr::null_mut(), STACK_SIZE, libc::PROT_READ | libc::PROT_WRITE, flags, -1, 0)
        };
        if base == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        let stack = Self { base };
        // SAFETY: this is the lower part of the mapping above.
        if unsafe { libc::mprotect(base, GUARD_SIZE, libc::PROT_NONE) } == -1 {
            return Err(io::Error::last_os_error());
        }
        Ok(stack)
    }

    /// Returns the address at which the stack starts: it grows down.
    pub(super) fn top(&self) -> *mut c_void {
        // SAFETY: the address is one past the end of the mapping; stacks grow down from it on every supported
        // processor.
        unsafe { self.base.byte_add(STACK_SIZE) }
    }

    /// Returns the lowest address above the guard, and the size from there (bytes).
    pub(super) fn range(&self) -> (*mut c_void, usize) {
        (self.base.wrapping_byte_add(GUARD_SIZE), STACK_SIZE - GUARD_SIZE)
    }
}

impl Drop for Stack {
    fn drop(&mut self) {
        // SAFETY: this is the mapping made in `new`, and the child no longer uses it.
        unsafe {
            libc::munmap(self.base, STACK_SIZE);
        }
    }
}
