//! Rules such as `Bash(npm test)`.
//!
//! `rule` reads them, `matching` compares them with commands. `spelling` knows other words for the same
//! command, `scripts` those for the scripts of a package, and `synonyms` other flags.

mod matching;
mod rule;
mod scripts;
mod spelling;
mod synonyms;

pub use matching::{Match, covers, matches};
pub use rule::{Fault, Rule};
