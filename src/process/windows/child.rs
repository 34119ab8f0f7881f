//! A process that was started, and its exit.

use std::ffi::c_void;
use std::io;
use std::os::windows::io::{AsRawHandle, OwnedHandle};
use std::ptr::null_mut;

use tokio::sync::oneshot;
use windows_sys::Win32::Foundation::{HANDLE, INVALID_HANDLE_VALUE, WAIT_OBJECT_0, WAIT_TIMEOUT};
use windows_sys::Win32::System::Threading::{
    GetExitCodeProcess, INFINITE, RegisterWaitForSingleObject, TerminateProcess, UnregisterWaitEx,
    WT_EXECUTEINWAITTHREAD, WT_EXECUTEONLYONCE, WaitForSingleObject,
};

use super::job_object::succeeded;

/// A process. While this is there, its pid belongs to no other process.
#[derive(Debug)]
pub struct Child {
    process: OwnedHandle,
    pid: u32,
}

impl Child {
    pub(super) fn new(process: OwnedHandle, pid: u32) -> Self {
        Self { process, pid }
    }

    #[must_use]
    pub fn pid(&self) -> u32 {
        self.pid
    }

    /// Returns the exit code, or `None` while the process runs.
    ///
    /// # Errors
    ///
    /// When the kernel refuses.
    pub fn exit_code(&self) -> io::Result<Option<u32>> {
        let process = self.process.as_raw_handle();
        // A process can exit with the code that stands for a running one (259), so only the wait decides.
        // SAFETY: the process is open.
        match unsafe { WaitForSingleObject(process, 0) } {
            WAIT_OBJECT_0 => {}
            WAIT_TIMEOUT => return Ok(None),
            _ => return Err(io::Error::last_os_error()),
        }
        let mut code = 0;
        // SAFETY: the process is open, and the place lives until the call returns.
        succeeded(unsafe { GetExitCodeProcess(process, &raw mut code) })?;
        Ok(Some(code))
    }

    /// Ends this process alone, with this exit code.
    ///
    /// # Errors
    ///
    /// When the kernel refuses, also after the exit.
    pub fn terminate(&self, exit_code: u32) -> io::Result<()> {
        // SAFETY: the process is open.
        succeeded(unsafe { TerminateProcess(self.process.as_raw_handle(), exit_code) })
    }

    /// Waits for the exit and returns its code. Dropping the future ends the wait.
    ///
    /// # Errors
    ///
    /// When the kernel refuses.
    pub async fn exited(&self) -> io::Result<u32> {
        loop {
            if let Some(code) = self.exit_code()? {
                return Ok(code);
            }
            let (exited, report) = oneshot::channel();
            let wait = Wait::register(&self.process, exited)?;
            let _ = report.await;
            drop(wait);
        }
    }
}

/// A wait of the system's thread pool for the exit of a process.
struct Wait {
    wait: HANDLE,
    /// What the callback takes; freed when it can't run any more.
    exited: *mut Option<oneshot::Sender<()>>,
}

// SAFETY: the two are used by `drop` alone, after the callback has ended, and neither belongs to a thread.
unsafe impl Send for Wait {}
// SAFETY: nothing can be done with a shared reference.
unsafe impl Sync for Wait {}

impl Wait {
    fn register(process: &OwnedHandle, exited: oneshot::Sender<()>) -> io::Result<Self> {
        let exited = Box::into_raw(Box::new(Some(exited)));
        let mut this = Self { wait: null_mut(), exited };
        // SAFETY: the process is open until the wait is unregistered, since the future that holds it borrows
        // it; the context lives as long, and `Self::report` takes this type.
        succeeded(unsafe {
            RegisterWaitForSingleObject(
                &raw mut this.wait,
                process.as_raw_handle(),
                Some(Self::report),
                exited.cast(),
                INFINITE,
                WT_EXECUTEINWAITTHREAD | WT_EXECUTEONLYONCE,
            )
        })?;
        Ok(this)
    }

    unsafe extern "system" fn report(exited: *mut c_void, _is_timeout: bool) {
        // SAFETY: the context is that of `register`, and runs once; `drop` waits until this has returned.
        let exited = unsafe { &mut *exited.cast::<Option<oneshot::Sender<()>>>() };
        if let Some(exited) = exited.take() {
            let _ = exited.send(());
        }
    }
}

impl Drop for Wait {
    fn drop(&mut self) {
        // SAFETY: a wait that was registered is unregistered once. With this event, the call returns after
        // the callback has, which only sends, so nothing uses the context any more. Without the wait (a
        // failed registration), nothing ever did.
        unsafe {
            if !self.wait.is_null() && UnregisterWaitEx(self.wait, INVALID_HANDLE_VALUE) == 0 {
                return; // the callback may still run: its context is leaked
            }
            drop(Box::from_raw(self.exited));
        }
    }
}
