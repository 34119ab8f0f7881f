//! The expansions of a word, in the order of the shell: braces, tilde, parameters and substitutions, splitting.
//!
//! [`values`] finds the possible values of an expansion, with [`edit`] for operators like `${x#a}` and [`tilde`]. [`fields`] puts
//! a word together, from [`atom`]s, after [`braces`] has multiplied them.

mod atom;
mod braces;
mod edit;
mod fields;
mod tilde;
mod values;

pub(super) use fields::{Choice, UNSURE, expand};
pub(super) use values::{Output, Outputs, values};
