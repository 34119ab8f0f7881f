//! The parts of a word on its way through the expansions.

use std::rc::Rc;

use crate::policy::commands::field::{Field, TAINTED};

/// A character of a word, or the result of an expansion.
#[derive(Clone, Debug)]
pub(super) enum Atom {
    /// A character of the text, and whether it is quoted.
    Char(char, bool),
    /// The result of an expansion.
    Value {
        value: String,
        /// Whether the value is kept together; an unquoted one is split.
        is_quoted: bool,
        is_downloaded: bool,
        /// Whether the name of the parameter ends where the text behind it begins.
        is_open: bool,
        /// Whether the value stood in the text, as an empty pair of quotes does.
        is_text: bool,
        /// Whether the value stands for the names of files.
        names_files: bool,
    },
    /// All positional parameters or all elements of an array, and whether quotes keep each of them together, or join them.
    All { fields: Rc<[Field]>, is_quoted: bool, is_joined: bool },
}

impl Atom {
    /// Returns what stands for any number of words that are not known.
    pub(super) fn unknown() -> Self {
        Self::Value {
            value: TAINTED.to_owned(),
            is_quoted: false,
            is_downloaded: false,
            is_open: false,
            is_text: false,
            names_files: false,
        }
    }
}
