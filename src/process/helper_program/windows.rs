//! The addon's file, and what may be executed.

use std::ffi::OsString;
use std::io;
use std::os::windows::ffi::OsStringExt;
use std::path::{Path, PathBuf};
use std::ptr::null_mut;

use windows_sys::Win32::System::LibraryLoader::{
    GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS, GET_MODULE_HANDLE_EX_FLAG_UNCHANGED_REFCOUNT, GetModuleFileNameW,
    GetModuleHandleExW,
};

/// The longest path that is read (UTF-16 units): the longest that Windows has.
const MAX_PATH: usize = 32_768;

/// Returns the file that this code was loaded from: in a Node process, the addon.
pub(super) fn own_file() -> Option<PathBuf> {
    let mut module = null_mut();
    let mut name = vec![0_u16; MAX_PATH];
    // SAFETY: with these flags, the first call takes the address of a function in this file as its name, and
    // only reads it. The second one writes at most as many units as the name has room for. The file is loaded
    // as long as this code runs.
    let length = unsafe {
        let flags = GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS | GET_MODULE_HANDLE_EX_FLAG_UNCHANGED_REFCOUNT;
        if GetModuleHandleExW(flags, own_file as *const u16, &raw mut module) == 0 {
            return None;
        }
        GetModuleFileNameW(module, name.as_mut_ptr(), u32::try_from(name.len()).unwrap_or_default())
    };
    let name = name.get(..usize::try_from(length).ok()?).filter(|name| !name.is_empty())?;
    Some(PathBuf::from(OsString::from_wide(name)))
}

/// Checks that there is a file: each one may be executed.
pub(super) fn check_executable(path: &Path) -> io::Result<()> {
    path.metadata().map(drop)
}
