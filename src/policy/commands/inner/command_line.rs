//! Arguments that are command lines.

use crate::policy::commands::analysis::{StandardInput, Trust, base_name};
use crate::policy::commands::arguments::OptionWord;
use crate::policy::commands::field::Field;
use crate::policy::commands::shells::is_shell;

use super::model::Inner;

/// Returns the value of an option as code: `-c text`, `-ctext`, `--name text`, `--name=text`. `letter` is NUL
/// for an option without a short form.
pub(crate) fn option_text(words: &[Field], letter: char, long: &str, what: &'static str) -> Vec<Inner> {
    for (at, field) in words.iter().enumerate().skip(1) {
        let value = match OptionWord::of(&field.text) {
            Some(OptionWord::Long(name, value)) if name.len() > 1 && long.starts_with(name) => value,
            Some(OptionWord::Short(letters)) if letter != '\0' => match letters.split_once(letter) {
                Some((_, value)) => Some(value).filter(|value| !value.is_empty()),
                None => continue,
            },
            _ => continue,
        };
        return match value {
            Some(value) => vec![Inner::part(field, value, what, Trust::Separate)],
            None => {
                let next = words.get(at + 1);
                next.map(|field| Inner::field(field, what, Trust::Separate)).into_iter().collect()
            }
        };
    }
    Vec::new()
}

/// Returns every argument that may be a command line, and the words at which a command may begin.
pub(crate) fn texts_of(words: &[Field], _: &StandardInput) -> Vec<Inner> {
    let is_text = |field: &&Field| field.text.contains(char::is_whitespace) || field.known().is_none();
    let texts = words[1..].iter().filter(is_text);
    let mut found: Vec<Inner> = texts
        .map(|field| Inner::field(field, "an argument that is a command line", Trust::Separate))
        .collect();
    let starts = (1..words.len()).filter(|&at| !words[at].text.starts_with('-')).take(4);
    found.extend(starts.flat_map(|at| Inner::words_from(words, at, Trust::Runner)));
    found
}

/// Returns unknown code if the words of the input, or the names of files, may be code.
///
/// They are code if a shell reads them, or if they are the name of the program.
pub(crate) fn code_from_input(words: &[Field], placeholder: &str, is_downloaded: bool) -> Option<Inner> {
    let name = base_name(&words.first()?.text);
    let is_code = name.contains(placeholder)
        || (is_shell(name) || matches!(name, "eval" | "ssh" | "env" | "su"))
            && words.iter().any(|field| field.text.contains(placeholder) && field.text != placeholder)
        || is_shell(name)
            && words.windows(2).any(|pair| pair[0].text.ends_with('c') && pair[1].text == placeholder);
    is_code.then_some(Inner::code(None, "arguments from the input", Trust::Separate, is_downloaded))
}
