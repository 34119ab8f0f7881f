//! Plain data: a command and its outcome.
//!
//! [`plan`] describes one command completely, including its [`invocation`]; [`run_options`] make a plan, with the
//! defaults of `run()`. [`outcome`] is the result at the end; [`error`] has the reasons for which no process was
//! started.

pub mod error;
pub mod invocation;
pub mod outcome;
pub mod plan;
pub mod run_options;
