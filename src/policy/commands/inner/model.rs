//! The commands that a program runs, as plain data.

use std::ops::Range;

use crate::policy::commands::arguments::known;
use crate::policy::commands::field::{Field, UNKNOWN, is_glob};
use crate::policy::commands::found::{Input, Trust};

/// The most words of a guess: rules match the first words of a command.
const GUESS_WORDS: usize = 64;

/// A command that another one runs.
#[derive(Debug)]
pub(in crate::policy::commands) enum Inner {
    /// Words of the outer command.
    Words {
        /// The positions of the words.
        range: Range<usize>,
        /// Further words behind them, from the standard input.
        extra: Vec<Field>,
        /// The text in the words that stands for a line of the input, as in `xargs -I{}`.
        placeholder: Option<String>,
        /// Assignments before them.
        assignments: Vec<(String, Option<String>)>,
        /// The reach of an allow rule.
        trust: Trust,
    },
    /// Words that the outer command does not contain, such as `rm` for `find -delete`.
    Made(Vec<Field>),
    /// Words that run if an option takes another number of values than the tables say. A guess denies, and never allows.
    Guess(Vec<Field>),
    /// Text that a file probably holds, and a shell reads. A guess denies, and never allows.
    Script {
        /// The text.
        text: String,
        /// The parameters from `$0` on, for a shell of its own.
        positional: Option<Vec<Field>>,
    },
    /// The text of a file in which a program probably finds commands, and these commands. They are guesses.
    File {
        /// The text.
        text: String,
        /// Command lines.
        commands: Vec<String>,
    },
    /// Text that a shell reads; absent where it is not known.
    Code {
        /// The text.
        text: Option<String>,
        /// The parameters from `$0` on, for a shell of its own.
        positional: Option<Vec<Field>>,
        /// The name of the text for the reader of a verdict.
        what: &'static str,
        /// The reach of an allow rule.
        trust: Trust,
        /// Whether a download is in it.
        is_downloaded: bool,
    },
}

impl Inner {
    pub(super) fn words(range: Range<usize>, trust: Trust) -> Self {
        Self::Words { range, extra: Vec::new(), placeholder: None, assignments: Vec::new(), trust }
    }

    /// Returns the words from `at` on, if there are any.
    pub(super) fn words_from(
        words: &[Field],
        at: usize,
        assignments: Vec<(String, Option<String>)>,
        trust: Trust,
    ) -> Vec<Self> {
        if at >= words.len() {
            return Vec::new();
        }
        vec![Self::Words { range: at..words.len(), extra: Vec::new(), placeholder: None, assignments, trust }]
    }

    /// Returns a command that may begin at `at`.
    pub(super) fn guess(words: &[Field], at: usize) -> Self {
        Self::Guess(words.iter().skip(at).take(GUESS_WORDS).cloned().collect())
    }

    /// Returns a text that a shell of its own probably reads.
    pub(in crate::policy::commands) fn script(text: &str) -> Self {
        Self::Script { text: text.to_owned(), positional: Some(Vec::new()) }
    }

    pub(super) fn code(text: Option<String>, what: &'static str, trust: Trust, is_downloaded: bool) -> Self {
        Self::Code { text, positional: None, what, trust, is_downloaded }
    }

    /// Returns a part of a word as code, which is unknown if any of it is.
    pub(super) fn text(text: &str, what: &'static str) -> Self {
        Self::code(known(text), what, Trust::Separate, false)
    }

    /// Returns code that is not known before it runs.
    pub(super) fn unknown_code(what: &'static str) -> Self {
        Self::code(None, what, Trust::Separate, false)
    }

    /// Returns the text of one field as code.
    pub(super) fn field(field: &Field, what: &'static str, trust: Trust) -> Self {
        Self::code(field.known().map(str::to_owned), what, trust, field.is_downloaded)
    }

    /// Returns the text of the file that a field names as code; unknown code where the text is not known. `positional` are the
    /// parameters of a shell of its own.
    pub(super) fn content(field: &Field, what: &'static str, positional: Option<Vec<Field>>) -> Vec<Self> {
        let is_downloaded = field.is_downloaded;
        let unknown = || Self::code(None, what, Trust::Separate, is_downloaded);
        let Some(text) = field.content.as_deref() else { return vec![unknown()] };
        let has_glob = is_glob(text);
        let text = known(text);
        let code = Self::Code { text, positional, what, trust: Trust::Transparent, is_downloaded };
        [code].into_iter().chain(has_glob.then(unknown)).collect()
    }

    /// Returns words that a program joins with blanks and reads as code. The names of files that a glob becomes are a part of it.
    pub(super) fn joined(words: &[Field], what: &'static str, trust: Trust) -> Vec<Self> {
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
    pub(super) fn stdin(input: &Input, what: &'static str) -> Vec<Self> {
        if !input.is_given {
            return Vec::new();
        }
        let text = input.text.as_deref().map(str::to_owned);
        let mut found = vec![Self::code(text, what, Trust::Transparent, input.is_downloaded)];
        if input.names_files {
            found.push(Self::code(None, what, Trust::Transparent, input.is_downloaded));
        }
        found.extend(input.guesses.iter().map(|text| Self::script(text)));
        found
    }
}
