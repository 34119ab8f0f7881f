//! A process that was started, and its exit.

use std::io;
use std::os::windows::io::{AsHandle, AsRawHandle, OwnedHandle};
use std::sync::OnceLock;

use windows_sys::Win32::Foundation::{WAIT_OBJECT_0, WAIT_TIMEOUT};
use windows_sys::Win32::System::Threading::{GetExitCodeProcess, TerminateProcess, WaitForSingleObject};

use super::job_object::succeeded;
use super::wait::Wait;

/// A process. While this is there, its pid belongs to no other process.
#[derive(Debug)]
pub struct Child {
    // Dropped before the handle that it waits for.
    wait: OnceLock<Wait>,
    process: OwnedHandle,
    pid: u32,
}

impl Child {
    pub(in crate::process::windows) fn new(process: OwnedHandle, pid: u32) -> Self {
        Self { wait: OnceLock::new(), process, pid }
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

    /// Waits for the exit and returns its code. Cancel-safe, for one caller at a time.
    ///
    /// # Errors
    ///
    /// When the kernel refuses.
    pub async fn exited(&self) -> io::Result<u32> {
        loop {
            if let Some(code) = self.exit_code()? {
                return Ok(code);
            }
            let wait = if let Some(wait) = self.wait.get() {
                wait
            } else {
                // SAFETY: the process is open until the wait is dropped, which comes first.
                let wait = unsafe { Wait::for_signal(self.process.as_handle()) }?;
                self.wait.get_or_init(|| wait)
            };
            wait.signaled().await;
        }
    }
}
