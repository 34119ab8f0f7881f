//! May this command run? Decided on the words that the shell will really run, explained, and never "allow" for what has
//! not been understood. Pure: no system calls, no clock.
//!
//! In the order in which a command passes through: [`syntax`] reads the text, [`commands`] finds every simple command that
//! may run, `judge` asks the [`rules`] of a policy ([`lists`]) about each, `danger` looks at their effects, [`check`] makes a
//! [`decision`] of it. [`read_only`] asks no rules but whether all of it only reads, and [`pipeline`] how it ends. [`interceptors`] is no part
//! of this: advice for models that have a better tool.

#![allow(
    clippy::match_same_arms,
    clippy::too_many_lines,
    reason = "tables of programs: a row for each says more than rows that are merged, and they are long"
)]
#![allow(
    clippy::similar_names,
    clippy::single_match_else,
    clippy::nonminimal_bool,
    reason = "conditions in the order in which they are explained"
)]

pub mod check;
pub mod commands;
mod danger;
pub mod decision;
pub mod interceptors;
mod judge;
pub mod lists;
pub mod paths;
pub mod pipeline;
pub mod read_only;
pub mod request;
pub mod rules;
mod suggestion;
pub mod syntax;
#[cfg(test)]
mod tests;
mod writes;

pub use check::{check, check_words};
pub use decision::{Code, Decision, Verdict};
pub use lists::{ListName, Mode, OnDanger, Policy, RuleError};
pub use paths::{NoLinks, Paths};
pub use pipeline::ends_in_pipeline;
pub use request::Request;
pub use syntax::Syntax;
