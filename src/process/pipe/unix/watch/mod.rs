//! Waits until a pipe that the runtime watches can be read or written, or until its other end is closed.
//!
//! `linux` leaves that to the kernel's events. `darwin` checks named pipes from time to time besides, whose
//! ends a kqueue does not report.

#[cfg(darwin)]
mod darwin;
#[cfg(not(darwin))]
mod linux;

#[cfg(darwin)]
pub(super) use darwin::{PipeWatch, has_data_or_ended};
#[cfg(not(darwin))]
pub(super) use linux::{PipeWatch, has_data_or_ended};
