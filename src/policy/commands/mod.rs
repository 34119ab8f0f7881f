//! Finds every simple command that may run in the tree of a command line.
//!
//! Read in this order: [`found`](Found) is what comes out. `walk` goes through the tree in the order of the text. `expand` makes
//! words to [fields](Field) as far as their values are known, with `substitution` for the output of commands inside of them;
//! [`scope`] holds what is known of variables, functions and the directory. `inner` finds the commands that a program runs by its
//! arguments, `variables` are those through which a harmless program runs another one, `copy`, `contents` and `flow` follow files and
//! downloads from command to command, and `predict` guesses what programs print. A value that is not known is marked as such, never
//! left out.

mod arguments;
mod constant;
mod contents;
mod copy;
mod expand;
mod field;
mod flow;
mod found;
mod inner;
mod output;
mod predict;
pub mod scope;
mod substitution;
mod variables;
mod walk;

pub(crate) use copy::Copy;
pub(crate) use field::PROCESS_FILE;
pub use field::{Field, UNKNOWN};
pub(crate) use flow::{FIND_FLAGS, is_test_of_find};
pub use found::{Findings, Found, Input, Obstacle, Redirect, Trust, base_name};
pub(crate) use inner::{STARTUP_FILES, git_subcommand, is_interpreter, is_shell, only_checks};
pub use variables::runs_code;
pub use walk::find;
