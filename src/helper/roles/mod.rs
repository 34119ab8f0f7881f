//! Selects the role of the helper program: by the name under which it is started, or by its first argument.
//!
//! Each system has its own roles: `linux_kernel` has those that Linux in the shape of macOS (`emulated`) has
//! too.

#[cfg(target_os = "linux")]
mod linux_kernel;
#[cfg(feature = "emulate-darwin")]
mod macos;
#[cfg_attr(all(unix, not(darwin)), path = "linux.rs")]
#[cfg_attr(target_os = "macos", path = "macos.rs")]
#[cfg_attr(feature = "emulate-darwin", path = "emulated.rs")]
#[cfg_attr(windows, path = "windows.rs")]
mod platform;

pub use self::platform::{play_by_argument, play_by_name};
