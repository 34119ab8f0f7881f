//! The numbers of the C library, for the codes of the system.

use std::io;

use windows_sys::Win32::Foundation::{
    ERROR_ACCESS_DENIED, ERROR_BAD_EXE_FORMAT, ERROR_BAD_PATHNAME, ERROR_BROKEN_PIPE, ERROR_DIRECTORY,
    ERROR_DISK_FULL, ERROR_ELEVATION_REQUIRED, ERROR_EXE_MACHINE_TYPE_MISMATCH, ERROR_FILE_NOT_FOUND,
    ERROR_FILENAME_EXCED_RANGE, ERROR_INVALID_DRIVE, ERROR_INVALID_HANDLE, ERROR_INVALID_NAME,
    ERROR_INVALID_PARAMETER, ERROR_NO_DATA, ERROR_NO_SYSTEM_RESOURCES, ERROR_NOT_ENOUGH_MEMORY,
    ERROR_NOT_ENOUGH_QUOTA, ERROR_OUTOFMEMORY, ERROR_PATH_NOT_FOUND, ERROR_PIPE_NOT_CONNECTED,
    ERROR_SHARING_VIOLATION, ERROR_TOO_MANY_OPEN_FILES, WIN32_ERROR,
};

/// The codes with which the start of a program, or a pipe, can fail.
const CODES: [(WIN32_ERROR, i32); 22] = [
    (ERROR_ACCESS_DENIED, libc::EACCES),
    (ERROR_BAD_EXE_FORMAT, libc::ENOEXEC),
    (ERROR_BAD_PATHNAME, libc::ENOENT),
    (ERROR_BROKEN_PIPE, libc::EPIPE),
    (ERROR_DIRECTORY, libc::ENOTDIR),
    (ERROR_DISK_FULL, libc::ENOSPC),
    (ERROR_ELEVATION_REQUIRED, libc::EACCES),
    (ERROR_EXE_MACHINE_TYPE_MISMATCH, libc::ENOEXEC),
    (ERROR_FILE_NOT_FOUND, libc::ENOENT),
    (ERROR_FILENAME_EXCED_RANGE, libc::ENAMETOOLONG),
    (ERROR_INVALID_DRIVE, libc::ENOENT),
    (ERROR_INVALID_HANDLE, libc::EBADF),
    (ERROR_INVALID_NAME, libc::ENOENT),
    (ERROR_INVALID_PARAMETER, libc::EINVAL),
    (ERROR_NO_DATA, libc::EPIPE),
    (ERROR_NO_SYSTEM_RESOURCES, libc::ENOMEM),
    (ERROR_NOT_ENOUGH_MEMORY, libc::ENOMEM),
    (ERROR_NOT_ENOUGH_QUOTA, libc::ENOMEM),
    (ERROR_OUTOFMEMORY, libc::ENOMEM),
    (ERROR_PATH_NOT_FOUND, libc::ENOENT),
    (ERROR_PIPE_NOT_CONNECTED, libc::EPIPE),
    (ERROR_SHARING_VIOLATION, libc::EBUSY),
];

/// A number that no error has: nothing here compares files.
pub(super) const STALE: i32 = i32::MAX;

/// Returns the number of an error, if one is known.
pub(super) fn number_of(error: &io::Error) -> Option<i32> {
    let code = error.raw_os_error().map(i32::cast_unsigned);
    if code == Some(ERROR_TOO_MANY_OPEN_FILES) {
        return Some(libc::EMFILE);
    }
    let known = code.and_then(|code| CODES.iter().find(|(known, _)| *known == code));
    known.map(|&(_, number)| number).or(match error.kind() {
        io::ErrorKind::NotFound => Some(libc::ENOENT),
        io::ErrorKind::PermissionDenied => Some(libc::EACCES),
        io::ErrorKind::IsADirectory => Some(libc::EISDIR),
        io::ErrorKind::NotADirectory => Some(libc::ENOTDIR),
        io::ErrorKind::AlreadyExists => Some(libc::EEXIST),
        io::ErrorKind::InvalidInput => Some(libc::EINVAL),
        io::ErrorKind::BrokenPipe => Some(libc::EPIPE),
        io::ErrorKind::TimedOut => Some(libc::ETIMEDOUT),
        _ => None,
    })
}

macro_rules! names {
    ($($name:ident)*) => { [$((libc::$name, stringify!($name))),*] };
}

/// The error numbers with which the start of a program, or a connection, can fail.
pub(super) const NAMES: [(i32, &str); 49] = names! {
    EADDRINUSE EADDRNOTAVAIL EAFNOSUPPORT ECONNABORTED ECONNREFUSED ECONNRESET EHOSTUNREACH
    ENETDOWN ENETUNREACH ENOBUFS ENOTCONN EPROTO
    E2BIG EACCES EAGAIN EBADF EBUSY ECHILD EEXIST EFAULT EFBIG EINTR EINVAL EIO EISDIR ELOOP EMFILE
    EMLINK ENAMETOOLONG ENFILE ENODEV ENOENT ENOEXEC ENOLCK ENOMEM ENOSPC ENOSYS ENOTDIR ENOTEMPTY
    ENOTSUP ENOTTY ENXIO EPERM EPIPE EROFS ESRCH ETIMEDOUT ETXTBSY EXDEV
};
