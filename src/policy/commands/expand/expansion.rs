//! The data of expansions: parts of words, and results.

use crate::policy::commands::field::{ANY_TEXT, Values};

/// A part of a word during its expansions.
#[derive(Clone, Debug)]
pub(in crate::policy::commands) enum Atom {
    /// Text, and whether it is quoted.
    Text(String, bool),
    /// The result of an expansion, and whether quotes keep it together.
    Value(Expansion, bool),
}

/// The result of an expansion.
#[derive(Clone, Debug, Default)]
#[allow(clippy::struct_excessive_bools, reason = "each is a property of its own")]
pub(in crate::policy::commands) struct Expansion {
    /// The text, with marks for its unknown parts.
    pub(in crate::policy::commands) text: String,
    /// The possible texts, if the text is unknown.
    pub(in crate::policy::commands) values: Values,
    /// Whether a part of the text was downloaded or decoded.
    pub(in crate::policy::commands) is_downloaded: bool,
    /// Whether an unknown text has at least one character.
    pub(in crate::policy::commands) is_nonempty: bool,
    /// Whether the text may become several fields or none even in quotes, as `"$@"` does.
    pub(in crate::policy::commands) is_many: bool,
    /// Whether text that follows directly would extend the parameter's name: after `$a`, but not after
    /// `${a}`.
    pub(in crate::policy::commands) is_open: bool,
}

impl Expansion {
    pub(in crate::policy::commands) fn of(text: &str) -> Self {
        Self { text: text.to_owned(), ..Self::default() }
    }

    pub(in crate::policy::commands) fn any_text() -> Self {
        Self::of(ANY_TEXT)
    }
}
