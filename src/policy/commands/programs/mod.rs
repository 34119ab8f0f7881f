//! Facts about single programs, each in one place.
//!
//! [`git`] has the options before a subcommand, [`find`] the actions and tests, [`interpreter`] and [`shell`]
//! the programs that run code. [`fetches`] knows the programs whose output nobody has read, and [`printed`]
//! the output of commands that print literal text.

pub(crate) mod fetches;
pub(crate) mod find;
pub(crate) mod git;
pub(crate) mod interpreter;
pub(in crate::policy::commands) mod printed;
pub(crate) mod shell;
