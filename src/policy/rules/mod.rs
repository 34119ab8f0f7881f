//! Rules such as `Bash(npm test)`: `rule` reads them, `matching` compares them with commands.

mod matching;
mod rule;

pub use matching::{Match, covers, matches};
pub use rule::{Fault, Rule};
