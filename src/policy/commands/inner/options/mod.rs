//! Arguments through which a harmless program runs another one: a table of options ([`listed`]), and programs that need more
//! than a table.

mod awk;
mod awk_program;
pub(super) mod git;
mod git_settings;
mod listed;
mod make;
mod programs;
mod sed;
mod sed_script;
mod written;

use crate::policy::commands::field::Field;

use super::model::Inner;

pub(in crate::policy::commands) use awk::{commands as awk_commands, program_files};
pub(in crate::policy::commands) use make::makefiles;
pub(in crate::policy::commands) use sed::{
    commands as sed_commands, runs_lines as sed_runs_lines, scripts as sed_scripts,
};
pub(super) use written::values;
pub(in crate::policy::commands) use written::{argument_files, written_by_option};

/// Returns the programs that a program runs for its options; empty for an unknown program.
pub(super) fn inner(name: &str, words: &[Field]) -> Vec<Inner> {
    match name {
        "git" => git::inner(words),
        "npx" | "bunx" | "pnpx" => programs::npx(words),
        "npm" if words.iter().any(|field| matches!(field.text.as_str(), "exec" | "x")) => {
            programs::npx(words)
        }
        "npm" => programs::package_scripts(words),
        "pnpm" | "yarn" => programs::exec_text(words),
        "make" | "gmake" => make::inner(words),
        "enable" if words.iter().skip(1).any(|field| field.text.starts_with("-f")) => {
            vec![Inner::unknown_code("a builtin from a file")]
        }
        "hash" => programs::hash(words),
        "socat" => programs::socat(words),
        "vim" | "vi" | "nvim" | "ex" | "view" => programs::editor(words),
        "sed" | "gsed" => sed::inner(words),
        "awk" | "gawk" | "mawk" | "nawk" => awk::inner(words),
        "go" => programs::go(words),
        "wget" | "apt" | "apt-get" => programs::settings(words),
        "less" | "more" | "most" => programs::pager(words),
        "gdb" => programs::debugger(words),
        "gh" => programs::github(words),
        name => listed::inner(name, words),
    }
}

/// Returns the argument that can run another program, if a command has one: no allow rule covers the command then.
pub(in crate::policy::commands) fn obstacle(name: &str, words: &[Field]) -> Option<String> {
    let is_git = name == "git" && git::is_obstacle(words);
    if is_git {
        return Some("git".to_owned());
    }
    if matches!(name, "sed" | "gsed")
        && let Some(file) = sed::written_outside(words)
    {
        return Some(format!("its script writes {file}, which is not in the project: it"));
    }
    listed::obstacle(name, words)
}
