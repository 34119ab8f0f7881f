//! The classes of lines: a failure, a place, a warning, a summary, or none of these.
//!
//! The rules are the same for all programs: none depends on the program that wrote a line. [`kind`] has the
//! classes, `rules` the literals and the positions at which each counts, and `classify` searches for them.

mod classify;
pub mod kind;
mod rules;

pub use classify::{SEARCH_WINDOW, classify, is_binary};
pub use kind::Class;
