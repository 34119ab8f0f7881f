//! Leaves out lines of well-known programs that a reader does not need, within any budget: passed tests,
//! progress, compiled files, equal lines, generated files, repeated notices.
//!
//! A minimized output is a view like any other: whole lines, exact markers. [`rules`] are data (`rules.json`)
//! and say which lines of which program have which [`reason`]; [`pattern`] is the language of their patterns.
//! [`track`] follows the lines of a stream and records the ranges that may be left out, in bounded memory.
//! [`apply`] decides, once the end of the command is known, which ranges are left out.
//!
//! No rule decides about failures: [`track`] keeps every line with the class of a failure, a warning or a
//! summary, and the lines around failures.

mod apply;
mod pattern;
mod reason;
mod rules;
#[cfg(test)]
#[allow(clippy::format_collect, reason = "the logs of tests are put together once")]
mod tests;
mod track;

use std::sync::Arc;

pub(in crate::text::view) use apply::{Ranges, whole_view};
pub use reason::{OmissionReason, Reasons};
use rules::Candidate;
pub use rules::{Choice, RuleSet, names};
pub(in crate::text::view) use track::LineTracker;

/// The smallest output that is minimized (bytes): a shorter one saves less than its markers cost a reader.
pub const MIN_BYTES: u64 = 1_000;

/// The rules for one command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Minimizer {
    candidates: Arc<[Candidate]>,
    /// Whether lines that equal those around them are left out.
    folds_repeated: bool,
    /// Whether the caller has the whole output, so that lines may be left out without a file.
    has_source: bool,
}
