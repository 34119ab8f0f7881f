//! Plain data: what to run, and what came of it.
//!
//! [`plan`] has everything about one command, its [`invocation`] among it, and leaves nothing to decide; [`run_options`]
//! make one, with the defaults of `run()`. [`outcome`] is what is left at its end; [`error`] says why there was no process.

pub mod error;
pub mod invocation;
pub mod outcome;
pub mod plan;
pub mod run_options;
