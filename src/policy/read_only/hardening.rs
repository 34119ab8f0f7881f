//! Protects queries from programs that the repository or the environment names.
//!
//! A `.git/config` can name programs for nearly every query: `core.fsmonitor`, `diff.external`, `textconv`,
//! pagers, hooks. A command line of queries alone gets an environment that overrides each setting. Among
//! other commands, each query of git gets the settings as options. Subcommands that show changes get the
//! options that turn external programs off.

use crate::policy::commands::{self, Analysis, ExpandedCommand, line_of};
use crate::policy::harmless::does_nothing;
use crate::policy::lists::Mode;
use crate::policy::native;
use crate::policy::paths::PathStyle;
use crate::policy::programs::git::{SafeSettings, directories};
use crate::policy::programs::{Harden, Program};
use crate::policy::request::PolicyRequest;
use crate::syntax::{Syntax, read};

use super::insertion::inserted;
use super::query::is_query;

pub use super::insertion::CommandText;

/// A hardened command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hardened {
    /// The command, with options for git.
    pub line: CommandText,
    /// The environment: `NAME=value`, each with a NUL after it.
    pub environment: String,
}

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

/// Hardens the queries of git in a command that was allowed.
///
/// `filters` returns the names of the filter drivers that the settings of the repositories around directories
/// define: git runs their programs when it compares files.
///
/// Returns `None` if hardening is uncertain, so that the command must not run.
#[must_use]
pub fn harden(
    line: &CommandText,
    request: &PolicyRequest,
    filters: &dyn Fn(&[String]) -> Option<Vec<String>>,
) -> Option<Hardened> {
    let environment = request.environment.unwrap_or_default();
    let (text, syntax) = match line {
        CommandText::Text(text) => (text.clone(), request.syntax?),
        CommandText::Words(words) => (line_of(words), Syntax::Bash),
    };
    let list = read(&text, syntax).ok()?;
    let found = commands::find(&list, syntax, request.surroundings()).ok()?;
    let only_reads = request.policy.mode == Mode::ReadOnly;
    let hardened = || found.commands.iter().filter_map(|command| Some((command, harden_of(command)?)));
    if !only_reads && hardened().next().is_none() {
        return Some(Hardened { line: line.clone(), environment: environment.to_owned() });
    }
    let mut directories = directories_of(&found, request.directory);
    if request.style() == PathStyle::Windows {
        directories = directories.into_iter().map(|path| native(&path).unwrap_or(path)).collect();
    }
    let settings = SafeSettings::of(&filters(&directories)?);
    let is_only_queries = only_reads
        || found
            .commands
            .iter()
            .all(|command| is_query(command, &found, request) || does_nothing(command, request));
    let options = if is_only_queries { Vec::new() } else { settings.options() };
    let mut insertions = Vec::new();
    for (command, harden) in hardened() {
        if only_reads || is_query(command, &found, request) {
            insertions.extend(harden(command, &options)?);
        }
    }
    let line = inserted(line, insertions)?;
    let environment = if is_only_queries {
        environment_of(environment, &settings.variables(), request.style())
    } else {
        environment.to_owned()
    };
    Some(Hardened { line, environment })
}

/// Returns how a command is hardened; `None` for a program that needs no hardening.
pub(super) fn harden_of(command: &ExpandedCommand) -> Option<Harden> {
    Program::of(command.name()?)?.harden
}

/// Returns an environment with these variables and without others that can run programs.
fn environment_of(environment: &str, set: &[(String, String)], style: PathStyle) -> String {
    let kept = environment.split_terminator('\0').filter(|line| {
        let name = line.split('=').next().unwrap_or(line);
        let name = match style {
            PathStyle::Unix => name.to_owned(),
            PathStyle::Windows => name.to_ascii_uppercase(),
        };
        !is_dropped(&name) && !set.iter().any(|(set, _)| *set == name)
    });
    let set = set.iter().map(|(name, value)| format!("{name}={value}"));
    kept.map(str::to_owned).chain(set).map(|line| line + "\0").collect()
}

/// Returns the directories in which the commands of a command line run.
fn directories_of(found: &Analysis, directory: Option<&str>) -> Vec<String> {
    let mut all: Vec<String> = directory.map(str::to_owned).into_iter().collect();
    all.extend(found.commands.iter().flat_map(directories).flatten());
    all.sort_unstable();
    all.dedup();
    all
}
