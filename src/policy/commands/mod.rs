//! Finds every simple command that may run in the tree of a command line.
//!
//! Read in this order: [`analysis`](ExpandedCommand) is the result. [`definitions`] finds the variables that
//! have one literal value, and those that hold only [`numbers`]. `walk` goes through the tree in the order of
//! the text, and `expand` turns words into [fields](Field) as far as their values are known. `inner` finds
//! the commands that a program runs by its arguments, `variables` lists the variables through which a
//! harmless program runs another one, and `programs` has the facts about single programs. An unknown value is
//! marked as unknown, and never left out.

mod analysis;
mod arguments;
mod definitions;
mod expand;
mod expressions;
mod field;
mod inner;
mod numbers;
mod programs;
mod variables;
mod walk;

pub use analysis::{
    Analysis, Directories, ExpandedCommand, Input, Obstacle, Origin, Redirect, Trust, base_name,
};
pub(crate) use arguments::{OptionWord, line_of, quoted};
pub use field::{Field, UNKNOWN, Values};
pub(crate) use field::{PROCESS_FILE, variants};
pub(crate) use inner::{only_checks, written_files};
pub(crate) use programs::fetches::{download_targets, is_network};
pub(crate) use programs::find::{FIND_FLAGS, runs_program};
pub(crate) use programs::git::{CONFIG_QUERIES, GitOption, git_subcommand};
pub(crate) use programs::interpreter::{is_interactive, is_interpreter, reads_program};
pub(crate) use programs::shell::is_shell;
pub use variables::runs_code;
pub use walk::{Surroundings, find};
