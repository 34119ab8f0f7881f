//! Protects queries from programs that the repository or the environment names.
//!
//! A `.git/config` can name programs for nearly every query: `core.fsmonitor`, `diff.external`, `textconv`,
//! pagers, hooks. A command line of queries alone gets an environment that overrides each setting. Among
//! other commands, each query of git gets the settings as options. Subcommands that show changes get the
//! options that turn external programs off.

use crate::policy::commands::{self, Analysis, ExpandedCommand, line_of};
use crate::policy::harmless::does_nothing;
use crate::policy::lists::Mode;
use crate::policy::paths::resolve;
use crate::policy::request::Request;
use crate::syntax::{Syntax, read};

use super::insertion::{Insertion, inserted};
use super::query::is_query;

pub use super::insertion::Line;

/// A hardened command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hardened {
    /// The command, with options for git.
    pub line: Line,
    /// The environment: `NAME=value`, each with a NUL after it.
    pub environment: String,
}

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
    // A partial clone would fetch missing objects, by a program of the settings.
    ("protocol.allow", "never"),
    ("protocol.file.allow", "never"),
    ("protocol.git.allow", "never"),
    ("protocol.ssh.allow", "never"),
    ("protocol.http.allow", "never"),
    ("protocol.https.allow", "never"),
    ("protocol.ext.allow", "never"),
];

/// Returns whether a variable is removed because it can make a query run a program.
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

/// Hardens the queries of git in a command that was allowed.
///
/// `filters` returns the names of the filter drivers that the settings of the repositories around directories
/// define: git runs their programs when it compares files.
///
/// Returns `None` if hardening is uncertain, so that the command must not run.
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

/// Returns the settings that run nothing, including those for filters with these names.
fn settings_of(filters: &[String]) -> Vec<(String, &'static str)> {
    let of_filter = |name: &String| {
        [("clean", ""), ("smudge", ""), ("process", ""), ("required", "false")]
            .map(|(key, value)| (format!("filter.{name}.{key}"), value))
    };
    let settings = SETTINGS.iter().map(|(name, value)| ((*name).to_owned(), *value));
    settings.chain(filters.iter().flat_map(of_filter)).collect()
}

/// Returns an environment with the settings and without variables that can run programs.
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

/// Returns the directories in which the commands of a command line run, including those of `git -C`.
fn directories(found: &Analysis, directory: Option<&str>) -> Vec<String> {
    let mut directories: Vec<String> = directory.map(str::to_owned).into_iter().collect();
    let of_git = |command: &ExpandedCommand| {
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
