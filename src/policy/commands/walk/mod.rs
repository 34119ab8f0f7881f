//! The walk through the tree of a command line, in the order of the text: a visitor that collects every simple command.
//!
//! `walker` is the state of the walk, and what all of it uses. `list`, `compound` and `word` follow the structure of the tree
//! down to the simple commands; `simple` makes their words fields, and `invoke` follows what a command runs itself.
//! `assignment`, `redirection` and `builtin` keep the scope up to date for the commands that come later; `files` remembers
//! which files the command line writes and downloads, and what it writes; `evaluation` checks values that the shell evaluates as
//! code.

mod assignment;
mod builtin;
mod compound;
mod evaluation;
mod files;
mod function;
mod invoke;
mod list;
mod redirection;
mod simple;
mod walker;
mod word;

use crate::policy::syntax::tree::List;
use crate::policy::syntax::{Syntax, SyntaxError};

use super::found::Findings;
use super::scope::Scope;
use walker::Walker;

/// Finds every simple command that may run in the tree of a text.
///
/// # Errors
///
/// When text that is run as code can't be read, or there are too many commands.
pub fn find(list: &List, text: &str, syntax: Syntax, scope: Scope) -> Result<Findings, SyntaxError> {
    let mut walker = Walker::new(text, syntax, scope);
    let start = walker.scope.saved();
    walker.visit_list(list);
    walker.visit_readers(list, start);
    walker.visit_traps();
    walker.visit_implicit();
    walker.finish()
}
