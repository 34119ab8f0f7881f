//! Names processes.
//!
//! `unix` has the pid, and the identity by which a signal can't hit another process. On Windows a handle is
//! the identity, so `windows` has the pid alone.

#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

#[cfg(unix)]
pub use unix::{Identity, Pid, runs};
#[cfg(windows)]
pub use windows::{Pid, runs};
