//! Rules such as `Bash(npm test)`: `rule` reads them, `matching` compares them with commands, of which `spelling` knows other
//! words that amount to the same.

mod matching;
mod rule;
mod spelling;

pub use matching::{Match, covers, matches};
pub use rule::{Fault, Rule};
