//! `env`: assignments, the directory of `-C`, and the command line of `-S`.

use crate::policy::commands::{
    Field, Inner, Obstacle, OptionWord, StandardInput, Trust, changed_directory, quoted, skip_assignments,
    valued_letter,
};

/// Options with a value.
const VALUED: [(char, &str); 4] = [('u', "unset"), ('C', "chdir"), ('a', "argv0"), ('S', "split-string")];

/// Returns the command of `env`, which follows its options and assignments, or is the value of `-S`.
pub(super) fn runs(words: &[Field], _: &StandardInput) -> Vec<Inner> {
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

/// Returns the option that changes the directory.
pub(super) fn obstacle(words: &[Field], input: &StandardInput) -> Option<Obstacle> {
    let end = runs(words, input).iter().find_map(Inner::start)?;
    changed_directory("env", words, end).map(|_| Obstacle::Argument("--chdir".to_owned()))
}
