//! The Node.js binding: converts and forwards.
//!
//! * [`binding`] is the object that JavaScript holds, one for each Node environment (the main thread, a
//!   worker); [`calls`] are its methods on jobs and sessions, and `state` is what it owns.
//! * [`mailbox`] carries the events of jobs to JavaScript's thread, a bounded number in each turn of its
//!   loop.
//! * [`spec`] has the arguments of JavaScript's calls, [`result`] their results and the events.
//! * [`functions`] need no binding: policy, dialects of tools, views.
//! * [`error`] is the shape of every error.
//! * [`replay`] makes the results of commands that do not run, for tests.
//! * [`log`] writes the engine's log to standard error, for bug reports.
//!
//! On Windows, the addon has what needs no process so far: the other modules follow with their layers.

#[cfg(unix)]
pub mod binding;
#[cfg(unix)]
pub mod calls;
#[cfg(unix)]
pub mod error;
pub mod functions;
pub mod log;
#[cfg(unix)]
pub mod mailbox;
#[cfg(unix)]
pub mod replay;
#[cfg(unix)]
pub mod result;
#[cfg(unix)]
pub mod spec;
#[cfg(unix)]
mod state;
