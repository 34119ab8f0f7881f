//! Signals: a type for all systems, with names and numbers.
//!
//! On Unix they are the kernel's. Windows has none, so there a signal is only the name of a way to end a job,
//! with the number of Linux.

#[cfg_attr(unix, path = "unix.rs")]
#[cfg_attr(windows, path = "windows.rs")]
mod platform;

pub use platform::*;
