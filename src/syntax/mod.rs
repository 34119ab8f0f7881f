//! The text of a command, read as a shell reads it.
//!
//! [`tree`] is what comes out, and [`visit`] goes over all of it. `reader` holds the position in the text,
//! `word` reads words and their quotes (`ansi` for `$'…'`), `expansion` what begins with a `$`, `here`
//! here-documents, `grammar` the commands around them. Every construct is read in one way only: what two
//! shells, or two versions of one, may read differently is an error, and never allowed.

#![allow(
    clippy::match_same_arms,
    clippy::similar_names,
    reason = "an arm for each construct, and the shell's own terms: a list is no `last`"
)]

mod ansi;
mod expansion;
mod grammar;
mod here;
mod reader;
#[cfg(test)]
mod tests;
pub mod tree;
pub mod visit;
mod word;

pub(crate) use reader::read_nested;
pub use reader::{MAX_BYTES, MAX_DEPTH, Syntax, SyntaxError, read};
