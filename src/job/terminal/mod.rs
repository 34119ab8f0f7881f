//! A job's terminal: its screen, kept while the program writes.
//!
//! * [`LiveScreen`] is what the I/O thread fills and JavaScript asks; it becomes plain text when the job is over.
//! * [`thread`] is the one thread that applies the output of all jobs to their screens.

mod screen;
mod thread;

pub use screen::{LiveScreen, Seen};
