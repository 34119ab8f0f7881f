//! Builtins that keep text to run it later, or for each line.

use crate::policy::commands::analysis::Trust;
use crate::policy::commands::arguments::skip_options;
use crate::policy::commands::field::Field;
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
            vec![Inner::field(field, "trap", Trust::Transparent).in_this_shell()]
        }
        _ => Vec::new(),
    }
}

pub(super) fn aliases(words: &[Field]) -> Vec<Inner> {
    let value = |field: &Field| {
        let (_, value) = field.text.split_once('=')?;
        Some(Inner::part(field, value, "alias", Trust::Separate).in_this_shell())
    };
    words[1..].iter().filter_map(value).collect()
}

pub(super) fn callback(name: &str, words: &[Field]) -> Vec<Inner> {
    match name {
        "mapfile" | "readarray" => option_text(words, 'C', "-", "mapfile -C"),
        "complete" | "compgen" => {
            let options = ['C', 'F', 'W'].map(|letter| option_text(words, letter, "-", "complete"));
            if options.iter().all(Vec::is_empty) { Vec::new() } else { vec![Inner::unknown_code("complete")] }
        }
        "bind" => vec![Inner::unknown_code("bind")],
        // `fc` runs commands of the history, which are unknown.
        _ => vec![Inner::unknown_code("fc")],
    }
}
