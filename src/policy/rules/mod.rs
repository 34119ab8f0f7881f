//! Rules such as `Bash(npm test)`: [`rule`] reads them, [`matching`] compares them with commands.

mod matching;
mod rule;
#[cfg(test)]
mod tests;

pub use matching::{Match, covers, matches};
pub use rule::{Fault, Rule};
