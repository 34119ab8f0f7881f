//! A command's life: start, output, timeout, end.
//!
//! Read in this order:
//!
//! 1. [`model`] describes commands and their outcomes: plain data.
//! 2. [`start()`] is the way in. It queues the launch and returns a [`JobHandle`], by which the outside
//!    reaches the job.
//! 3. [`launch`] turns a plan into a running process, on a spawner thread.
//! 4. `task` runs on the I/O thread for as long as the process. `execution` is what a job shares with a
//!    command of a session. [`life`] decides what comes next: a state machine without a system call. [`io`]
//!    moves its input and output, [`terminal`] keeps the screen of a job that runs in a terminal,
//!    [`processes`] finds and signals its processes. [`waiting`] tells whether it waits for input, and
//!    [`ports`] where it listens, [`prompts`] lets a person answer its programs, and [`state`] tells which
//!    processes it has. [`sandbox`] starts the command in a sandbox, if its plan has one.

pub(crate) mod execution;
mod handle;
pub mod io;
pub mod launch;
pub mod life;
pub mod model;
pub mod ports;
pub mod processes;
pub mod prompts;
pub mod sandbox;
mod start;
pub mod state;
mod task;
pub mod terminal;
pub mod waiting;

pub(crate) use handle::SharedJob;
pub use handle::{FramedCommand, JobHandle, JobRequest, ends_job};
pub(crate) use io::discard::discard_output;
pub(crate) use launch::pending::EndOnce;
pub(crate) use life::clock::never;
pub use model::outcome::Outcome;
pub use model::plan::Plan;
pub use start::{close, start};
