//! The text of a command for a caller that is no model.
//!
//! [`mod@format`] chooses between the text of [`bash()`](super::bash_function) and that of `run()`, which
//! [`run_text`] has. [`view`] makes the view of an outcome, and [`minimize`] finds the rules for the lines
//! that it leaves out.

pub mod format;
pub mod minimize;
pub mod run_text;
pub mod view;
