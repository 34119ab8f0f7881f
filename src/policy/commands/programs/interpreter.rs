//! Interpreters of languages that the policy does not read.

use crate::policy::commands::analysis::base_name;

/// Interpreters that run their input as a program if no file is named.
const SCRIPTED: [&str; 15] = [
    "python", "pypy", "perl", "ruby", "node", "nodejs", "php", "lua", "deno", "bun", "osascript", "tclsh",
    "Rscript", "ts-node", "tsx",
];

/// Interpreters that take commands from their input, as a person types them.
const INTERACTIVE: [&str; 5] = ["irb", "iex", "julia", "ghci", "R"];

/// All other interpreters, and programs whose arguments are as powerful.
const OTHERS: [&str; 35] = [
    "luajit", "wish", "expect", "awk", "gawk", "mawk", "nawk", "sed", "java", "jshell", "groovy", "scala",
    "ipython", "runghc", "elixir", "erl", "escript", "sbcl", "guile", "racket", "vim", "vi", "nvim", "emacs",
    "ex", "ed", "gdb", "lldb", "make", "gmake", "sqlite", "psql", "mysql", "busybox", "toybox",
];

/// Returns whether a program is an interpreter: its arguments are code in a language that is not read. A
/// version after the name does not count, as in `python3.12`.
pub(crate) fn is_interpreter(name: &str) -> bool {
    let bare = without_version(base_name(name));
    SCRIPTED.contains(&bare) || INTERACTIVE.contains(&bare) || OTHERS.contains(&bare)
}

/// Returns whether an interpreter runs its input as a program if no file is named.
pub(crate) fn reads_program(name: &str) -> bool {
    SCRIPTED.contains(&without_version(name))
}

/// Returns whether an interpreter takes commands from its input.
pub(crate) fn is_interactive(name: &str) -> bool {
    INTERACTIVE.contains(&name)
}

fn without_version(name: &str) -> &str {
    name.trim_end_matches(|char: char| char.is_ascii_digit() || char == '.')
}
