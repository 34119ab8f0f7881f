//! Names processes.
//!
//! `unix` has the pid, and the identity by which a signal can't hit another process. On Windows a handle is
//! the identity, so `windows` has the pid alone.

#[cfg_attr(unix, path = "unix.rs")]
#[cfg_attr(windows, path = "windows.rs")]
mod platform;

pub use platform::*;
