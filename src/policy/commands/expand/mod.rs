//! Makes words to fields, as far as their values are known: [`Atom`] is a part of a word, [`braces`]
//! multiplies words, and [`fields`] splits and joins them.

mod braces;
mod fields;

pub(super) use fields::{fields_of, value_of};

use super::field::{ANY_TEXT, Values};

/// A part of a word on its way through the expansions.
#[derive(Clone, Debug)]
pub(super) enum Atom {
    /// Text, and whether it is quoted.
    Text(String, bool),
    /// The result of an expansion, and whether quotes keep it together.
    Value(Expansion, bool),
}

/// The result of an expansion.
#[derive(Clone, Debug, Default)]
#[allow(clippy::struct_excessive_bools, reason = "each is a property of its own")]
pub(super) struct Expansion {
    /// The text, with marks for its unknown parts.
    pub(super) text: String,
    /// The possible texts, where the text is not known.
    pub(super) values: Values,
    /// Whether a part of the text was downloaded or decoded.
    pub(super) is_downloaded: bool,
    /// Whether a text that is not known has at least one character.
    pub(super) is_nonempty: bool,
    /// Whether the text may become several fields even in quotes, or none, as `"$@"` does.
    pub(super) is_many: bool,
    /// Whether the name of the parameter ends where the text behind it begins: `$a`, unlike `${a}`.
    pub(super) is_open: bool,
}

impl Expansion {
    pub(super) fn of(text: &str) -> Self {
        Self { text: text.to_owned(), ..Self::default() }
    }

    pub(super) fn any_text() -> Self {
        Self::of(ANY_TEXT)
    }
}
