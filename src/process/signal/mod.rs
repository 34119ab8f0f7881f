//! Signals: a type for all systems, with names and numbers.
//!
//! On Unix they are the kernel's. Windows has none, so there a signal is only the name of a way to end a job,
//! with the number of Linux.

#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

#[cfg(all(unix, not(darwin)))]
pub(in crate::process) use unix::TERMINATION;
#[cfg(unix)]
pub use unix::{
    RARELY_USED, Signal, block_all_signals, block_all_signals_but_sigchld, by_name, by_number,
    ignore_termination, name, number,
};
#[cfg(windows)]
pub use windows::{
    Signal, block_all_signals, block_all_signals_but_sigchld, by_name, by_number, name, number,
};
