//! Options that are inserted into a command line, and the places for them.

use crate::policy::commands::{line_of, quoted};

/// A command: a line for a shell, or a program and its arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CommandText {
    /// The text that a shell reads.
    Text(String),
    /// The program and its arguments.
    Words(Vec<String>),
}

/// Options to insert after a word of the command line.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Insertion {
    /// The end of the word (bytes).
    pub(crate) end: usize,
    pub(crate) options: Vec<String>,
}

/// Returns a command with options inserted; `None` if one of them has no place.
pub(super) fn inserted(line: &CommandText, mut insertions: Vec<Insertion>) -> Option<CommandText> {
    insertions.retain(|insertion| !insertion.options.is_empty());
    insertions.sort_unstable();
    // A function has its commands once, even if it is called twice.
    insertions.dedup();
    match line {
        CommandText::Text(text) => {
            let mut text = text.clone();
            for Insertion { end, options } in insertions.iter().rev() {
                let options: Vec<String> = options.iter().map(|option| plain_or_quoted(option)).collect();
                text.insert_str(*end, &format!(" {}", options.join(" ")));
            }
            Some(CommandText::Text(text))
        }
        CommandText::Words(words) => {
            let mut ends = Vec::with_capacity(words.len());
            for word in words {
                ends.push(line_of(std::slice::from_ref(word)).len() + ends.last().map_or(0, |end| end + 1));
            }
            let mut words = words.clone();
            for Insertion { end, options } in insertions.into_iter().rev() {
                let at = ends.binary_search(&end).ok()? + 1;
                words.splice(at..at, options);
            }
            Some(CommandText::Words(words))
        }
    }
}

fn plain_or_quoted(text: &str) -> String {
    let is_plain = text.chars().all(|char| char.is_ascii_alphanumeric() || "-_./=".contains(char));
    if is_plain { text.to_owned() } else { quoted(text) }
}
