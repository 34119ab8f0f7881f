//! Waits of the system's thread pool for an object of the kernel.

use std::ffi::c_void;
use std::io;
use std::os::windows::io::{AsRawHandle, BorrowedHandle};
use std::ptr::null_mut;
use std::sync::Arc;

use tokio::sync::Notify;
use windows_sys::Win32::Foundation::{HANDLE, INVALID_HANDLE_VALUE};
use windows_sys::Win32::System::Threading::{
    INFINITE, RegisterWaitForSingleObject, UnregisterWaitEx, WT_EXECUTEINWAITTHREAD, WT_EXECUTEONLYONCE,
};

use super::job_object::succeeded;

/// A wait of the system's thread pool until an object is signaled.
#[derive(Debug)]
pub struct Wait {
    wait: HANDLE,
    /// The notification that the callback sends, by a reference of its own until it can't run any more.
    signaled: Arc<Notify>,
}

// SAFETY: the handle is used by `drop` alone, and does not belong to a thread.
unsafe impl Send for Wait {}
// SAFETY: a shared reference gives the notification alone.
unsafe impl Sync for Wait {}

impl Wait {
    /// Waits for the first signal of an object, such as the exit of a process.
    ///
    /// # Safety
    ///
    /// The object is open until the wait is dropped.
    ///
    /// # Errors
    ///
    /// When the kernel refuses.
    pub unsafe fn for_signal(object: BorrowedHandle<'_>) -> io::Result<Self> {
        // SAFETY: as the caller promises.
        unsafe { Self::register(object, WT_EXECUTEINWAITTHREAD | WT_EXECUTEONLYONCE) }
    }

    /// Waits for each signal of an event that a wait resets.
    ///
    /// # Safety
    ///
    /// The event is open until the wait is dropped.
    ///
    /// # Errors
    ///
    /// When the kernel refuses.
    pub unsafe fn for_each_signal(event: BorrowedHandle<'_>) -> io::Result<Self> {
        // SAFETY: as the caller promises.
        unsafe { Self::register(event, WT_EXECUTEINWAITTHREAD) }
    }

    unsafe fn register(object: BorrowedHandle<'_>, flags: u32) -> io::Result<Self> {
        let mut this = Self { wait: null_mut(), signaled: Arc::default() };
        let context = Arc::into_raw(Arc::clone(&this.signaled));
        // SAFETY: the object is open until the wait is unregistered, as the caller promises; the context
        // lives as long, and `Self::report` takes this type.
        let registered = succeeded(unsafe {
            RegisterWaitForSingleObject(
                &raw mut this.wait,
                object.as_raw_handle(),
                Some(Self::report),
                context.cast(),
                INFINITE,
                flags,
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

    /// Waits until the object was signaled since the last call. Cancel-safe, for one caller at a time.
    pub async fn signaled(&self) {
        self.signaled.notified().await;
    }

    unsafe extern "system" fn report(signaled: *mut c_void, _is_timeout: bool) {
        // SAFETY: the context is that of `register`; `drop` waits until this has returned.
        let signaled = unsafe { &*signaled.cast::<Notify>() };
        signaled.notify_one();
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
                drop(Arc::from_raw(Arc::as_ptr(&self.signaled)));
            }
        }
    }
}
