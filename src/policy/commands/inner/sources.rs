//! Files in which programs find commands: those that arguments name, those that a program reads in its directory, and those that
//! run without being named at all.

use crate::policy::commands::arguments::skip_options;
use crate::policy::commands::field::Field;
use crate::policy::commands::found::base_name;

use super::code::shell::is_shell;
use super::lines;
use super::options::{awk_commands, makefiles, program_files, sed_commands, values};

/// Finds the commands in the text of a file.
pub(in crate::policy::commands) type Finder = fn(&str) -> Vec<String>;

/// Files in a home that shells run at their start or end.
pub(crate) const STARTUP_FILES: [&str; 12] = [
    ".bashrc",
    ".bash_profile",
    ".bash_login",
    ".bash_logout",
    ".profile",
    ".zshrc",
    ".zshenv",
    ".zprofile",
    ".zlogin",
    ".zlogout",
    ".kshrc",
    ".config/fish/config.fish",
];

/// Directories in which every file is a script that runs by itself.
const SCRIPT_DIRECTORIES: [&str; 4] =
    ["/.git/hooks/", "/etc/profile.d/", "/etc/cron.daily/", "/etc/cron.hourly/"];

/// Files with settings of git.
const GIT_SETTINGS: [&str; 5] =
    ["/.git/config", "/.git/config.worktree", "/.gitconfig", "/.config/git/config", "/.gitmodules"];

/// Programs that run tasks, and the files with the tasks.
const TASKS: [(&str, &[&str]); 11] = [
    ("make", &["Makefile", "makefile", "GNUmakefile"]),
    ("gmake", &["Makefile", "makefile", "GNUmakefile"]),
    ("just", &["justfile", "Justfile", ".justfile"]),
    ("task", &["Taskfile.yml", "Taskfile.yaml"]),
    ("go-task", &["Taskfile.yml", "Taskfile.yaml"]),
    ("npm", &["package.json"]),
    ("pnpm", &["package.json"]),
    ("yarn", &["package.json"]),
    ("bun", &["package.json"]),
    ("deno", &["deno.json", "deno.jsonc", "package.json"]),
    ("composer", &["composer.json"]),
];

/// Returns the files in which a program finds commands, and how they stand there.
pub(in crate::policy::commands) fn sources(name: &str, words: &[Field]) -> (Vec<Field>, Finder) {
    if let Some((_, files)) = TASKS.iter().find(|(program, _)| *program == name) {
        return (of_tasks(name, words, files), lines::commands);
    }
    match name {
        "awk" | "gawk" | "mawk" | "nawk" => (program_files(words), awk_commands),
        "sed" | "gsed" => (values(words, "f", &["file"], "eil"), sed_commands),
        "crontab" => {
            let at = skip_options(words, 1, "u", &[]);
            (vec![words.get(at).cloned().unwrap_or_else(|| Field::of("-"))], lines::scheduled)
        }
        "at" | "batch" => (values(words, "f", &[], "qt"), whole),
        name if is_shell(name) => (values(words, "", &["rcfile", "init-file"], ""), whole),
        _ => (Vec::new(), whole),
    }
}

/// Returns the files with tasks of a program: those that arguments name, or else those with the names of `files`, also in the
/// directory that an option names: `make -C directory`.
fn of_tasks(name: &str, words: &[Field], files: &[&str]) -> Vec<Field> {
    let named = match name {
        "make" | "gmake" => makefiles(words),
        "just" | "task" | "go-task" => values(words, "ft", &["justfile", "taskfile"], "d"),
        _ => Vec::new(),
    };
    if !named.is_empty() {
        return named;
    }
    let mut directories =
        values(words, "Cd", &["directory", "prefix", "cwd", "dir", "working-directory"], "f");
    directories.push(Field::of("."));
    let mut found = Vec::new();
    for directory in &directories {
        found.extend(files.iter().map(|file| Field::of(&format!("{}/{file}", directory.text))));
    }
    found
}

/// Returns how commands stand in a file that programs run or read without being given its name: a hook of git, a startup file of
/// a shell, settings of git, a table of cron. `None` for any other file.
pub(in crate::policy::commands) fn implicit_source(path: &str) -> Option<Finder> {
    let name = base_name(path);
    let is_in = |directory: &&str| path.contains(*directory);
    let is_file = |file: &&str| path.strip_suffix(*file).is_some_and(|directory| directory.ends_with('/'));
    // Hooks lie in any directory that `core.hooksPath` names.
    let is_hook = !name.contains('.')
        && (name.starts_with("pre-") || name.starts_with("post-") || name.ends_with("-msg"));
    if is_hook || SCRIPT_DIRECTORIES.iter().any(is_in) || STARTUP_FILES.iter().any(is_file) {
        return Some(whole);
    }
    if GIT_SETTINGS.iter().any(|file| path.ends_with(file)) {
        return Some(lines::commands);
    }
    path.contains("/spool/cron/").then_some(lines::scheduled as Finder)
}

/// Returns a script of a shell as one command; nothing for one whose first line names another program.
fn whole(text: &str) -> Vec<String> {
    if is_of_shell(text) { vec![text.to_owned()] } else { Vec::new() }
}

/// Returns whether a shell runs a script that starts by its path: its first line names no other program.
pub(in crate::policy::commands) fn is_of_shell(text: &str) -> bool {
    let Some(line) = text.lines().next().and_then(|line| line.strip_prefix("#!")) else { return true };
    line.split_whitespace().any(|word| is_shell(base_name(word)))
}
