//! Arguments by which a program that is no wrapper runs another one, or writes a file.
//!
//! They show that something may run, and not what, so any command is possible. [`listed`] is a table of
//! options. [`git`], [`sed`] and [`awk`] need more than a table, and [`programs`] has the others that do.
//! [`written`] knows the files that options make a query write.

mod awk;
mod awk_program;
mod git;
mod listed;
mod programs;
mod sed;
mod sed_script;
mod written;

use crate::policy::commands::analysis::{Input, Obstacle};
use crate::policy::commands::field::Field;

pub(crate) use written::written_files;

/// Returns what the arguments of a program may make it run.
pub(super) fn obstacle(name: &str, words: &[Field], input: &Input) -> Option<Obstacle> {
    let what = match name {
        "git" => return git::obstacle(words),
        "sed" | "gsed" => sed::runs(words).then_some("a script of sed"),
        "awk" | "gawk" | "mawk" | "nawk" => awk::runs(words).then_some("a program of awk"),
        name => programs::runs(name, words, input),
    };
    what.map(Obstacle::UnknownCode)
        .or_else(|| programs::variable_of_make(name, words).map(Obstacle::Argument))
        .or_else(|| listed::obstacle(name, words))
}
