//! The Node.js binding: converts and forwards.
//!
//! * [`binding`] is the object that JavaScript holds, one for each Node environment (the main thread, a
//!   worker); [`calls`] are its methods on jobs and sessions, and `state` is what it owns.
//! * [`mailbox`] carries the events of jobs to JavaScript's thread, a bounded number in each turn of its
//!   loop.
//! * [`spec`] has the arguments of JavaScript's calls, [`result`] their results and the events.
//! * [`functions`] need no binding: policy, dialects of tools, views.
//! * [`error`] is the shape of every error, and [`exit_code`] tells what an exit code means.
//! * [`replay`] makes the results of commands that do not run, for tests.
//! * [`log`] writes the engine's log to standard error, for bug reports.

pub mod binding;
pub mod calls;
pub mod error;
pub mod exit_code;
pub mod functions;
pub mod log;
pub mod mailbox;
pub mod replay;
pub mod result;
pub mod spec;
mod state;
