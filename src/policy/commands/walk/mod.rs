//! The walk through the tree of a command line, in the order of the text: a visitor that collects every
//! simple command.
//!
//! [`walker`] is the state of the walk, [`known`] what the walk knows of variables, functions and the
//! directory. `list`, `compound` and `word` follow the structure of the tree down to the simple commands.
//! `simple` turns their words into fields, `redirection` reads their files and input, and `invoke` follows
//! what a command runs. `builtin` applies what changes later commands, and `evaluation` checks values that
//! the shell evaluates as code.

mod builtin;
mod compound;
mod evaluation;
mod fork_bomb;
mod invoke;
mod known;
mod list;
mod redirection;
mod simple;
mod walker;
mod word;

use crate::syntax::tree::List;
use crate::syntax::{Syntax, SyntaxError};

use super::analysis::Analysis;
use walker::Walker;

pub use known::WalkSurroundings;

/// Finds every simple command that may run in the tree of a text.
///
/// # Errors
///
/// If text that runs as code can't be read, or there are too many commands.
pub fn find(list: &List, syntax: Syntax, surroundings: WalkSurroundings) -> Result<Analysis, SyntaxError> {
    let mut walker = Walker::new(list, syntax, surroundings);
    walker.visit_list(list);
    walker.finish()
}
