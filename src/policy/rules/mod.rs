//! Rules such as `Bash(npm test)`: `rule` reads them, `matching` compares them with commands, of which
//! `spelling` knows other words that amount to the same, and `synonyms` flags that do.

mod matching;
mod rule;
mod spelling;
mod synonyms;

pub use matching::{Match, covers, matches};
pub use rule::{Fault, Rule};
