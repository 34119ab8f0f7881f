//! The file of the program of a process.

use std::io;
use std::os::windows::io::{AsRawHandle, FromRawHandle, OwnedHandle};

use windows_sys::Win32::Foundation::{ERROR_INVALID_PARAMETER, WAIT_OBJECT_0};
use windows_sys::Win32::System::Threading::{
    OpenProcess, PROCESS_NAME_WIN32, PROCESS_QUERY_LIMITED_INFORMATION, PROCESS_SYNCHRONIZE,
    QueryFullProcessImageNameW, WaitForSingleObject,
};

/// The longest path that is read (UTF-16 units): a longer one is not the path of a program of the system.
const MAX_PATH: usize = 1024;

/// Returns the path of the program of the process that has this pid now; `None` without such a process, or
/// where the kernel refuses.
#[must_use]
pub fn of_pid(pid: u32) -> Option<String> {
    // SAFETY: the call takes numbers alone. A handle that is returned is new, and owned from here on.
    let process = unsafe {
        let process = OpenProcess(PROCESS_QUERY_LIMITED_INFORMATION, 0, pid);
        if process.is_null() {
            return None;
        }
        OwnedHandle::from_raw_handle(process)
    };
    let mut path = [0_u16; MAX_PATH];
    let mut length = u32::try_from(path.len()).unwrap_or_default();
    // SAFETY: the process is open, and the kernel writes at most `length` units into the array.
    let queried = unsafe {
        QueryFullProcessImageNameW(
            process.as_raw_handle(),
            PROCESS_NAME_WIN32,
            path.as_mut_ptr(),
            &raw mut length,
        )
    };
    let path = path.get(..usize::try_from(length).ok()?)?;
    (queried != 0).then(|| String::from_utf16_lossy(path))
}

/// Returns whether no process with this pid runs. False where the kernel does not tell.
#[must_use]
pub fn is_gone(pid: u32) -> bool {
    // SAFETY: the call takes numbers alone. A handle that is returned is new, and owned from here on.
    let process = unsafe {
        let process = OpenProcess(PROCESS_SYNCHRONIZE, 0, pid);
        if process.is_null() {
            return io::Error::last_os_error().raw_os_error() == Some(ERROR_INVALID_PARAMETER.cast_signed());
        }
        OwnedHandle::from_raw_handle(process)
    };
    // SAFETY: the process is open. One that has exited keeps its pid while others have it open.
    unsafe { WaitForSingleObject(process.as_raw_handle(), 0) == WAIT_OBJECT_0 }
}

/// Returns whether a process is the console of others, which the system has started for them
/// (`System32\conhost.exe`).
#[must_use]
pub fn is_console_host(pid: u32) -> bool {
    of_pid(pid).is_some_and(|path| path.to_ascii_lowercase().ends_with("\\system32\\conhost.exe"))
}
