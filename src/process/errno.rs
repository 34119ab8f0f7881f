//! Error numbers by name, as Node.js spells them.

use std::io;

use serde::{Deserialize, Serialize};

/// An error number, such as `ENOENT`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Errno(pub i32);

impl Errno {
    /// Returns the number of an [`io::Error`]; `EIO` for an error without one.
    #[must_use]
    pub fn of(error: &io::Error) -> Self {
        Self(error.raw_os_error().unwrap_or(libc::EIO))
    }

    /// Returns the name, such as `ENOENT`, or for an unknown number libuv's text, such as `Unknown system
    /// error -9999`.
    #[must_use]
    pub fn name(self) -> String {
        NAMES
            .iter()
            .find(|(number, _)| *number == self.0)
            .map_or_else(|| format!("Unknown system error -{}", self.0), |(_, name)| (*name).to_owned())
    }
}

macro_rules! names {
    ($($name:ident)*) => { [$((libc::$name, stringify!($name))),*] };
}

/// The error numbers with which the start of a program, or a connection, can fail.
const NAMES: [(i32, &str); 53] = names! {
    EADDRINUSE EADDRNOTAVAIL EAFNOSUPPORT ECONNABORTED ECONNREFUSED ECONNRESET EHOSTDOWN EHOSTUNREACH
    ENETDOWN ENETUNREACH ENOBUFS ENOTCONN EPROTO
    E2BIG EACCES EAGAIN EBADF EBUSY ECHILD EDQUOT EEXIST EFAULT EFBIG EINTR EINVAL EIO EISDIR ELOOP EMFILE
    EMLINK ENAMETOOLONG ENFILE ENODEV ENOENT ENOEXEC ENOLCK ENOMEM ENOSPC ENOSYS ENOTBLK ENOTDIR ENOTEMPTY
    ENOTSUP ENOTTY ENXIO EPERM EPIPE EROFS ESRCH ESTALE ETIMEDOUT ETXTBSY EXDEV
};

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
