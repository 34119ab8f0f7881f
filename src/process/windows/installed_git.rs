//! The directory in which the installer of Git for Windows has put it.

use std::ptr::null_mut;

use windows_sys::Win32::Foundation::ERROR_SUCCESS;
use windows_sys::Win32::System::Registry::{
    HKEY, HKEY_CURRENT_USER, HKEY_LOCAL_MACHINE, RRF_RT_REG_SZ, RegGetValueW,
};
use windows_sys::w;

/// The longest path that is read (UTF-16 units).
const MAX_PATH: usize = 1024;

/// Returns `InstallPath` of `SOFTWARE\GitForWindows`, of the machine or else of the user.
#[must_use]
pub fn directory() -> Option<String> {
    [HKEY_LOCAL_MACHINE, HKEY_CURRENT_USER].into_iter().find_map(install_path)
}

fn install_path(root: HKEY) -> Option<String> {
    let mut path = [0_u16; MAX_PATH];
    let mut bytes = u32::try_from(size_of_val(&path)).ok()?;
    // SAFETY: the root is a predefined key, both names end with a NUL, and the kernel writes at most `bytes`
    // into the array.
    let status = unsafe {
        RegGetValueW(
            root,
            w!("SOFTWARE\\GitForWindows"),
            w!("InstallPath"),
            RRF_RT_REG_SZ,
            null_mut(),
            path.as_mut_ptr().cast(),
            &raw mut bytes,
        )
    };
    if status != ERROR_SUCCESS {
        return None;
    }
    let length = path.iter().position(|&unit| unit == 0)?;
    String::from_utf16(&path[..length]).ok().filter(|path| !path.is_empty())
}
