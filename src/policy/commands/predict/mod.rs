//! Predicts what programs print into a pipe, a file or a substitution, for the shells that run it. A prediction is a guess: it can
//! deny a command line, and never allows one.
//!
//! [`filter`] computes what `sed` makes of a known text, [`literal`] finds the texts that arguments hold.

mod filter;
mod literal;

pub(super) use filter::{filtered, is_filter};
pub(super) use literal::{decoded, literals};
