//! Words after expansion: what a program gets as its arguments, as far as that is known.

/// Stands in a text for what is not known: no argument can hold a NUL.
pub const UNKNOWN: char = '\0';

/// The name that bash gives to the output of `<(…)`: the first of its descriptors that nothing else uses.
pub(crate) const PROCESS_FILE: &str = "/dev/fd/63";

/// A word after expansion.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools, reason = "each is a property of its own")]
pub struct Field {
    /// The value, with [`UNKNOWN`] for each part that is not known.
    pub text: String,
    /// Whether it stood in the command as it is, without expansions.
    pub is_literal: bool,
    /// Whether it may become none or several arguments.
    pub is_many: bool,
    /// Whether the shell replaces it by names of files that match.
    pub has_glob: bool,
    /// Whether a download is in it.
    pub is_downloaded: bool,
}

impl Field {
    /// Text that is known.
    #[must_use]
    pub fn of(text: &str) -> Self {
        Self { text: text.to_owned(), is_literal: true, ..Self::default() }
    }

    /// An argument, or several, of which nothing is known.
    #[must_use]
    pub fn unknown() -> Self {
        Self { text: UNKNOWN.to_string(), is_many: true, ..Self::default() }
    }

    /// The value, if it is exactly known.
    #[must_use]
    pub fn known(&self) -> Option<&str> {
        (!self.is_many && !self.has_glob && !self.text.contains(UNKNOWN)).then_some(self.text.as_str())
    }

    /// The value, if it stood in the command as it is.
    #[must_use]
    pub fn literal(&self) -> Option<&str> {
        if self.is_literal { self.known() } else { None }
    }

    /// The value with its unknown parts left out.
    #[must_use]
    pub fn shown(&self) -> String {
        self.text.replace(UNKNOWN, "…")
    }
}
