//! The numbers of the kernel.

use std::io;

/// The number of a file that another one has replaced.
pub(super) const STALE: i32 = libc::ESTALE;

/// Returns the number of an error, if it has one.
pub(super) fn number_of(error: &io::Error) -> Option<i32> {
    error.raw_os_error()
}

macro_rules! names {
    ($($name:ident)*) => { [$((libc::$name, stringify!($name))),*] };
}

/// The error numbers with which the start of a program, or a connection, can fail.
pub(super) const NAMES: [(i32, &str); 53] = names! {
    EADDRINUSE EADDRNOTAVAIL EAFNOSUPPORT ECONNABORTED ECONNREFUSED ECONNRESET EHOSTDOWN EHOSTUNREACH
    ENETDOWN ENETUNREACH ENOBUFS ENOTCONN EPROTO
    E2BIG EACCES EAGAIN EBADF EBUSY ECHILD EDQUOT EEXIST EFAULT EFBIG EINTR EINVAL EIO EISDIR ELOOP EMFILE
    EMLINK ENAMETOOLONG ENFILE ENODEV ENOENT ENOEXEC ENOLCK ENOMEM ENOSPC ENOSYS ENOTBLK ENOTDIR ENOTEMPTY
    ENOTSUP ENOTTY ENXIO EPERM EPIPE EROFS ESRCH ESTALE ETIMEDOUT ETXTBSY EXDEV
};
