//! The list of attributes for `CreateProcessW`.

use std::io;
use std::marker::PhantomData;
use std::ptr::{null, null_mut};

use windows_sys::Win32::Foundation::HANDLE;
use windows_sys::Win32::System::Threading::{
    DeleteProcThreadAttributeList, InitializeProcThreadAttributeList, LPPROC_THREAD_ATTRIBUTE_LIST,
    UpdateProcThreadAttribute,
};

use crate::process::windows::job_object::succeeded;

/// A list of attributes whose values are lists of handles, which it borrows.
pub(super) struct Attributes<'a> {
    /// The memory of the list, in words so that it is aligned for pointers.
    list: Vec<u64>,
    values: PhantomData<&'a [HANDLE]>,
}

impl<'a> Attributes<'a> {
    /// Creates a list with room for `count` attributes.
    pub(super) fn new(count: u32) -> io::Result<Self> {
        let mut bytes = 0;
        // SAFETY: without a list, the call writes the size that one needs, and fails.
        unsafe { InitializeProcThreadAttributeList(null_mut(), count, 0, &raw mut bytes) };
        if bytes == 0 {
            return Err(io::Error::last_os_error());
        }
        let mut list = vec![0_u64; bytes.div_ceil(size_of::<u64>())];
        // SAFETY: the memory has the size that the kernel wants.
        succeeded(unsafe {
            InitializeProcThreadAttributeList(list.as_mut_ptr().cast(), count, 0, &raw mut bytes)
        })?;
        Ok(Self { list, values: PhantomData })
    }

    /// Sets an attribute. The list keeps the address of the value, not the value.
    pub(super) fn set(&mut self, attribute: u32, value: &'a [HANDLE]) -> io::Result<()> {
        let attribute = usize::try_from(attribute).unwrap_or_default();
        // SAFETY: the list was initialized, and the value outlives it.
        succeeded(unsafe {
            UpdateProcThreadAttribute(
                self.as_list(),
                0,
                attribute,
                value.as_ptr().cast(),
                size_of_val(value),
                null_mut(),
                null(),
            )
        })
    }

    pub(super) fn as_list(&mut self) -> LPPROC_THREAD_ATTRIBUTE_LIST {
        self.list.as_mut_ptr().cast()
    }
}

impl Drop for Attributes<'_> {
    fn drop(&mut self) {
        // SAFETY: the list was initialized.
        unsafe { DeleteProcThreadAttributeList(self.as_list()) }
    }
}
