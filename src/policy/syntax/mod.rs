//! The text of a command, read as a shell reads it.
//!
//! [`tree`] is what comes out. `reader` holds the position in the text, `word` reads words and their quotes (`ansi` for
//! `$'…'`), `expansion` what begins with a `$`, `here` here-documents, `grammar` the commands around them. Every construct
//! is read in one way only: what two shells, or two versions of one, may read differently is an error, and never allowed.

mod ansi;
mod expansion;
mod grammar;
mod here;
mod reader;
#[cfg(test)]
mod tests;
pub mod tree;
mod word;

pub(crate) use reader::read_nested;
pub use reader::{MAX_BYTES, MAX_DEPTH, Syntax, SyntaxError, read};
