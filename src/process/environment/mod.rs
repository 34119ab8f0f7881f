//! The names of environment variables: as they are on Unix, without regard to case on Windows.

#[cfg_attr(unix, path = "unix.rs")]
#[cfg_attr(windows, path = "windows.rs")]
mod platform;

pub use platform::{BASIC, comparable, value_of};
