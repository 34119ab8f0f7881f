//! Keeps the settings of a repository from making a query of git run programs.
//!
//! A driver of `textconv` has any name, so no setting turns all of them off: subcommands that show changes
//! get options instead.

use super::options::git_subcommand;
use super::settings::safe_settings;
use crate::policy::commands::{ExpandedCommand, Field};
use crate::policy::read_only::Insertion;

/// Variables that keep git from writing, asking and fetching.
const VARIABLES: [(&str, &str); 5] = [
    ("GIT_OPTIONAL_LOCKS", "0"),
    ("GIT_PAGER", "cat"),
    ("PAGER", "cat"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("GIT_NO_LAZY_FETCH", "1"),
];

/// Options that turn external programs off where git shows changes.
const WITHOUT_PROGRAMS: [&str; 2] = ["--no-ext-diff", "--no-textconv"];

/// The option that keeps git from comparing the files of submodules, whose settings could run programs.
const WITHOUT_SUBMODULES: &str = "--ignore-submodules=dirty";

/// Subcommands that compare the files of submodules.
const COMPARING: [&str; 4] = ["status", "diff", "diff-index", "diff-files"];

/// Subcommands that show changes.
const SHOWING: [&str; 9] =
    ["diff", "log", "show", "diff-tree", "diff-index", "diff-files", "whatchanged", "blame", "annotate"];

/// Settings that keep git from running programs, and those of the filters that a repository defines.
pub(crate) struct SafeSettings(Vec<(String, &'static str)>);

impl SafeSettings {
    /// Returns the settings for repositories that define filters with these names.
    pub(crate) fn of(filters: &[String]) -> Self {
        Self(safe_settings(filters))
    }

    /// Returns the settings as options of git.
    pub(crate) fn options(&self) -> Vec<String> {
        let settings = self.0.iter().map(|(name, value)| format!("{name}={value}"));
        let settings = settings.flat_map(|setting| ["-c".to_owned(), setting]);
        std::iter::once("--no-pager".to_owned()).chain(settings).collect()
    }

    /// Returns the settings as variables of the environment.
    pub(crate) fn variables(&self) -> Vec<(String, String)> {
        let mut set: Vec<(String, String)> =
            VARIABLES.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        set.push(("GIT_CONFIG_COUNT".to_owned(), self.0.len().to_string()));
        for (number, (name, value)) in self.0.iter().enumerate() {
            set.push((format!("GIT_CONFIG_KEY_{number}"), name.clone()));
            set.push((format!("GIT_CONFIG_VALUE_{number}"), (*value).to_owned()));
        }
        set
    }
}

/// Returns the insertions for a query of git: the options after the name, and others after a subcommand
/// that shows or compares. Returns `None` if one of these words is no word of the command line.
pub(super) fn insertions(command: &ExpandedCommand, options: &[String]) -> Option<Vec<Insertion>> {
    let words = &command.words;
    let at = git_subcommand(words);
    let text = |at: usize| words.get(at).and_then(Field::known);
    let mut insertions = vec![Insertion { end: words.first()?.end?, options: options.to_vec() }];
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
        insertions.push(Insertion { end: words[at + usize::from(is_nested)].end?, options });
    }
    Some(insertions)
}

/// Returns the directories in which a command of git may run, including those of `-C`.
pub(crate) fn directories(command: &ExpandedCommand) -> Vec<Option<String>> {
    let changes = command.words.windows(2).filter(|pair| pair[0].text == "-C");
    let changes: Vec<&str> = changes.map(|pair| pair[1].text.as_str()).collect();
    let mut all = command.directories.to_vec();
    for mut here in command.directories.iter().cloned() {
        for change in &changes {
            here = command.style.resolve(here.as_deref(), change);
            all.push(here.clone());
        }
    }
    all
}
