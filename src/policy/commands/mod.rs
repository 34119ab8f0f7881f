//! Finds every simple command that may run in the tree of a command line.
//!
//! Read in this order: [`analysis`](ExpandedCommand) is the result. [`definitions`] finds the variables that
//! have one literal value, and those that hold only [`numbers`]. `walk` goes through the tree in the order of
//! the text, and `expand` turns words into [fields](Field) as far as their values are known. `inner` finds
//! the commands that a program runs by its arguments, and `variables` lists the variables through which a
//! harmless program runs another one. `download` tells which output nobody has read, `literal_output` which
//! output is known. An unknown value is marked as unknown, and never left out.

mod analysis;
mod arguments;
mod definitions;
mod download;
mod expand;
mod expressions;
mod field;
mod inner;
mod literal_output;
mod numbers;
mod shells;
mod variables;
mod walk;

pub use analysis::{
    Analysis, Directories, ExpandedCommand, Obstacle, Origin, Redirect, StandardInput, Trust, base_name,
};
pub(crate) use arguments::{
    OptionWord, line_of, quoted, second_operand, skip_assignments, skip_options, valued_letter, values, word,
};
pub(crate) use download::{download_targets, has_flag, is_network};
pub(crate) use field::{ANY_TEXT, PROCESS_FILE, is_any_text, variants};
pub use field::{Field, UNKNOWN, Values};
pub(crate) use inner::{
    Inner, after_dashes, after_option, after_separator, at_each_start, changed_directory, code_from_input,
    hidden_obstacle, only_checks, option_text, posix_shell, sourced, texts_of, wrapped, written_files,
};
pub(crate) use shells::is_shell;
pub use variables::runs_code;
pub use walk::{WalkSurroundings, find};
