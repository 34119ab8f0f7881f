//! The text of a command, read as a shell reads it.
//!
//! [`tree`] is the result, and [`visit`] walks it. `reader` holds the position in the text, `word` reads
//! words with their quotes, expansions and here-documents, and `grammar` the commands around them. Every
//! construct is read in one way only. A construct that two shells, or two versions of one, may read
//! differently is an error, and never allowed.
//!
//! [`canonical`] makes a text of the tree that is equal for equal commands. [`simple`] recognizes commands
//! after which a line can be added, [`pipeline`] those whose last pipeline can be asked about. [`shells`] is
//! the only list of the shells that this package knows, [`quote`] has the rules of quoting, and [`variable`]
//! that of names.

#![allow(
    clippy::match_same_arms,
    clippy::similar_names,
    reason = "an arm for each construct, and the shell's own terms: a list is no `last`"
)]

pub mod canonical;
mod grammar;
pub mod pipeline;
pub mod quote;
mod reader;
pub mod shells;
pub mod simple;
#[cfg(test)]
mod tests;
pub mod tree;
pub mod variable;
pub mod visit;
mod word;

pub(crate) use reader::read_nested;
pub use reader::{MAX_BYTES, MAX_DEPTH, Syntax, SyntaxError, read};
