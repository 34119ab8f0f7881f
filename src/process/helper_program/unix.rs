//! The addon's file, and what may be executed.

use std::ffi::{CStr, OsStr};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use rustix::fs::Access;

/// Returns the file that this code was loaded from: in a Node process, the addon.
pub(super) fn own_file() -> Option<PathBuf> {
    // SAFETY: an all-null structure is valid, and the call fills it. The address that the call looks up is
    // that of a function in this file. The returned name lives as long as the file is loaded, so at least
    // during this call.
    let name = unsafe {
        let mut info: libc::Dl_info = std::mem::zeroed();
        if libc::dladdr(own_file as *const libc::c_void, &raw mut info) == 0 || info.dli_fname.is_null() {
            return None;
        }
        CStr::from_ptr(info.dli_fname)
    };
    Some(PathBuf::from(OsStr::from_bytes(name.to_bytes())))
}

/// Checks that a file may be executed.
pub(super) fn check_executable(path: &Path) -> io::Result<()> {
    Ok(rustix::fs::access(path, Access::EXEC_OK)?)
}
