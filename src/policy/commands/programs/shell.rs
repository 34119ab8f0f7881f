//! The names of shells.

/// Shells whose language the policy reads.
const READ: [&str; 12] =
    ["sh", "bash", "dash", "ash", "ksh", "mksh", "zsh", "rbash", "lksh", "ksh93", "yash", "posh"];

/// Shells with languages of their own.
const OTHERS: [&str; 10] =
    ["fish", "csh", "tcsh", "nu", "pwsh", "powershell", "xonsh", "elvish", "ion", "rc"];

/// Returns whether a program is a shell whose language the policy reads.
pub(crate) fn is_posix_shell(name: &str) -> bool {
    READ.contains(&name)
}

/// Returns whether a program is a shell with another language.
pub(crate) fn is_other_shell(name: &str) -> bool {
    OTHERS.contains(&name)
}

/// Returns whether a program is a shell.
pub(crate) fn is_shell(name: &str) -> bool {
    is_posix_shell(name) || is_other_shell(name)
}
