//! The commands that a program runs, as plain data.

use crate::policy::commands::analysis::{Origin, StandardInput, Trust};
use crate::policy::commands::arguments::known;
use crate::policy::commands::field::{Field, UNKNOWN};

/// A command that another one runs.
#[derive(Debug)]
pub(crate) enum Inner {
    /// Words of the outer command.
    Words {
        /// The index of the first inner word in the outer command.
        at: usize,
        /// The words, with those from the standard input after them.
        words: Vec<Field>,
        assignments: Vec<(String, Option<String>)>,
        trust: Trust,
    },
    /// Words that the outer command does not contain, such as `rm` for `find -delete`.
    Made(Vec<Field>),
    /// Another word at which the command may begin, if an option takes another number of values than the
    /// tables say.
    Start(usize),
    /// Text that a shell reads.
    Code {
        /// The text; `None` if it is unknown.
        text: Option<String>,
        /// Whether a new shell reads the text.
        is_own_shell: bool,
        /// The name of the text in the reason of a verdict.
        what: &'static str,
        trust: Trust,
        /// Whether a part of the text was downloaded.
        is_downloaded: bool,
    },
}

impl Inner {
    /// Returns the index of the first inner word in the outer command.
    pub(crate) fn start(&self) -> Option<usize> {
        if let Self::Words { at, .. } = self { Some(*at) } else { None }
    }

    /// Returns the words from `at` on, if there are any.
    pub(crate) fn words_from(words: &[Field], at: usize, trust: Trust) -> Vec<Self> {
        Self::words_behind(words, at, Vec::new(), trust)
    }

    /// Returns the words from `at` on, with assignments before them.
    pub(crate) fn words_behind(
        words: &[Field],
        at: usize,
        assignments: Vec<(String, Option<String>)>,
        trust: Trust,
    ) -> Vec<Self> {
        match words.get(at..) {
            Some([]) | None => Vec::new(),
            Some(words) => vec![Self::Words { at, words: words.to_vec(), assignments, trust }],
        }
    }

    /// Returns code that a new shell reads.
    pub(crate) fn code(text: Option<String>, what: &'static str, trust: Trust, is_downloaded: bool) -> Self {
        Self::Code { text, is_own_shell: true, what, trust, is_downloaded }
    }

    /// Returns code that is unknown before it runs.
    pub(crate) fn unknown_code(what: &'static str) -> Self {
        Self::code(None, what, Trust::Separate, false)
    }

    /// Returns the text of one field as code.
    pub(crate) fn field(field: &Field, what: &'static str, trust: Trust) -> Self {
        Self::code(field.known().map(str::to_owned), what, trust, field.is_downloaded)
    }

    /// Returns a part of a field as code, which is unknown if any of the field is.
    pub(crate) fn part(field: &Field, text: &str, what: &'static str, trust: Trust) -> Self {
        let is_known = !field.is_many && !field.has_glob;
        Self::code(known(text).filter(|_| is_known), what, trust, field.is_downloaded)
    }

    /// Returns words that a program joins with blanks and reads as code. The names of files that match a glob
    /// become a part of the code.
    pub(crate) fn joined(words: &[Field], what: &'static str, trust: Trust) -> Vec<Self> {
        let is_known = |field: &Field| !field.is_many && !field.text.contains(UNKNOWN);
        let known: Option<Vec<&str>> =
            words.iter().map(|field| is_known(field).then_some(field.text.as_str())).collect();
        let is_downloaded = words.iter().any(|field| field.is_downloaded);
        let mut found = vec![Self::code(known.map(|words| words.join(" ")), what, trust, is_downloaded)];
        if words.iter().any(|field| field.has_glob) {
            found.push(Self::code(None, what, trust, is_downloaded));
        }
        found
    }

    /// Returns the standard input as code, if it comes from this command line.
    pub(crate) fn stdin(input: &StandardInput, what: &'static str) -> Vec<Self> {
        if !input.is_given {
            return Vec::new();
        }
        let text = input.text.as_deref().map(str::to_owned);
        vec![Self::code(text, what, Trust::Transparent, input.origin == Origin::Network)]
    }

    /// Returns the same code, read by this shell.
    pub(crate) fn in_this_shell(self) -> Self {
        match self {
            Self::Code { text, what, trust, is_downloaded, .. } => {
                Self::Code { text, is_own_shell: false, what, trust, is_downloaded }
            }
            inner => inner,
        }
    }
}
