//! Builtins that keep text to run it later, or run it for each line.

use crate::policy::commands::arguments::skip_options;
use crate::policy::commands::field::{Field, UNKNOWN};
use crate::policy::commands::found::Trust;
use crate::policy::commands::inner::model::Inner;

use super::command_line::option_text;

pub(super) fn trap(words: &[Field]) -> Vec<Inner> {
    let at = skip_options(words, 1, "", &[]);
    let is_query =
        words[1..at.min(words.len())].iter().any(|field| matches!(field.text.as_str(), "-p" | "-l" | "-P"));
    match words.get(at) {
        // `trap EXIT` and `trap - EXIT` reset, `trap '' INT` ignores.
        Some(field)
            if !is_query && words.len() > at + 1 && field.text != "-" && field.known() != Some("") =>
        {
            vec![Inner::field(field, "trap", Trust::Transparent)]
        }
        _ => Vec::new(),
    }
}

pub(super) fn aliases(words: &[Field]) -> Vec<Inner> {
    let values = words[1..].iter().filter_map(|field| {
        let (_, value) = field.text.split_once('=')?;
        let is_known = !field.is_many && !field.has_glob && !value.contains(UNKNOWN);
        Some(Inner::code(is_known.then(|| value.to_owned()), "alias", Trust::Separate, field.is_downloaded))
    });
    values.collect()
}

pub(super) fn callback(name: &str, words: &[Field]) -> Vec<Inner> {
    match name {
        "mapfile" | "readarray" => option_text(words, 'C', "-", "mapfile -C"),
        "complete" | "compgen" => {
            let mut found = option_text(words, 'C', "-", "complete -C");
            found.extend(option_text(words, 'F', "-", "complete -F"));
            if !option_text(words, 'W', "-", "compgen -W").is_empty() {
                found.push(Inner::unknown_code("compgen -W"));
            }
            found
        }
        "bind" => vec![Inner::unknown_code("bind")],
        // `fc` runs commands of the history, which are not known.
        _ => vec![Inner::unknown_code("fc")],
    }
}
