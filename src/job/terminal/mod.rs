//! A job's terminal: its screen, kept while the program writes.
//!
//! * [`LiveScreen`] is what the I/O thread fills and JavaScript asks; it becomes plain text when the job is over.
//! * [`sequence`] tells output that may ask the terminal something from plain text; it is pure.
//! * [`thread`] is the one thread that applies the output of all jobs to their screens.

mod screen;
mod sequence;
mod thread;

pub use screen::{LiveScreen, Seen};
