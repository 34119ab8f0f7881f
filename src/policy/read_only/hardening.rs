//! Protection of queries against programs that the repository or the environment names.
//!
//! A `.git/config` can name programs for nearly every query: `core.fsmonitor`, `diff.external`, `textconv`, pagers, hooks. A command
//! line of queries alone gets an environment that overrides each setting. Beside other commands, each query of git gets the settings
//! as options of its own. Subcommands that show changes get the options that turn external programs off.

use crate::policy::check::line_of;
use crate::policy::commands::{self, Field, Findings, Found, UNKNOWN, git_subcommand, quoted};
use crate::policy::harmless::does_nothing;
use crate::policy::lists::Mode;
use crate::policy::paths::resolve;
use crate::policy::request::Request;
use crate::syntax::tree::{Simple, Word};
use crate::syntax::visit::{Visitor, visit_list};
use crate::syntax::{Syntax, read};

use super::{git, is_query};

/// A command: a line for a shell, or a program and its arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Line {
    /// The text that a shell reads.
    Text(String),
    /// The program and its arguments.
    Words(Vec<String>),
}

/// A command that was hardened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hardened {
    /// The command, with options for git.
    pub line: Line,
    /// The environment: `NAME=value` with a NUL behind each.
    pub environment: String,
}

/// Options that turn external programs off where git shows changes.
const SHOW: [&str; 2] = ["--no-ext-diff", "--no-textconv"];

/// Subcommands that show changes.
const SHOWING: [&str; 9] =
    ["diff", "log", "show", "diff-tree", "diff-index", "diff-files", "whatchanged", "blame", "annotate"];

/// Settings of git that run programs, with values that run none.
const SETTINGS: [(&str, &str); 14] = [
    ("core.fsmonitor", "false"),
    ("core.hooksPath", "/dev/null"),
    ("core.pager", "cat"),
    ("core.editor", "true"),
    ("core.sshCommand", "false"),
    ("core.askPass", ""),
    ("core.attributesFile", "/dev/null"),
    ("diff.external", ""),
    ("interactive.diffFilter", ""),
    ("log.showSignature", "false"),
    ("gpg.program", "false"),
    ("gpg.ssh.program", "false"),
    ("gpg.x509.program", "false"),
    ("submodule.recurse", "false"),
];

/// Returns whether a variable is removed: it can make a query run a program.
#[must_use]
pub fn is_dropped(name: &str) -> bool {
    name.starts_with("GIT_")
        || name.starts_with("LD_")
        || name.starts_with("DYLD_")
        || name.starts_with("LESS")
        || name.starts_with("BASH_FUNC_")
        || matches!(
            name,
            "RIPGREP_CONFIG_PATH"
                | "BASH_ENV"
                | "ENV"
                | "PAGER"
                | "EDITOR"
                | "VISUAL"
                | "GREP_OPTIONS"
                | "SHELLOPTS"
                | "BASHOPTS"
                | "PS4"
                | "PROMPT_COMMAND"
                | "CDPATH"
        )
}

