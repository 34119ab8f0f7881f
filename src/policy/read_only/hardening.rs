//! Protection of queries against programs that the repository or the environment names.
//!
//! A `.git/config` can name programs for nearly every query: `core.fsmonitor`, `diff.external`, `textconv`,
//! pagers, hooks. A command line of queries alone gets an environment that overrides each setting. Beside
//! other commands, each query of git gets the settings as options of its own. Subcommands that show changes
//! get the options that turn external programs off.

use crate::policy::check::line_of;
use crate::policy::commands::{self, Field, Findings, Found, git_subcommand, quoted};
use crate::policy::harmless::does_nothing;
use crate::policy::lists::Mode;
use crate::policy::paths::resolve;
use crate::policy::request::Request;
use crate::syntax::{Syntax, read};

use super::is_query;

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

/// The option that keeps git from comparing the files of submodules, by whose settings it would run programs.
const WITHOUT_SUBMODULES: &str = "--ignore-submodules=dirty";

/// Subcommands that compare the files of submodules.
const COMPARING: [&str; 4] = ["status", "diff", "diff-index", "diff-files"];

/// Subcommands that show changes.
const SHOWING: [&str; 9] =
    ["diff", "log", "show", "diff-tree", "diff-index", "diff-files", "whatchanged", "blame", "annotate"];

/// Settings of git that run programs, with values that run none.
const SETTINGS: [(&str, &str); 23] = [
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
    ("diff.submodule", "short"),
    ("log.diffMerges", "separate"),
    // A partial clone fetches what it lacks, by a program of the settings.
    ("protocol.allow", "never"),
    ("protocol.file.allow", "never"),
    ("protocol.git.allow", "never"),
    ("protocol.ssh.allow", "never"),
    ("protocol.http.allow", "never"),
    ("protocol.https.allow", "never"),
    ("protocol.ext.allow", "never"),
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

/// Hardens the queries of git in a command that was allowed. `filters` returns the names of the filter
/// drivers that the settings of the repositories around directories define: git runs their programs where it
/// compares files.
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
    let options: Vec<String> = if is_only_queries {
        Vec::new()
    } else {
        let settings = settings.iter().map(|(name, value)| format!("{name}={value}"));
        let settings = settings.flat_map(|setting| ["-c".to_owned(), setting]);
        std::iter::once("--no-pager".to_owned()).chain(settings).collect()
    };
    let mut insertions = Vec::new();
    for command in found.commands.iter().filter(|command| command.name() == Some("git")) {
        if only_reads || is_query(command, &found, request) {
            insertions.extend(Insertion::for_query(command, &options)?);
        }
    }
    let line = inserted(line, insertions)?;
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
        let changes = command.words.windows(2).filter(|pair| pair[0].text == "-C");
        let changes: Vec<&str> = changes.map(|pair| pair[1].text.as_str()).collect();
        let mut all = command.directories.to_vec();
        for mut here in command.directories.iter().cloned() {
            for change in &changes {
                here = resolve(here.as_deref(), change);
                all.push(here.clone());
            }
        }
        all
    };
    directories.extend(found.commands.iter().flat_map(of_git).flatten());
    directories.sort_unstable();
    directories.dedup();
    directories
}

/// Returns why a query of git can't get its options.
pub(super) fn refusal(command: &Found) -> Option<String> {
    if command.directories.iter().any(Option::is_none) {
        return Some("its directory is not known".to_owned());
    }
    let has_place = Insertion::for_query(command, &[]).is_some();
    (!has_place)
        .then(|| "it stands in the command line in a way that leaves no place for its options".to_owned())
}

/// Options behind a word of the command line.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Insertion {
    /// The end of the word (bytes).
    end: usize,
    options: Vec<String>,
}

impl Insertion {
    /// Returns what a query of git gets: the options behind the name, and others behind a subcommand that
    /// shows or compares. Returns `None` if one of these is no word of the command line.
    fn for_query(command: &Found, options: &[String]) -> Option<Vec<Self>> {
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
            options.extend(SHOW.map(str::to_owned));
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

/// Returns a command with options inserted. Returns `None` where one of them has no place.
fn inserted(line: &Line, mut insertions: Vec<Insertion>) -> Option<Line> {
    insertions.retain(|insertion| !insertion.options.is_empty());
    insertions.sort_unstable();
    // A function has its commands once.
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
