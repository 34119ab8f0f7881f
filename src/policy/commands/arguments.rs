//! Arguments: options, and the place where the words after them begin.

use crate::policy::commands::field::{Field, UNKNOWN};
pub(crate) use crate::syntax::quote::quoted;

/// A word that is an option, by the conventions of GNU programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OptionWord<'a> {
    /// `--name` or `--name=value`. The name may be abbreviated, and is empty for `--`.
    Long(&'a str, Option<&'a str>),
    /// `-abc`: one or several letters, which a value may follow.
    Short(&'a str),
}

impl<'a> OptionWord<'a> {
    /// Reads a word; `None` for an operand, such as `-`.
    pub(crate) fn of(text: &'a str) -> Option<Self> {
        if let Some(long) = text.strip_prefix("--") {
            let (name, value) =
                long.split_once('=').map_or((long, None), |(name, value)| (name, Some(value)));
            return Some(Self::Long(name, value));
        }
        text.strip_prefix('-').filter(|letters| !letters.is_empty()).map(Self::Short)
    }

    /// Returns whether the option is this one: its letter is in the cluster, or its name abbreviates `long`.
    /// `letter` is NUL for an option without a short form.
    pub(crate) fn is(self, letter: char, long: &str) -> bool {
        match self {
            Self::Long(name, _) => !name.is_empty() && long.starts_with(name),
            Self::Short(letters) => letter != '\0' && letters.contains(letter),
        }
    }
}

/// Returns the first letter of a cluster that takes a value, and the rest of the word, which is the value if
/// it is not empty.
///
/// The letters before that one take no value: `-bf file`.
pub(crate) fn valued_letter(letters: &str, takes_value: impl Fn(char) -> bool) -> Option<(char, &str)> {
    let at = letters.find(takes_value)?;
    let mut rest = letters[at..].chars();
    rest.next().map(|letter| (letter, rest.as_str()))
}

/// Returns the value of a word, if it is exactly known.
pub(crate) fn word(words: &[Field], at: usize) -> Option<&str> {
    words.get(at).and_then(Field::known)
}

/// Returns the index after the options. `short` has the letters and `long` the names of options that take the
/// next word.
pub(crate) fn skip_options(words: &[Field], start: usize, short: &str, long: &[&str]) -> usize {
    let mut at = start;
    while let Some(text) = word(words, at) {
        if text == "--" {
            return at + 1;
        }
        let takes_next = match OptionWord::of(text) {
            Some(OptionWord::Long(name, value)) => {
                value.is_none() && long.iter().any(|long| long.starts_with(name))
            }
            Some(OptionWord::Short(letters)) => valued_letter(letters, |letter| short.contains(letter))
                .is_some_and(|(_, value)| value.is_empty()),
            None => break,
        };
        at += if takes_next { 2 } else { 1 };
    }
    at
}

pub(crate) fn skip_separator(words: &[Field], at: usize) -> usize {
    if word(words, at) == Some("--") { at + 1 } else { at }
}

/// Reads `NAME=value` words from `start` on, and returns the index after them.
pub(crate) fn skip_assignments(words: &[Field], start: usize) -> (usize, Vec<(String, Option<String>)>) {
    let mut at = start;
    let mut assignments = Vec::new();
    while let Some(field) = words.get(at) {
        let Some((name, value)) = field.text.split_once('=') else { break };
        if field.is_many || name.is_empty() || name.contains('/') {
            break;
        }
        let is_known = !value.contains(UNKNOWN);
        assignments.push((name.to_owned(), is_known.then(|| value.to_owned())));
        at += 1;
    }
    (at, assignments)
}

/// Returns a command line that runs a program with these words.
pub(crate) fn line_of(words: &[String]) -> String {
    let words: Vec<String> = words.iter().map(|word| quoted(word)).collect();
    words.join(" ")
}

pub(crate) fn known(text: &str) -> Option<String> {
    (!text.contains(UNKNOWN)).then(|| text.to_owned())
}

/// Returns the values of options: letters of `short`, which may end a cluster, and names of `long`, which may
/// be abbreviated. The letters of `other` take a value too.
pub(crate) fn values(words: &[Field], short: &str, long: &[&str], other: &str) -> Vec<Field> {
    let mut found = Vec::new();
    for (at, field) in words.iter().enumerate().skip(1) {
        let next = || words.get(at + 1).cloned();
        let own = |value: &str| Field { text: value.to_owned(), ..field.clone() };
        match OptionWord::of(&field.text) {
            Some(OptionWord::Long("", None)) => break,
            Some(OptionWord::Long(name, value)) if long.iter().any(|option| option.starts_with(name)) => {
                found.extend(value.map(own).or_else(next));
            }
            Some(OptionWord::Short(letters)) => {
                let takes_value = |letter| short.contains(letter) || other.contains(letter);
                match valued_letter(letters, takes_value) {
                    Some((letter, "")) if short.contains(letter) => found.extend(next()),
                    Some((letter, value)) if short.contains(letter) => found.push(own(value)),
                    _ => {}
                }
            }
            _ => {}
        }
    }
    found
}

/// Returns the second operand, which some filters write. The letters of `short` take a value.
pub(crate) fn second_operand(words: &[Field], short: &str) -> Vec<Field> {
    let first = skip_options(words, 1, short, &[]);
    let operands = words.iter().skip(first).filter(|field| !field.text.starts_with('-') || field.text == "-");
    let is_file = |field: &&Field| field.text != "-" && !field.text.is_empty();
    operands.skip(1).take(1).filter(is_file).cloned().collect()
}
