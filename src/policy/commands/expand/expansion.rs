//! What expansions work on: parts of words, and the results of expansions.

use crate::policy::commands::field::{ANY_TEXT, Values};

/// A part of a word on its way through the expansions.
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
    /// The possible texts, where the text is not known.
    pub(in crate::policy::commands) values: Values,
    /// Whether a part of the text was downloaded or decoded.
    pub(in crate::policy::commands) is_downloaded: bool,
    /// Whether a text that is not known has at least one character.
    pub(in crate::policy::commands) is_nonempty: bool,
    /// Whether the text may become several fields even in quotes, or none, as `"$@"` does.
    pub(in crate::policy::commands) is_many: bool,
    /// Whether the name of the parameter ends where the text behind it begins: `$a`, unlike `${a}`.
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
