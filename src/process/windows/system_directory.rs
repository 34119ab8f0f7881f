//! The directory of the programs of Windows itself.

use std::io;

use windows_sys::Win32::System::SystemInformation::GetSystemDirectoryW;

/// The longest path that is read (UTF-16 units).
const MAX_PATH: usize = 1024;

/// Returns the path of one of the system's programs, which no variable can change.
///
/// # Errors
///
/// When the kernel refuses.
pub fn path_of(program: &str) -> io::Result<String> {
    let mut path = [0_u16; MAX_PATH];
    let size = u32::try_from(path.len()).unwrap_or_default();
    // SAFETY: the kernel writes at most `size` units into the array.
    let length = unsafe { GetSystemDirectoryW(path.as_mut_ptr(), size) };
    // A path that does not fit has a length above the size.
    let path = path.get(..length as usize).filter(|path| !path.is_empty());
    let path = path.ok_or_else(io::Error::last_os_error)?;
    Ok(format!("{}\\{program}", String::from_utf16_lossy(path)))
}
