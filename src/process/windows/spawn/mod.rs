//! Starts a program in a job object.

mod attributes;
#[cfg(test)]
mod tests;

use std::io;
use std::os::windows::io::{AsHandle, AsRawHandle, BorrowedHandle, FromRawHandle, OwnedHandle};
use std::ptr::null;

use windows_sys::Win32::Foundation::{HANDLE, HANDLE_FLAG_INHERIT, SetHandleInformation};
use windows_sys::Win32::System::Threading::{
    CREATE_NO_WINDOW, CREATE_UNICODE_ENVIRONMENT, CreateProcessW, EXTENDED_STARTUPINFO_PRESENT,
    PROC_THREAD_ATTRIBUTE_HANDLE_LIST, PROC_THREAD_ATTRIBUTE_JOB_LIST, PROCESS_INFORMATION,
    STARTF_USESTDHANDLES, STARTUPINFOEXW,
};

use super::child::Child;
use super::job_object::{JobObject, succeeded};
use attributes::Attributes;

/// What to start.
#[derive(Debug)]
pub struct Request<'a> {
    /// The absolute path of the program.
    pub program: &'a str,
    /// The command line, with the program (see [`quote`](super::quote)).
    pub line: &'a str,
    /// The environment (see [`block`](super::environment::block)).
    pub environment: &'a [u16],
    /// The absolute path of the working directory.
    pub directory: &'a str,
    /// Standard input, output and error, of which two can be the same.
    pub streams: [BorrowedHandle<'a>; 3],
    pub job: &'a JobObject,
}

/// Starts a program, which is in its job before its first instruction.
///
/// The process inherits its three streams only. While the call lasts, these can also be inherited by a
/// process that other code of the host starts without a list of handles.
///
/// # Errors
///
/// When the program can't be started, or an argument has a NUL.
pub fn spawn(request: &Request<'_>) -> io::Result<Child> {
    let program = wide(request.program)?;
    let mut line = wide(request.line)?;
    let directory = wide(request.directory)?;
    // A block without its end would let the kernel read what follows it.
    if !request.environment.ends_with(&[0, 0]) {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "an environment block ends with two NULs"));
    }
    let streams = request.streams.map(|stream| stream.as_raw_handle());
    let _inheritable = Inheritable::new(&request.streams)?;
    let handles = without_duplicates(streams);
    let jobs = [request.job.as_handle().as_raw_handle()];
    let mut attributes = Attributes::new(2)?;
    attributes.set(PROC_THREAD_ATTRIBUTE_HANDLE_LIST, &handles)?;
    attributes.set(PROC_THREAD_ATTRIBUTE_JOB_LIST, &jobs)?;

    let mut startup = STARTUPINFOEXW::default();
    startup.StartupInfo.cb = u32::try_from(size_of::<STARTUPINFOEXW>()).unwrap_or_default();
    startup.StartupInfo.dwFlags = STARTF_USESTDHANDLES;
    [startup.StartupInfo.hStdInput, startup.StartupInfo.hStdOutput, startup.StartupInfo.hStdError] = streams;
    startup.lpAttributeList = attributes.as_list();
    let mut started = PROCESS_INFORMATION::default();
    // SAFETY: all strings end with a NUL, the block with two; the line is ours to be changed. The startup
    // structure has its size first, and its list of attributes lives, with its values, until the call
    // returns. `started` is written before it is read.
    succeeded(unsafe {
        CreateProcessW(
            program.as_ptr(),
            line.as_mut_ptr(),
            null(),
            null(),
            1,
            CREATE_NO_WINDOW | CREATE_UNICODE_ENVIRONMENT | EXTENDED_STARTUPINFO_PRESENT,
            request.environment.as_ptr().cast(),
            directory.as_ptr(),
            &raw const startup.StartupInfo,
            &raw mut started,
        )
    })?;
    // SAFETY: the two handles are new, and owned from here on.
    let process = unsafe {
        drop(OwnedHandle::from_raw_handle(started.hThread));
        OwnedHandle::from_raw_handle(started.hProcess)
    };
    Ok(Child::new(process, started.dwProcessId))
}

/// The list refuses a handle that it has already.
fn without_duplicates(handles: [HANDLE; 3]) -> Vec<HANDLE> {
    let mut list = Vec::with_capacity(handles.len());
    for handle in handles {
        if !list.contains(&handle) {
            list.push(handle);
        }
    }
    list
}

fn wide(text: &str) -> io::Result<Vec<u16>> {
    if text.contains('\0') {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, format!("{text:?} has a NUL")));
    }
    Ok(text.encode_utf16().chain([0]).collect())
}

/// Lets handles be inherited until it is dropped: `CreateProcessW` demands that of the handles in its list.
struct Inheritable<'a>(&'a [BorrowedHandle<'a>]);

impl<'a> Inheritable<'a> {
    fn new(handles: &'a [BorrowedHandle<'a>]) -> io::Result<Self> {
        let this = Self(handles);
        this.set(HANDLE_FLAG_INHERIT)?;
        Ok(this)
    }

    fn set(&self, flag: u32) -> io::Result<()> {
        self.0.iter().try_for_each(|handle| {
            // SAFETY: the handle is open while it is borrowed.
            succeeded(unsafe { SetHandleInformation(handle.as_raw_handle(), HANDLE_FLAG_INHERIT, flag) })
        })
    }
}

impl Drop for Inheritable<'_> {
    fn drop(&mut self) {
        let _ = self.set(0);
    }
}
