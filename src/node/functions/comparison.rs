//! Comparisons of command lines, for tests that answer commands from a recording or a script.

#![allow(clippy::must_use_candidate, reason = "JavaScript calls these")]
#![allow(clippy::needless_pass_by_value, reason = "napi-derive hands arguments over by value")]

use napi_derive::napi;

use crate::node::spec::surroundings::shell_of;
use crate::policy::line_match::{LineMatch, line_match};
use crate::policy::request::syntax_of;
use crate::syntax::canonical::canonical;
use crate::syntax::{Syntax, read};

/// The part of a command line that a pattern matches.
#[napi(string_enum = "lowercase")]
#[derive(Clone, Copy, Debug)]
pub enum CommandMatch {
    None,
    /// Some simple command.
    Some,
    /// Each command of the line.
    Whole,
    /// The command line can't be read.
    Unread,
    /// The pattern is wrong.
    Wrong,
}

/// Returns a text that is equal for command lines which this shell reads in the same way; null for a command
/// line, or a shell, that can't be read.
#[napi(catch_unwind)]
pub fn canonical_command(command: String, shell: Option<Vec<String>>) -> Option<String> {
    read(&command, language(shell)?).ok().map(|list| canonical(&list))
}

/// Compares the pattern of a rule (what stands in `Bash(…)`) with a command line.
#[napi(catch_unwind)]
pub fn command_matches(pattern: String, command: String, shell: Option<Vec<String>>) -> CommandMatch {
    match line_match(&pattern, &command, language(shell).unwrap_or(Syntax::Bash)) {
        Ok(Some(LineMatch::None)) => CommandMatch::None,
        Ok(Some(LineMatch::Some)) => CommandMatch::Some,
        Ok(Some(LineMatch::Whole)) => CommandMatch::Whole,
        Ok(None) => CommandMatch::Unread,
        Err(_) => CommandMatch::Wrong,
    }
}

fn language(shell: Option<Vec<String>>) -> Option<Syntax> {
    let shell = shell_of(shell);
    syntax_of(&shell.program, &shell.flags)
}
