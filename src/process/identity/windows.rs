//! The pid of a process, as a number that is not 0.

use std::num::NonZeroI32;

use crate::process::windows::image;

/// The pid of a process. Windows reuses it once every handle of the process is closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Pid(NonZeroI32);

impl Pid {
    /// Returns the pid with this number, or `None` for 0.
    #[must_use]
    pub const fn from_raw(pid: i32) -> Option<Self> {
        match NonZeroI32::new(pid) {
            Some(pid) => Some(Self(pid)),
            None => None,
        }
    }

    /// Returns the number.
    #[must_use]
    pub const fn as_raw_nonzero(self) -> NonZeroI32 {
        self.0
    }
}

/// Returns whether a process with this pid runs. True also where the kernel does not tell.
#[must_use]
pub fn runs(pid: i32) -> bool {
    !image::is_gone(pid.cast_unsigned())
}
