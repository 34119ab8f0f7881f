//! Plain data: a command and its outcome.
//!
//! [`plan`] describes one command completely: its [`invocation`], its [`surroundings`] with their [`shell`],
//! and the bounds of its life. [`outcome`] is the result at the end; [`error`] has the reasons for which no
//! process was started.

pub mod error;
pub mod invocation;
pub mod outcome;
pub mod plan;
pub mod shell;
pub mod surroundings;
