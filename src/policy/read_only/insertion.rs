//! Options that are inserted into a command line, and the places for them.

use crate::policy::commands::{ExpandedCommand, Field, git_subcommand, line_of, quoted};

/// A command: a line for a shell, or a program and its arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Line {
    /// The text that a shell reads.
    Text(String),
    /// The program and its arguments.
    Words(Vec<String>),
}

/// Options that turn external programs off where git shows changes.
const WITHOUT_PROGRAMS: [&str; 2] = ["--no-ext-diff", "--no-textconv"];

/// The option that keeps git from comparing the files of submodules, whose settings could run programs.
const WITHOUT_SUBMODULES: &str = "--ignore-submodules=dirty";

/// Subcommands that compare the files of submodules.
const COMPARING: [&str; 4] = ["status", "diff", "diff-index", "diff-files"];

/// Subcommands that show changes.
const SHOWING: [&str; 9] =
    ["diff", "log", "show", "diff-tree", "diff-index", "diff-files", "whatchanged", "blame", "annotate"];

/// Returns why a query of git can't get its options.
pub(super) fn refusal(command: &ExpandedCommand) -> Option<String> {
    if command.directories.iter().any(Option::is_none) {
        return Some("its directory is not known".to_owned());
    }
    let has_place = Insertion::for_query(command, &[]).is_some();
    (!has_place)
        .then(|| "it stands in the command line in a way that leaves no place for its options".to_owned())
}

/// Options to insert after a word of the command line.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Insertion {
    /// The end of the word (bytes).
    end: usize,
    options: Vec<String>,
}

impl Insertion {
    /// Returns the insertions for a query of git: the options after the name, and others after a subcommand
    /// that shows or compares. Returns `None` if one of these words is no word of the command line.
    pub(super) fn for_query(command: &ExpandedCommand, options: &[String]) -> Option<Vec<Self>> {
        let words = &command.words;
        let at = git_subcommand(words);
        let text = |at: usize| words.get(at).and_then(Field::known);
        let mut insertions = vec![Self { end: words.first()?.end?, options: options.to_vec() }];
        let is_nested = matches!(
            (text(at), text(at + 1)),
            (Some("reflog"), Some("show")) | (Some("stash"), Some("list" | "show"))
        );
        if at >= words.len() {
            return Some(insertions);
        }
        let subcommand = text(at)?;
        let mut options = Vec::new();
        if is_nested || subcommand == "reflog" || SHOWING.contains(&subcommand) {
            options.extend(WITHOUT_PROGRAMS.map(str::to_owned));
        }
        if COMPARING.contains(&subcommand) {
            options.push(WITHOUT_SUBMODULES.to_owned());
        }
        if !options.is_empty() {
            insertions.push(Self { end: words[at + usize::from(is_nested)].end?, options });
        }
        Some(insertions)
    }
}

/// Returns a command with options inserted; `None` if one of them has no place.
pub(super) fn inserted(line: &Line, mut insertions: Vec<Insertion>) -> Option<Line> {
    insertions.retain(|insertion| !insertion.options.is_empty());
    insertions.sort_unstable();
    // A function has its commands once, even if it is called twice.
    insertions.dedup();
    match line {
        Line::Text(text) => {
            let mut text = text.clone();
            for Insertion { end, options } in insertions.iter().rev() {
                let options: Vec<String> = options.iter().map(|option| plain_or_quoted(option)).collect();
                text.insert_str(*end, &format!(" {}", options.join(" ")));
            }
            Some(Line::Text(text))
        }
        Line::Words(words) => {
            let mut ends = Vec::with_capacity(words.len());
            for word in words {
                ends.push(line_of(std::slice::from_ref(word)).len() + ends.last().map_or(0, |end| end + 1));
            }
            let mut words = words.clone();
            for Insertion { end, options } in insertions.into_iter().rev() {
                let at = ends.binary_search(&end).ok()? + 1;
                words.splice(at..at, options);
            }
            Some(Line::Words(words))
        }
    }
}

fn plain_or_quoted(text: &str) -> String {
    let is_plain = text.chars().all(|char| char.is_ascii_alphanumeric() || "-_./=".contains(char));
    if is_plain { text.to_owned() } else { quoted(text) }
}
