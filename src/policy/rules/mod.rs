//! Rules such as `Bash(npm test)`.
//!
//! `rule` reads them, `matching` compares them with commands. `spelling` knows other words for the same
//! command, and `synonyms` other flags.

mod matching;
mod rule;
mod spelling;
mod synonyms;

pub use matching::{Match, covers, matches};
pub use rule::{Fault, Rule};