/// Variables that keep git from writing, asking and fetching.
const VARIABLES: [(&str, &str); 5] = [
    ("GIT_OPTIONAL_LOCKS", "0"),
    ("GIT_PAGER", "cat"),
    ("PAGER", "cat"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("GIT_NO_LAZY_FETCH", "1"),
];

/// Hardens the queries of git in a command that was allowed. `filters` returns the names of the filter drivers that the settings of
/// the repositories around directories define: git runs their programs where it compares files.
///
/// Returns `None` where that can't be done for sure, so that the command must not run.
#[must_use]
pub fn harden(
    line: &Line,
    request: &Request,
    filters: &dyn Fn(&[String]) -> Option<Vec<String>>,
) -> Option<Hardened> {
    let environment = request.environment.unwrap_or_default();
    let (text, syntax) = match line {
        Line::Text(text) => (text.clone(), request.syntax?),
        Line::Words(words) => (line_of(words), Syntax::Bash),
    };
    let list = read(&text, syntax).ok()?;
    let found = commands::find(&list, syntax, request.surroundings()).ok()?;
    let only_reads = request.policy.mode == Mode::ReadOnly;
    if !only_reads && !found.commands.iter().any(|command| command.name() == Some("git")) {
        return Some(Hardened { line: line.clone(), environment: environment.to_owned() });
    }
    let settings = settings_of(&filters(&directories(&found, request.directory))?);
    let is_only_queries = only_reads
        || found
            .commands
            .iter()
            .all(|command| is_query(command, &found, request) || does_nothing(command, request));
    let mut options = Options { settings: Vec::new(), insertions: Vec::new() };
    if !is_only_queries {
        options.settings = settings.iter().map(|(name, value)| format!("{name}={value}")).collect();
    }
    let line = match line {
        Line::Text(_) => {
            visit_list(&list, &mut options);
            Line::Text(options.inserted(text))
        }
        Line::Words(words) => Line::Words(options.of_words(words)),
    };
    let environment =
        if is_only_queries { environment_of(environment, &settings) } else { environment.to_owned() };
    Some(Hardened { line, environment })
}

/// Returns the settings that run nothing, also for filters of these names.
fn settings_of(filters: &[String]) -> Vec<(String, &'static str)> {
    let of_filter = |name: &String| {
        [("clean", ""), ("smudge", ""), ("process", ""), ("required", "false")]
            .map(|(key, value)| (format!("filter.{name}.{key}"), value))
    };
    let settings = SETTINGS.iter().map(|(name, value)| ((*name).to_owned(), *value));
    settings.chain(filters.iter().flat_map(of_filter)).collect()
}

/// Returns an environment without variables that can run programs, and with the settings.
fn environment_of(environment: &str, settings: &[(String, &str)]) -> String {
    let mut set: Vec<(String, String)> =
        VARIABLES.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    set.push(("GIT_CONFIG_COUNT".to_owned(), settings.len().to_string()));
    for (number, (name, value)) in settings.iter().enumerate() {
        set.push((format!("GIT_CONFIG_KEY_{number}"), name.clone()));
        set.push((format!("GIT_CONFIG_VALUE_{number}"), (*value).to_owned()));
    }
    let kept = environment.split_terminator('\0').filter(|line| {
        let name = line.split('=').next().unwrap_or(line);
        !is_dropped(name) && !set.iter().any(|(set, _)| set == name)
    });
    let set = set.iter().map(|(name, value)| format!("{name}={value}"));
    kept.map(str::to_owned).chain(set).map(|line| line + "\0").collect()
}

/// Returns the directories in which commands of a command line run, also by `git -C`.
fn directories(found: &Findings, directory: Option<&str>) -> Vec<String> {
    let mut directories: Vec<String> = directory.map(str::to_owned).into_iter().collect();
    let of_git = |command: &Found| {
        let mut here = command.directory().map(str::to_owned);
        let mut all = vec![here.clone()];
        for pair in command.words.windows(2).filter(|pair| pair[0].text == "-C") {
            here = resolve(here.as_deref(), &pair[1].text);
            all.push(here.clone());
        }
        all
    };
    directories.extend(found.commands.iter().flat_map(of_git).flatten());
    directories.sort_unstable();
    directories.dedup();
    directories
}

/// The options that the queries of git get.
struct Options {
    /// Settings, as `name=value`; none where the environment has them.
    settings: Vec<String>,
    /// Positions in the text, with what goes there.
    insertions: Vec<(usize, String)>,
}

impl Options {
    /// Returns the options for words with a query of git among them, each with the index of the word before it. Git may stand behind
    /// a wrapper: `timeout 5 git diff`.
    fn of(&self, words: &[Option<String>]) -> Vec<(usize, Vec<String>)> {
        let Some(git) = words.iter().position(|word| word.as_deref() == Some("git")) else {
            return Vec::new();
        };
        let text = |word: &Option<String>| word.clone().unwrap_or_else(|| UNKNOWN.to_string());
        let texts: Vec<String> = words[git..].iter().map(text).collect();
        let fields: Vec<Field> = texts.iter().map(|text| Field::of(text)).collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        if git::refusal(&texts, &|_| true).is_some() {
            return Vec::new();
        }
        let settings = self.settings.iter().flat_map(|setting| ["-c".to_owned(), setting.clone()]).collect();
        let at = git_subcommand(&fields);
        let shown = match (texts.get(at).copied(), texts.get(at + 1).copied()) {
            (Some("reflog"), Some("show")) | (Some("stash"), Some("list" | "show")) => Some(at + 1),
            (Some("reflog"), _) => Some(at),
            (Some(subcommand), _) if SHOWING.contains(&subcommand) => Some(at),
            _ => None,
        };
        let show = shown.map(|at| (git + at, SHOW.map(str::to_owned).to_vec()));
        [(git, settings)].into_iter().chain(show).collect()
    }

    fn of_words(&self, words: &[String]) -> Vec<String> {
        let literal: Vec<Option<String>> = words.iter().cloned().map(Some).collect();
        let mut words = words.to_vec();
        for (at, options) in self.of(&literal).into_iter().rev() {
            words.splice((at + 1)..=at, options);
        }
        words
    }

    fn inserted(mut self, mut text: String) -> String {
        self.insertions.sort_unstable();
        self.insertions.dedup();
        for (at, options) in self.insertions.iter().rev() {
            text.insert_str(*at, options);
        }
        text
    }
}

impl Visitor for Options {
    fn simple(&mut self, simple: &Simple) {
        let words: Vec<Option<String>> = simple.words.iter().map(Word::literal).collect();
        for (at, options) in self.of(&words) {
            let options: Vec<String> = options.iter().map(|option| plain_or_quoted(option)).collect();
            if !options.is_empty() {
                self.insertions.push((simple.words[at].span.end, format!(" {}", options.join(" "))));
            }
        }
    }
}

fn plain_or_quoted(text: &str) -> String {
    let is_plain = text.chars().all(|char| char.is_ascii_alphanumeric() || "-_./=".contains(char));
    if is_plain { text.to_owned() } else { quoted(text) }
}
