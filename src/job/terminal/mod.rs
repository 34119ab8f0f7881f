//! The screen of a job that runs in a terminal. ([`crate::process::pty`] opens the terminal itself.)
//!
//! * [`LiveScreen`] is filled by the I/O thread and read by JavaScript; it becomes plain text when the job is over.
//! * [`sequence`] recognizes output that may query the terminal; it is pure.
//! * [`thread`] is the one thread that applies the output of all jobs to their screens.

mod screen;
mod sequence;
mod thread;

pub use screen::{LiveScreen, Seen};
