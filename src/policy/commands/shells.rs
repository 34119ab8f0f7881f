//! Shells among the programs.

use crate::syntax::shells::KnownShell;

/// Returns whether a program is a shell whose language the policy reads.
pub(crate) fn is_posix_shell(name: &str) -> bool {
    KnownShell::of(name).is_some_and(KnownShell::is_posix)
}

/// Returns whether a program is a shell with another language.
pub(crate) fn is_other_shell(name: &str) -> bool {
    KnownShell::of(name).is_some_and(|shell| !shell.is_posix())
}

/// Returns whether a program is a shell.
pub(crate) fn is_shell(name: &str) -> bool {
    KnownShell::of(name).is_some()
}
