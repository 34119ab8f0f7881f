//! The policy: may a command line run? It decides on the text, and on where links lead, which the caller
//! tells. It gives a reason, and never allows what it does not understand. It is pure: no system calls, no
//! clock.
//!
//! A command line passes through these modules in order: [`syntax`](crate::syntax) reads the text,
//! [`commands`] finds every simple command that may run, `judge` compares each with the [`rules`] of a policy
//! ([`lists`]), `danger` knows their effects, and [`check()`] makes a [`decision`]. The mode [`read_only`]
//! uses no rules: it allows known queries. In a request of Windows, [`windows`] gives each path the form in
//! which all of them compare it.
//!
//! A value is known only if it is literal, or a variable that the text assigns once, literally. An unknown
//! value never allows: it asks wherever a rule could depend on it. An option that may run something asks,
//! without saying what it would run. A sandbox must handle files that one command writes and another one
//! runs.

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
mod globs;
mod harmless;
mod judge;
pub mod line_match;
pub mod lists;
pub mod paths;
mod programs;
pub mod read_only;
pub mod request;
pub mod rules;
mod suggestion;
mod windows;
mod writes;

pub use crate::syntax::Syntax;
pub use check::{check, check_words};
pub use decision::{Code, Decision, Verdict};
pub use lists::{ListName, Mode, OnDanger, Policy, RuleError};
pub use paths::{NoLinks, PathStyle, Paths};
pub use request::PolicyRequest;
pub use windows::native;
