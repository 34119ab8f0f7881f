//! Error numbers by name, as Node.js spells them.
//!
//! `unix` has the numbers of the kernel. Windows reports codes of its own, which `windows` converts to the
//! numbers of its C library.

#[cfg_attr(unix, path = "unix.rs")]
#[cfg_attr(windows, path = "windows.rs")]
mod platform;

use std::io;

use serde::{Deserialize, Serialize};

/// An error number, such as `ENOENT`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Errno(pub i32);

impl Errno {
    /// The error of a file that another one has replaced.
    pub const STALE: Self = Self(platform::STALE);

    /// Returns the number of an [`io::Error`]; `EIO` for an error without one.
    #[must_use]
    pub fn of(error: &io::Error) -> Self {
        platform::number_of(error).map_or(Self(libc::EIO), Self)
    }

    /// Returns the name, such as `ENOENT`, or for an unknown number libuv's text, such as `Unknown system
    /// error -9999`.
    #[must_use]
    pub fn name(self) -> String {
        platform::NAMES
            .iter()
            .find(|(number, _)| *number == self.0)
            .map_or_else(|| format!("Unknown system error -{}", self.0), |(_, name)| (*name).to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::Errno;

    #[test]
    fn a_number_has_its_name() {
        assert_eq!(Errno(libc::ENOENT).name(), "ENOENT");
    }

    #[test]
    fn an_unknown_number_is_spelt_as_libuv_does() {
        assert_eq!(Errno(9999).name(), "Unknown system error -9999");
    }
}
