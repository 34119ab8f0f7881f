//! Fields, the words after expansion: the arguments of a program, as far as they are known.

use std::rc::Rc;

/// The mark for an unknown part of a text: no argument can hold a NUL. A single mark stands for a number, or a value that the
/// environment gives.
pub const UNKNOWN: char = '\0';

/// The mark for an unknown part of a text that comes from a command, a file or a parameter of a script. Arithmetic and other
/// expressions run the substitutions in the subscripts of such a text.
pub(super) const TAINTED: &str = "\0\0";

/// The name that bash gives to the output of `<(…)`: the first of its descriptors that nothing else uses.
pub(crate) const PROCESS_FILE: &str = "/dev/fd/63";

/// A word after expansion.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools, reason = "each is a property of its own")]
pub struct Field {
    /// The value, with [`UNKNOWN`] for each part that is not known.
    pub text: String,
    /// Whether the word stood in the command as it is, without expansions.
    pub is_literal: bool,
    /// Whether the word may become none or several arguments.
    pub is_many: bool,
    /// Whether the word is a glob, which the shell replaces by the names of matching files.
    pub has_glob: bool,
    /// Whether a part of the value was downloaded.
    pub is_downloaded: bool,
    /// The text of the file that the word names, for `<(…)` with an output that is known.
    pub content: Option<Rc<str>>,
}

impl Field {
    /// Returns a field with a text that is known.
    #[must_use]
    pub fn of(text: &str) -> Self {
        Self { text: text.to_owned(), is_literal: true, ..Self::default() }
    }

    /// Returns a field that may be any argument, several, or none.
    #[must_use]
    pub fn unknown() -> Self {
        Self { text: TAINTED.to_owned(), is_many: true, ..Self::default() }
    }

    /// Returns the value, if it is exactly known.
    #[must_use]
    pub fn known(&self) -> Option<&str> {
        (!self.is_many && !self.has_glob && !self.text.contains(UNKNOWN)).then_some(self.text.as_str())
    }

    /// Returns the value, if it stood in the command as it is.
    #[must_use]
    pub fn literal(&self) -> Option<&str> {
        if self.is_literal { self.known() } else { None }
    }

    /// Returns the value for a message, with `…` for its unknown parts.
    #[must_use]
    pub fn shown(&self) -> String {
        shown(&self.text)
    }
}

/// Returns a text for a message, with `…` for its unknown parts.
pub(super) fn shown(text: &str) -> String {
    text.replace(TAINTED, "…").replace(UNKNOWN, "…")
}

/// Returns whether a part of a text is not known, and comes from outside of the command line.
pub(super) fn is_tainted(text: &str) -> bool {
    text.contains(TAINTED)
}

/// Returns whether a text may stand for the names of files, as `*` does in a loop.
pub(super) fn is_glob(text: &str) -> bool {
    text.contains(['*', '?', '['])
}

/// Returns the mark for one of several values: a tainted one if an expression may find code in any of them.
pub(super) fn unknown_of<'a>(mut values: impl Iterator<Item = &'a str>) -> String {
    let may_hold_code = |value: &str| is_tainted(value) || value.contains(['[', '$', '`', '\\']);
    if values.any(may_hold_code) { TAINTED.to_owned() } else { UNKNOWN.to_string() }
}
