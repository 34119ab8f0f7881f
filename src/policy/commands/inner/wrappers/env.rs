//! `env`: assignments, the directory of `-C`, and the command line of `-S`.

use crate::policy::commands::arguments::{quoted, skip_assignments, skip_options, word};
use crate::policy::commands::field::Field;
use crate::policy::commands::found::Trust;
use crate::policy::commands::inner::model::Inner;

pub(super) fn env(words: &[Field]) -> Vec<Inner> {
    let mut at = 1;
    while let Some(text) = word(words, at) {
        if let Some(value) = split_string(text, words, at) {
            let rest: Vec<String> = words.iter().skip(value.1).map(|field| quoted(&field.text)).collect();
            // The escapes of `env -S` are not those of a shell: `\_` is a blank.
            let text = value.0.filter(|text| !text.contains('\\'));
            let text = text.map(|text| [vec![text], rest].concat().join(" "));
            // `env` splits the text into words, and expands `${NAME}` alone.
            return vec![Inner::code(text, "env -S", Trust::Separate, false)];
        }
        match text {
            "-" => at += 1,
            "--" => {
                at += 1;
                break;
            }
            text if text.starts_with('-') => {
                at = skip_options(
                    &words[..=at + usize::from(at + 1 < words.len())],
                    at,
                    "uCa",
                    &["unset", "chdir", "argv0"],
                )
                .max(at + 1);
            }
            _ => break,
        }
    }
    let (at, assignments) = skip_assignments(words, at);
    Inner::words_from(words, at, assignments, Trust::Transparent)
}

/// Returns the text of `env -S`, if it is known, and the index behind it; `None` for another option.
fn split_string(text: &str, words: &[Field], at: usize) -> Option<(Option<String>, usize)> {
    if let Some(name) = text.strip_prefix("--") {
        let (name, value) = name.split_once('=').map_or((name, None), |(name, value)| (name, Some(value)));
        if name.is_empty() || !"split-string".starts_with(name) {
            return None;
        }
        return Some(value.map_or_else(
            || (words.get(at + 1).and_then(Field::known).map(str::to_owned), at + 2),
            |value| (Some(value.to_owned()), at + 1),
        ));
    }
    let letters = text.strip_prefix('-')?;
    let index = letters.find('S')?;
    // The letters before it must take no value.
    if letters[..index].contains(['u', 'C', 'a']) {
        return None;
    }
    let value = &letters[index + 1..];
    Some(if value.is_empty() {
        (words.get(at + 1).and_then(Field::known).map(str::to_owned), at + 2)
    } else {
        (Some(value.to_owned()), at + 1)
    })
}

/// Returns the directory that an option of a wrapper before `end` changes to, if there is such an option; its
/// text is unknown where the directory is.
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
    let options = words.iter().enumerate().take(end).skip(1);
    options.filter(|(_, field)| field.text.len() > 1).find_map(|(at, field)| {
        let next = || words.get(at + 1).cloned().unwrap_or_else(Field::unknown);
        if let Some(long) = field.text.strip_prefix("--") {
            let (option, value) =
                long.split_once('=').map_or((long, None), |(name, value)| (name, Some(value)));
            let is_named = option.len() > 1 && "chdir".starts_with(option);
            return is_named.then(|| value.map_or_else(next, |value| with_text(field, value)));
        }
        let (_, value) = field.text.strip_prefix('-')?.split_once(letter)?;
        Some(if value.is_empty() { next() } else { with_text(field, value) })
    })
}

fn with_text(field: &Field, text: &str) -> Field {
    Field { text: text.to_owned(), ..field.clone() }
}
