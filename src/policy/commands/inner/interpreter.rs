//! Interpreters of languages that are not read here.

use crate::policy::commands::found::base_name;

const INTERPRETERS: &[&str] = &[
    "python", "pypy", "perl", "ruby", "node", "nodejs", "deno", "bun", "php", "lua", "luajit", "tclsh",
    "wish", "expect", "awk", "gawk", "mawk", "nawk", "sed", "osascript", "Rscript", "R", "julia", "java",
    "jshell", "groovy", "scala", "ipython", "irb", "ghci", "runghc", "elixir", "iex", "erl", "escript",
    "sbcl", "guile", "racket", "tsx", "ts-node", "vim", "vi", "nvim", "emacs", "ex", "ed", "gdb", "lldb",
    "make", "gmake", "sqlite", "psql", "mysql", "busybox", "toybox",
];

/// Returns whether a program is an interpreter: its arguments are code in a language that is not read. A
/// version behind the name does not count, as in `python3.12`.
pub(crate) fn is_interpreter(name: &str) -> bool {
    let bare = base_name(name).trim_end_matches(|char: char| char.is_ascii_digit() || char == '.');
    INTERPRETERS.contains(&bare)
}
