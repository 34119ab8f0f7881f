//! The program of a shell.

use crate::job::model::shell::{Shell, ShellProgram};

/// Returns the program of a shell by its path or name, by default that of the usual one.
#[must_use]
pub fn shell_program(given: Option<String>) -> ShellProgram {
    ShellProgram { path: given.unwrap_or_else(|| Shell::usual().program), applet: None }
}
