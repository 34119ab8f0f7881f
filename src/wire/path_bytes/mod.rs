//! The bytes of a path.

#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

#[cfg(unix)]
pub use unix::{bytes_of, path_of};
#[cfg(windows)]
pub use windows::{bytes_of, path_of};
