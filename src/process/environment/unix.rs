//! Names that are equal byte by byte.

/// Returns the value of a variable (`NAME=value`) if it has this name.
#[must_use]
pub fn value_of<'a>(variable: &'a str, name: &str) -> Option<&'a str> {
    variable.strip_prefix(name)?.strip_prefix('=')
}
