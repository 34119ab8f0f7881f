//! The policy: may a command line run? The decision is made on the words that the shell will really run, comes with a reason, and
//! is never "allow" for text that was not understood. It is pure: no system calls, no clock.
//!
//! A command line passes through, in this order: [`syntax`] reads the text, [`commands`] finds every simple command that may run,
//! `judge` compares each with the [`rules`] of a policy ([`lists`]), `danger` judges their effects, [`check()`] makes a
//! [`decision`] of it. The mode [`read_only`] uses no rules: it allows known queries. Two files serve others: [`pipeline`] tells
//! whether a command line ends in a pipeline, and [`interceptors`] are advice for models that have a better tool.

#![allow(
    clippy::match_same_arms,
    reason = "tables of programs: a row for each says more than rows that are merged"
)]
#![allow(
    clippy::similar_names,
    clippy::single_match_else,
    clippy::nonminimal_bool,
    reason = "a condition is written in the order of its explanation"
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
#[allow(clippy::too_many_lines, reason = "tables of command lines")]
mod tests;
mod writes;

pub use check::{check, check_words};
pub use decision::{Code, Decision, Verdict};
pub use lists::{ListName, Mode, OnDanger, Policy, RuleError};
pub use paths::{NoLinks, Paths};
pub use pipeline::ends_in_pipeline;
pub use request::Request;
pub use syntax::Syntax;
