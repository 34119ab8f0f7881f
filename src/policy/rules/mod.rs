//! Rules such as `Bash(npm test)`.
//!
//! `rule` reads them, `matching` compares them with commands. `spelling` and `synonyms` find other words and
//! flags for the same command, by the record of its program.

mod matching;
mod rule;
mod spelling;
mod synonyms;

pub use matching::{Match, covers, matches};
pub use rule::{Fault, Rule};
