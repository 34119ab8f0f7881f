//! Names whose case does not matter.

use crate::process::windows::environment::folded;

/// Returns the value of a variable (`NAME=value`) if it has this name.
#[must_use]
pub fn value_of<'a>(variable: &'a str, name: &str) -> Option<&'a str> {
    let (own, value) = variable.split_once('=')?;
    (own.eq_ignore_ascii_case(name) || folded(own) == folded(name)).then_some(value)
}
