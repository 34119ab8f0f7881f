//! `env`: assignments, the directory of `-C`, and the command line of `-S`.

use crate::policy::commands::analysis::Trust;
use crate::policy::commands::arguments::{OptionWord, quoted, skip_assignments, valued_letter};
use crate::policy::commands::field::Field;
use crate::policy::commands::inner::model::Inner;

/// Options with a value.
const VALUED: [(char, &str); 4] = [('u', "unset"), ('C', "chdir"), ('a', "argv0"), ('S', "split-string")];

/// Returns the command of `env`, which follows its options and assignments, or is the value of `-S`.
pub(super) fn env(words: &[Field]) -> Vec<Inner> {
    let mut at = 1;
    while let Some(field) = words.get(at).filter(|field| field.text.starts_with('-')) {
        let text = field.text.as_str();
        at += 1;
        if text == "--" {
            break;
        }
        let (letter, value) = option(text);
        let next = || words.get(at);
        match letter {
            Some('S') => {
                let text = match value {
                    Some(value) => Some(field.with_text(value)),
                    None => next().cloned(),
                };
                return vec![split_string(
                    text.as_ref(),
                    words.get(at + usize::from(value.is_none())..).unwrap_or_default(),
                )];
            }
            Some(_) if value.is_none() => at += 1,
            _ => {}
        }
    }
    let (at, assignments) = skip_assignments(words, at);
    Inner::words_behind(words, at, assignments, Trust::Transparent)
}

/// Reads an option: the letter of an option with a value, and the value in the same word.
fn option(text: &str) -> (Option<char>, Option<&str>) {
    match OptionWord::of(text) {
        Some(OptionWord::Long(name, value)) => {
            let found = VALUED.iter().find(|(_, option)| !name.is_empty() && option.starts_with(name));
            (found.map(|(letter, _)| *letter), value)
        }
        Some(OptionWord::Short(letters)) => {
            let is_valued = |letter| VALUED.iter().any(|(valued, _)| *valued == letter);
            let (letter, value) = valued_letter(letters, is_valued).unzip();
            (letter, value.filter(|value| !value.is_empty()))
        }
        None => (None, None),
    }
}

/// Returns the command line of `env -S`, with the arguments after it.
///
/// `env` expands only `${NAME}`, and its escapes differ from those of a shell: `\_` is a blank.
fn split_string(text: Option<&Field>, rest: &[Field]) -> Inner {
    let known = text.and_then(Field::known).filter(|text| !text.contains('\\'));
    let rest = rest.iter().map(|field| quoted(&field.text));
    let text = known.map(|text| [text.to_owned()].into_iter().chain(rest).collect::<Vec<_>>().join(" "));
    Inner::code(text, "env -S", Trust::Separate, false)
}

/// Returns the directory that an option of a wrapper before `end` changes to, if there is such an option. The
/// field is unknown if the directory is.
pub(in crate::policy::commands) fn changed_directory(
    name: &str,
    words: &[Field],
    end: usize,
) -> Option<Field> {
    let letter = match name {
        "env" => 'C',
        "sudo" => 'D',
        _ => return None,
    };
    let mut options = words.iter().enumerate().take(end).skip(1);
    options.find_map(|(at, field)| {
        let next = || words.get(at + 1).cloned().unwrap_or_else(Field::unknown);
        match OptionWord::of(&field.text)? {
            OptionWord::Long(name, value) => {
                let is_named = name.len() > 1 && "chdir".starts_with(name);
                is_named.then(|| value.map_or_else(next, |value| field.with_text(value)))
            }
            OptionWord::Short(letters) => {
                let (_, value) = letters.split_once(letter)?;
                Some(if value.is_empty() { next() } else { field.with_text(value) })
            }
        }
    })
}
