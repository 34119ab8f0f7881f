//! What a command runs besides itself: its arguments, code, or words of its own making.
//!
//! [`wrappers`] are the programs that run their arguments ([`table`] lists the plain ones), [`code`] those that read text as code,
//! and [`options`], [`git`], [`sed`] and [`awk`] know the arguments through which a harmless program runs another one.

mod awk;
mod code;
mod git;
mod options;
mod sed;
mod table;
mod wrappers;

use std::ops::Range;

pub(crate) use self::code::is_shell;
pub(super) use self::code::obstacle as code_obstacle;
pub(crate) use self::git::git_subcommand;
pub(crate) use self::options::is_interpreter;
pub(super) use self::options::obstacle as option_obstacle;
pub(super) use self::wrappers::inner;
use super::field::Field;
use super::found::Trust;

/// A command that another one runs.
#[derive(Debug)]
pub(super) enum Inner {
    /// Words of its own.
    Words {
        /// Which ones.
        range: Range<usize>,
        /// Further ones behind them, from its input.
        extra: Vec<Field>,
        /// Assignments before them.
        assignments: Vec<(String, Option<String>)>,
        /// How far an allow rule reaches.
        trust: Trust,
    },
    /// Words that are not its own, such as `rm` for `find -delete`.
    Made(Vec<Field>),
    /// Words that it runs if an option takes another number of values than is known. They deny, and never allow.
    Guess(Vec<Field>),
    /// Text that a shell reads; absent where it is not known.
    Code {
        /// The text.
        text: Option<String>,
        /// The parameters from `$0` on.
        positional: Option<Vec<Field>>,
        /// Whose text it is.
        what: &'static str,
        /// How far an allow rule reaches.
        trust: Trust,
        /// Whether a download is in it.
        is_downloaded: bool,
    },
}

/// Returns the value of a word, if it is exactly known.
fn word(words: &[Field], at: usize) -> Option<&str> {
    words.get(at).and_then(Field::known)
}

/// Returns the place behind the options. `short` and `long` take the next word.
fn skip_options(words: &[Field], start: usize, short: &str, long: &[&str]) -> usize {
    let mut at = start;
    while let Some(text) = word(words, at) {
        if text == "--" {
            return at + 1;
        }
        if let Some(name) = text.strip_prefix("--") {
            // GNU programs take abbreviations.
            let takes_value = !name.contains('=') && long.iter().any(|long| long.starts_with(name));
            at += if takes_value { 2 } else { 1 };
        } else if text.len() > 1 && text.starts_with('-') {
            let takes_value = text.chars().skip(1).position(|letter| short.contains(letter));
            at += if takes_value.is_some_and(|place| place + 2 == text.chars().count()) { 2 } else { 1 };
        } else {
            break;
        }
    }
    at
}

/// Quotes a text for a shell.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

/// Returns text that a shell reads.
fn code_of(text: Option<String>, what: &'static str, trust: Trust, is_downloaded: bool) -> Inner {
    Inner::Code { text, positional: None, what, trust, is_downloaded }
}

/// Returns the text of one field as code.
fn field_code(field: &Field, what: &'static str, trust: Trust) -> Inner {
    code_of(field.known().map(str::to_owned), what, trust, field.is_downloaded)
}
