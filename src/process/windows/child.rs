//! A process that was started, and its exit.

use std::ffi::c_void;
use std::io;
use std::os::windows::io::{AsRawHandle, OwnedHandle};
use std::ptr::null_mut;
use std::sync::{Arc, OnceLock};

use tokio::sync::Notify;
use windows_sys::Win32::Foundation::{HANDLE, INVALID_HANDLE_VALUE, WAIT_OBJECT_0, WAIT_TIMEOUT};
use windows_sys::Win32::System::Threading::{
    GetExitCodeProcess, INFINITE, RegisterWaitForSingleObject, TerminateProcess, UnregisterWaitEx,
    WT_EXECUTEINWAITTHREAD, WT_EXECUTEONLYONCE, WaitForSingleObject,
};

use super::job_object::succeeded;

/// A process. While this is there, its pid belongs to no other process.
#[derive(Debug)]
pub struct Child {
    // Dropped before the handle that it waits for.
    wait: OnceLock<Wait>,
    process: OwnedHandle,
    pid: u32,
}

impl Child {
    pub(super) fn new(process: OwnedHandle, pid: u32) -> Self {
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
                let wait = Wait::register(&self.process)?;
                self.wait.get_or_init(|| wait)
            };
            wait.exited.notified().await;
        }
    }
}

/// A wait of the system's thread pool for the exit of a process.
#[derive(Debug)]
struct Wait {
    wait: HANDLE,
    /// The notification that the callback sends, by a reference of its own until it can't run any more.
    exited: Arc<Notify>,
}

// SAFETY: the handle is used by `drop` alone, and does not belong to a thread.
unsafe impl Send for Wait {}
// SAFETY: a shared reference gives the notification alone.
unsafe impl Sync for Wait {}

impl Wait {
    fn register(process: &OwnedHandle) -> io::Result<Self> {
        let mut this = Self { wait: null_mut(), exited: Arc::default() };
        let context = Arc::into_raw(Arc::clone(&this.exited));
        // SAFETY: the process is open until the wait is unregistered, since the child that owns both drops
        // the wait first; the context lives as long, and `Self::report` takes this type.
        let registered = succeeded(unsafe {
            RegisterWaitForSingleObject(
                &raw mut this.wait,
                process.as_raw_handle(),
                Some(Self::report),
                context.cast(),
                INFINITE,
                WT_EXECUTEINWAITTHREAD | WT_EXECUTEONLYONCE,
            )
        });
        if let Err(error) = registered {
            this.wait = null_mut();
            // SAFETY: no callback was registered that could use this reference.
            drop(unsafe { Arc::from_raw(context) });
            return Err(error);
        }
        Ok(this)
    }

    unsafe extern "system" fn report(exited: *mut c_void, _is_timeout: bool) {
        // SAFETY: the context is that of `register`; `drop` waits until this has returned.
        let exited = unsafe { &*exited.cast::<Notify>() };
        exited.notify_one();
    }
}

impl Drop for Wait {
    fn drop(&mut self) {
        if self.wait.is_null() {
            return;
        }
        // SAFETY: a wait that was registered is unregistered once. With this event, the call returns after
        // the callback has, which only notifies, so nothing uses the callback's reference any more. After a
        // failure the callback may still run, and its reference is leaked.
        unsafe {
            if UnregisterWaitEx(self.wait, INVALID_HANDLE_VALUE) != 0 {
                drop(Arc::from_raw(Arc::as_ptr(&self.exited)));
            }
        }
    }
}
