//! The names of environment variables: as they are on Unix, without regard to case on Windows.

#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

#[cfg(unix)]
pub use unix::value_of;
#[cfg(windows)]
pub use windows::value_of;
