//! The Node.js binding: converts, forwards, decides nothing.
//!
//! * [`host`] is what JavaScript holds: one for each Node environment (the main thread, a worker).
//! * [`mailbox`] carries what jobs say to JavaScript's thread, a bounded part in each turn of its loop.
//! * [`log`] writes what the engine does to standard error, for bug reports.
//! * [`terminal`] is what a job in a terminal has besides; [`inspection`] is what a job waits for and where it listens, and
//!   [`plain_lines`] is for whoever looks for a pattern in what it says.
//! * [`policy`] decides whether a command may run.
//! * [`event`] is how it looks there; [`run_spec`] is how the options of `run()` come from there.
//! * [`pipe_status`] tells whether a line behind a command can ask for the statuses of its pipeline.
//! * [`session`] is a shell session, as JavaScript holds it.

pub mod event;
pub mod host;
pub mod inspection;
pub mod log;
pub mod mailbox;
pub mod pipe_status;
pub mod plain_lines;
pub mod policy;
pub mod run_spec;
pub mod session;
pub mod terminal;
pub mod tools;
pub mod view;
