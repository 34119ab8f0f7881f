//! Fields, the words after expansion: the arguments of a program, as far as they are known.

/// The mark for an unknown part of a text: no argument can hold a NUL.
pub const UNKNOWN: char = '\0';

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
        Self { text: UNKNOWN.to_string(), is_many: true, ..Self::default() }
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
        self.text.replace(UNKNOWN, "…")
    }
}
