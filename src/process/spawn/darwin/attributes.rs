//! The attributes of `posix_spawn`: a session, and the signals.

use std::ffi::{c_int, c_short};
use std::mem::MaybeUninit;

use super::check;
use crate::process::spawn::SpawnError;

/// The flag for a session of its own (macOS 10.15), which the `libc` crate does not define, and the flag that
/// lets only placed descriptors stay open.
#[cfg(target_os = "macos")]
const SESSION_AND_DESCRIPTORS: c_int = 0x0400 | libc::POSIX_SPAWN_CLOEXEC_DEFAULT;
/// The flag for a session of its own. The engine's descriptors close on exec here.
#[cfg(target_os = "linux")]
const SESSION_AND_DESCRIPTORS: c_int = libc::POSIX_SPAWN_SETSID as c_int;

/// Sets the session and the signals, and lets only placed descriptors stay open.
///
/// A child of Node gets no other descriptors here either. macOS has no `pipe2`: a new pipe is open for every
/// child until it is marked as closed on exec, so a child that another thread starts meanwhile would hold it
/// open.
pub(super) struct SpawnAttributes(libc::posix_spawnattr_t);

impl SpawnAttributes {
    pub(super) fn new() -> Result<Self, SpawnError> {
        let mut attributes = MaybeUninit::uninit();
        // SAFETY: the call initialises `attributes`, or fails.
        check(unsafe { libc::posix_spawnattr_init(attributes.as_mut_ptr()) })?;
        // SAFETY: initialised above.
        let mut attributes = Self(unsafe { attributes.assume_init() });
        let flags = SESSION_AND_DESCRIPTORS | libc::POSIX_SPAWN_SETSIGDEF | libc::POSIX_SPAWN_SETSIGMASK;
        let mut all = MaybeUninit::uninit();
        let mut none = MaybeUninit::uninit();
        // SAFETY: the first two calls initialise both sets; the attributes were initialised above.
        unsafe {
            libc::sigfillset(all.as_mut_ptr());
            libc::sigemptyset(none.as_mut_ptr());
            check(libc::posix_spawnattr_setsigdefault(&raw mut attributes.0, all.as_ptr()))?;
            check(libc::posix_spawnattr_setsigmask(&raw mut attributes.0, none.as_ptr()))?;
            let flags = c_short::try_from(flags).unwrap_or_default();
            check(libc::posix_spawnattr_setflags(&raw mut attributes.0, flags))?;
        }
        Ok(attributes)
    }

    pub(super) const fn as_ptr(&self) -> *const libc::posix_spawnattr_t {
        &raw const self.0
    }
}

impl Drop for SpawnAttributes {
    fn drop(&mut self) {
        // SAFETY: initialised in `new`.
        unsafe {
            libc::posix_spawnattr_destroy(&raw mut self.0);
        }
    }
}
