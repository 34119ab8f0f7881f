//! The shells of commands, for JavaScript.

#![allow(clippy::must_use_candidate, reason = "JavaScript calls these")]
#![allow(clippy::needless_pass_by_value, reason = "napi-derive hands arguments over by value")]

use std::path::Path;

use napi_derive::napi;

use crate::job::launch::shell_program;
use crate::job::model::shell::ShellProgram;
use crate::session::plan::BACKGROUND_GRACE;
use crate::session::shell::flavor::SessionFlavor;
use crate::syntax::quote;

#[derive(Debug)]
#[napi(object, object_from_js = false)]
pub struct SessionShell {
    pub program: String,
    /// The first argument of a program that is a shell only with that: `sh` of busybox on Windows.
    pub applet: Option<&'static str>,
    /// `bash`, `zsh` or `sh`. A `sh` that links to bash is `bash`, whose state has more parts.
    pub flavor: &'static str,
    /// The time between SIGTERM and SIGKILL for background processes, when the session is closed (ms).
    pub background_grace_ms: f64,
}

/// Returns the shell of a session, by default the usual one; null for a program that sessions can't drive.
#[napi(catch_unwind)]
pub fn session_shell(program: Option<String>) -> Option<SessionShell> {
    let ShellProgram { path: program, applet } = shell_program(program);
    let named = SessionFlavor::of(applet.unwrap_or(&program))?;
    let real = Path::new(&program).canonicalize().ok();
    let flavor = real.and_then(|path| SessionFlavor::of(path.to_str()?)).unwrap_or(named);
    let background_grace_ms = BACKGROUND_GRACE.as_secs_f64() * 1000.0;
    Some(SessionShell { program, applet, flavor: flavor.name(), background_grace_ms })
}

/// Quotes words into a line that a POSIX shell splits into the same words.
#[napi(catch_unwind)]
pub fn join_words(words: Vec<String>) -> String {
    quote::join(&words)
}

/// Splits a line into words as a POSIX shell does; null if a quote is not closed.
#[napi(catch_unwind)]
pub fn split_words(line: String) -> Option<Vec<String>> {
    quote::split(&line)
}

/// Quotes a word in any case.
#[napi(catch_unwind)]
pub fn quote_word(word: String) -> String {
    quote::quoted(&word)
}
