//! Names that are equal byte by byte.

use std::borrow::Cow;

/// The variables that nearly every program needs.
pub const BASIC: &[&str] = &["PATH", "HOME", "USER", "LOGNAME", "LANG", "TZ", "TERM", "SHELL"];

/// Returns a name in the form in which names are compared, which [`BASIC`] has too.
#[must_use]
pub const fn comparable(name: &str) -> Cow<'_, str> {
    Cow::Borrowed(name)
}

/// Returns the value of a variable (`NAME=value`) if it has this name.
#[must_use]
pub fn value_of<'a>(variable: &'a str, name: &str) -> Option<&'a str> {
    variable.strip_prefix(name)?.strip_prefix('=')
}
