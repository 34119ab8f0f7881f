//! Finds every simple command that may run in the tree of a command line.
//!
//! Read in this order: [`found`](Found) is what comes out. [`definitions`] reads which variables have one
//! literal value and which hold [`numbers`] only. `walk` goes through the tree in the order of the text, and
//! `expand` makes words to [fields](Field) as far as their values are known. `inner` finds the commands that
//! a program runs by its arguments, `variables` are those through which a harmless program runs another one,
//! `fetches` knows programs that bring text which nobody has seen, `text` those that print literal text. A
//! value that is not known is marked as such, never left out.

mod arguments;
mod definitions;
mod expand;
mod expressions;
mod fetches;
mod field;
mod found;
mod inner;
mod numbers;
mod text;
mod variables;
mod walk;

pub(crate) use arguments::quoted;
pub(crate) use fetches::{download_targets, is_network};
pub use field::{Field, UNKNOWN, Values};
pub(crate) use field::{PROCESS_FILE, variants};
pub use found::{Directories, Findings, Found, Input, Obstacle, Origin, Redirect, Trust, base_name};
pub(crate) use inner::{FIND_FLAGS, git_subcommand, is_interpreter, is_shell, only_checks, written_files};
pub use variables::runs_code;
pub use walk::{Surroundings, find};
