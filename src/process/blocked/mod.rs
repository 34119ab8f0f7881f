//! Reads the system calls that the threads of a process sleep in, and the descriptors that they wait for.
//!
//! `linux` reads `/proc`, `calls` parses its files, and `pipe` checks one thread and one pipe. `macos` shows
//! no system calls: every process there counts as hidden, and `hidden` decides without them. `emulated` is
//! Linux in the shape of macOS, and `windows` knows the names of programs alone.

#[cfg(target_os = "linux")]
mod calls;
#[cfg(feature = "emulate-darwin")]
mod emulated;
#[cfg(darwin)]
mod hidden;
#[cfg(target_os = "linux")]
mod linux;
#[cfg(target_os = "macos")]
mod macos;
#[cfg(target_os = "linux")]
mod pipe;
mod sleeper;
#[cfg(windows)]
mod windows;

#[cfg(feature = "emulate-darwin")]
pub use emulated::{inode_of_descriptor, inspect, is_input, listens_on_any, name_of, waits_for_pipe};
#[cfg(darwin)]
pub use hidden::{IS_SHOWN, waits_for_open};
#[cfg(all(unix, not(darwin)))]
pub use linux::{IS_SHOWN, inspect, is_input, listens_on_any, name_of};
#[cfg(target_os = "macos")]
pub use macos::{inode_of_descriptor, inspect, is_input, listens_on_any, name_of, waits_for_pipe};
#[cfg(all(unix, not(darwin)))]
pub use pipe::{inode_of_descriptor, waits_for_open, waits_for_pipe};
pub use sleeper::{Call, InputFile, Sleeper, Wait};
#[cfg(windows)]
pub use windows::{IS_SHOWN, name_of};
