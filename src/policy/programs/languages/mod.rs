//! Interpreters and debuggers: their arguments are code in a language that the policy does not read.
//!
//! `tool` has build tools, compilers and tests, `application` editors and clients of databases.

pub(super) mod application;
pub(super) mod tool;

use super::program::{language, separate};
use super::{InnerCommands, Language, Program, Synonyms};
use crate::policy::commands::{ExpandedCommand, Field, Obstacle, StandardInput, at_each_start};
use crate::policy::danger::{ProtectedPaths, has_option, operands, writes};
use crate::policy::decision::Danger;

pub(super) const PROGRAMS: &[Program] = &[
    Program {
        names: &["python"],
        language: Some(Language::Script),
        synonyms: Synonyms { is_renamed: true, spellings: Some(module), ..Synonyms::NONE },
        ..Program::PLAIN
    },
    language(
        &["pypy", "ruby", "node", "nodejs", "php", "lua", "deno", "tclsh", "Rscript", "ts-node", "tsx"],
        Language::Script,
    ),
    Program { names: &["perl"], language: Some(Language::Script), harms: &[edits], ..Program::PLAIN },
    Program {
        names: &["osascript"],
        obstacle: Some(of_script),
        language: Some(Language::Script),
        ..Program::PLAIN
    },
    language(&["irb", "iex", "julia", "ghci", "R"], Language::Interactive),
    language(
        &[
            "luajit", "wish", "java", "jshell", "groovy", "scala", "ipython", "runghc", "elixir", "erl",
            "escript", "sbcl", "guile", "racket",
        ],
        Language::Arguments,
    ),
    Program {
        names: &["expect"],
        obstacle: Some(of_script),
        language: Some(Language::Arguments),
        ..Program::PLAIN
    },
    Program {
        names: &["gdb", "lldb"],
        runs: InnerCommands::By(at_each_start),
        obstacle: Some(of_debugger),
        language: Some(Language::Arguments),
        ..Program::PLAIN
    },
    Program {
        names: &["busybox", "toybox"],
        runs: InnerCommands::Wrapped(&[separate("", &[], 0)]),
        language: Some(Language::Arguments),
        ..Program::PLAIN
    },
];

fn of_script(words: &[Field], _: &StandardInput) -> Option<Obstacle> {
    let runs = words.iter().skip(1).any(|field| matches!(field.text.as_str(), "-c" | "-e"));
    runs.then_some(Obstacle::UnknownCode("a script"))
}

fn of_debugger(words: &[Field], _: &StandardInput) -> Option<Obstacle> {
    let options = ["-ex", "--eval-command", "-x", "-o", "-s"];
    let runs = |field: &Field| options.iter().any(|option| field.text.starts_with(option));
    words.iter().skip(1).any(runs).then_some(Obstacle::UnknownCode("a command of a debugger"))
}

/// Returns the harm of `perl -i`.
fn edits(command: &ExpandedCommand, paths: &ProtectedPaths) -> Option<Danger> {
    let edits = has_option(&command.words, 'i', "in-place");
    let mut files = operands(&command.words).filter(|_| edits);
    files.find_map(|field| writes(&field.text, false, command, paths))
}

/// Returns the program of `python -m program`.
fn module(words: &[Field]) -> Vec<Vec<Field>> {
    let Some(at) = words.iter().position(|field| field.text == "-m") else { return Vec::new() };
    let is_first = words[1..at].iter().all(|field| field.text.starts_with('-'));
    if is_first && at + 1 < words.len() { vec![words[at + 1..].to_vec()] } else { Vec::new() }
}
