//! The shells of commands, for JavaScript.

#![allow(clippy::must_use_candidate, reason = "JavaScript calls these")]

use std::path::Path;

use napi_derive::napi;

use crate::job::model::shell::Shell;
use crate::session::shell::flavor::SessionFlavor;

/// The shell of a session.
#[derive(Debug)]
#[napi(object, object_from_js = false)]
pub struct SessionShell {
    pub program: String,
    /// `bash`, `zsh` or `sh`. A `sh` that links to bash is `bash`, whose state has more parts.
    pub flavor: &'static str,
}

/// Returns the shell of a session, by default the usual one; null for a program that sessions can't drive.
#[napi(catch_unwind)]
pub fn session_shell(program: Option<String>) -> Option<SessionShell> {
    let program = program.unwrap_or_else(|| Shell::usual().program);
    let named = SessionFlavor::of(&program)?;
    let real = Path::new(&program).canonicalize().ok();
    let flavor = real.and_then(|path| SessionFlavor::of(path.to_str()?)).unwrap_or(named);
    Some(SessionShell { program, flavor: flavor.name() })
}
