//! Fields: the words of a command after expansion, as far as they are known.

use std::rc::Rc;

/// The mark for an unknown part of a text: no argument can contain a NUL.
pub const UNKNOWN: char = '\0';

/// The mark for an unknown part that may be any text. An expression runs the substitutions in the subscripts
/// of such text.
pub(crate) const ANY_TEXT: &str = "\0\0";

/// The mark for an unknown part without code: a number, or a value from the environment.
pub(crate) const ANY_PLAIN: &str = "\0";

/// The name that bash gives to the output of `<(…)`: the first descriptor that it uses for this.
pub(crate) const PROCESS_FILE: &str = "/dev/fd/63";

/// A word after expansion.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools, reason = "each is a property of its own")]
pub struct Field {
    /// The value, with [`UNKNOWN`] for each unknown part.
    pub text: String,
    /// Whether the command contains the word as it is, without expansions.
    pub is_literal: bool,
    /// Whether the word may become no argument, or several.
    pub is_many: bool,
    /// Whether the word is a glob, which the shell replaces with the names of matching files.
    pub has_glob: bool,
    /// Whether a part of the value was downloaded or decoded.
    pub is_downloaded: bool,
    /// Whether no unknown part of the value can be empty: `${x:?}`.
    pub is_nonempty: bool,
    /// The possible values of an unknown word.
    pub values: Values,
    /// The end of the word in the command line; `None` if no single word there became this field alone.
    pub end: Option<usize>,
}

/// Possible values of a word or of a variable.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Values {
    /// The values; empty if none is known.
    pub all: Rc<[String]>,
    /// Whether there are no other values.
    pub is_complete: bool,
}

impl Field {
    /// Returns a field with a known text.
    #[must_use]
    pub fn of(text: &str) -> Self {
        Self { text: text.to_owned(), is_literal: true, ..Self::default() }
    }

    /// Returns a field that may be any argument, several, or none.
    #[must_use]
    pub fn unknown() -> Self {
        Self { text: ANY_TEXT.to_owned(), is_many: true, ..Self::default() }
    }

    /// Returns the value, if it is exactly known.
    #[must_use]
    pub fn known(&self) -> Option<&str> {
        (!self.is_many && !self.has_glob && !self.text.contains(UNKNOWN)).then_some(self.text.as_str())
    }

    /// Returns the value, if the command contains it as it is.
    #[must_use]
    pub fn literal(&self) -> Option<&str> {
        if self.is_literal { self.known() } else { None }
    }

    /// Returns the texts that the field may become: its possible values, or otherwise its text.
    pub(crate) fn texts(&self) -> &[String] {
        if self.values.all.is_empty() { std::slice::from_ref(&self.text) } else { &self.values.all }
    }

    /// Returns the value for a message, with `…` for its unknown parts.
    #[must_use]
    pub fn shown(&self) -> String {
        shown(&self.text)
    }

    /// Returns the field with another text, which must be a part of the word.
    pub(crate) fn with_text(&self, text: &str) -> Self {
        Self { text: text.to_owned(), end: None, ..self.clone() }
    }
}

/// Returns copies of the words with possible values in place of some fields, so that each value appears in
/// one of the copies.
pub(crate) fn variants(words: &[Field], is_replaced: impl Fn(&Field) -> bool) -> Vec<Vec<Field>> {
    let values = |field: &Field| if is_replaced(field) { field.values.all.len() } else { 0 };
    let count = words.iter().map(&values).max().unwrap_or_default();
    let with_value = |field: &Field, index: usize| match values(field) {
        0 => field.clone(),
        length => {
            let text = field.values.all[index.min(length - 1)].clone();
            Field { text, values: Values::default(), ..field.clone() }
        }
    };
    (0..count).map(|index| words.iter().map(|field| with_value(field, index)).collect()).collect()
}

/// Returns a text for a message, with `…` for its unknown parts.
pub(crate) fn shown(text: &str) -> String {
    text.replace(ANY_TEXT, "…").replace(UNKNOWN, "…")
}

/// Returns whether a part of a text may be any text.
pub(crate) fn is_any_text(text: &str) -> bool {
    text.contains(ANY_TEXT)
}

/// Returns whether a text may match the names of files.
pub(crate) fn is_glob(text: &str) -> bool {
    text.contains(['*', '?', '['])
}
