//! The screen of a job that runs in a terminal. ([`crate::process::pty`] opens the terminal itself.)
//!
//! * [`LiveScreen`] is filled by the I/O thread and read by JavaScript; it becomes plain text when the job is
//!   over.
//! * `control_sequence` recognizes output that may query the terminal; it is pure.
//! * `thread` is the one thread that applies the output of all jobs to their screens.
//!
//! [`Emulator`](crate::text::screen::Emulator) writes the replies to the queries; the thread queues them in
//! the job's input.

mod control_sequence;
mod screen;
mod thread;

pub use screen::{LiveScreen, ScreenRevision};
