//! Clients of databases and editors that run a command line behind a mark in their text: `sqlite3 x '.shell ls'`.

use crate::policy::commands::field::Field;
use crate::policy::commands::found::Input;
use crate::policy::commands::inner::model::Inner;

/// Returns the command lines in the arguments and in the input.
pub(super) fn escapes(name: &str, words: &[Field], input: &Input) -> Vec<Inner> {
    let texts = words.iter().skip(1).map(|field| field.text.as_str()).chain(input.text.as_deref());
    let lines = texts.flat_map(str::lines);
    lines
        .filter_map(|line| command(name, line.trim_start()))
        .map(|text| Inner::text(text, "a command of a client"))
        .collect()
}

/// A command line that is not known.
const UNKNOWN_TEXT: &str = "\0";

/// Returns the command line that a client runs for a line of its text.
fn command<'a>(name: &str, line: &'a str) -> Option<&'a str> {
    match name {
        "sqlite3" | "sqlite" if ["load_extension(", "writefile("].iter().any(|call| line.contains(call)) => {
            Some(UNKNOWN_TEXT)
        }
        "sqlite3" | "sqlite" => {
            let (word, rest) = line.strip_prefix('.')?.split_once([' ', '\t', '|'])?;
            // The names of commands may be abbreviated. Others write to a pipe, or read from one.
            // `.load` loads a library.
            if "load".starts_with(word) && word.len() > 1 {
                return Some(UNKNOWN_TEXT);
            }
            let is_shell = word.len() > 1 && ["shell", "system"].iter().any(|name| name.starts_with(word));
            if is_shell { Some(rest) } else { line.split_once('|').map(|(_, rest)| rest) }
        }
        "ed" | "dc" => line.split_once('!').map(|(_, rest)| rest),
        _ => {
            let word = line.strip_prefix("system ");
            word.or_else(|| line.split_once("\\!").map(|(_, rest)| rest))
        }
    }
}
