//! The kinds of shells, and what differs between them. Pure.
//!
//! `start_lines`, `command_line` and `report_lines` have the lines for each kind. Every line begins with a
//! quoted name (`\builtin`), which no alias replaces, and none defines a variable. Lines are short, because
//! zsh reads its standard input byte by byte; the command itself is in a file.
//!
//! A further flavor needs a value of [`SessionFlavor`], its name in the checks of
//! `lib/session/session-options.ts` and `lib/session/api.ts`, and the scripts in `lib/session/scripts/` which
//! save and restore its state.

use super::start_files::StartFiles;
use crate::syntax::Syntax;
use crate::syntax::shells::KnownShell;

/// A kind of shell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SessionFlavor {
    Bash,
    Zsh,
    /// dash, the shell of busybox, and any other program called `sh`.
    Posix,
}

impl SessionFlavor {
    /// Returns the flavor of a shell by the name of its program, or `None` for a shell that sessions don't
    /// support.
    #[must_use]
    pub fn of(program: &str) -> Option<Self> {
        match KnownShell::of(program).filter(|shell| shell.is_drivable)?.syntax? {
            Syntax::Bash => Some(Self::Bash),
            Syntax::Zsh => Some(Self::Zsh),
            Syntax::Posix => Some(Self::Posix),
        }
    }

    /// Returns the language of the shells of this flavor.
    #[must_use]
    pub const fn syntax(self) -> Syntax {
        match self {
            Self::Bash => Syntax::Bash,
            Self::Zsh => Syntax::Zsh,
            Self::Posix => Syntax::Posix,
        }
    }

    /// Returns the name of the shells of this flavor.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Bash => "bash",
            Self::Zsh => "zsh",
            Self::Posix => "sh",
        }
    }

    /// Returns the arguments of an interactive shell that reads its commands from standard input, and no
    /// start files by itself. The shell is interactive because no error ends such a shell.
    #[must_use]
    pub fn arguments(self, start_files: StartFiles) -> Vec<&'static str> {
        let mut arguments = match self {
            // Without line editing, bash reads a pipe block by block, and not byte by byte.
            Self::Bash => vec!["--noprofile", "--norc", "--noediting", "+H", "+o", "history"],
            Self::Zsh => vec!["-f"],
            Self::Posix => Vec::new(),
        };
        arguments.extend((start_files.is_login() && self != Self::Posix).then_some("-l"));
        arguments.extend(["-i", "-s"]);
        arguments
    }

    /// Returns the command that runs a builtin, whatever functions and aliases there are. dash has none that
    /// runs builtins alone.
    #[must_use]
    pub const fn builtin(self) -> &'static str {
        match self {
            Self::Bash | Self::Zsh => "\\builtin",
            Self::Posix => "\\command",
        }
    }

    /// Returns how many descriptors the shell needs for a command, and from which number on. zsh and dash
    /// keep the redirected streams, and dash the file with the command, at numbers from 10 on.
    #[must_use]
    pub const fn needed_descriptors(self) -> (u64, u64) {
        match self {
            Self::Bash => (3, 2),
            Self::Zsh => (10, 3),
            Self::Posix => (10, 4),
        }
    }

    /// Returns the line that ends the shell. Its EXIT trap runs.
    #[must_use]
    pub const fn exit_line(self) -> &'static str {
        match self {
            Self::Bash | Self::Zsh => "\\builtin exit 0\n",
            Self::Posix => "\\exit 0\n",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{SessionFlavor, StartFiles};

    #[test]
    fn a_shell_is_known_by_the_name_of_its_program() {
        assert_eq!(SessionFlavor::of("/usr/bin/bash"), Some(SessionFlavor::Bash));
        assert_eq!(SessionFlavor::of("zsh"), Some(SessionFlavor::Zsh));
        for name in ["/bin/sh", "dash", "ash"] {
            assert_eq!(SessionFlavor::of(name), Some(SessionFlavor::Posix));
        }
        for name in ["fish", "/usr/bin/python3", "csh", "bash.py", ""] {
            assert_eq!(SessionFlavor::of(name), None, "{name}");
        }
    }

    #[test]
    fn no_shell_reads_start_files_by_itself() {
        for start_files in [StartFiles::None, StartFiles::Login, StartFiles::Interactive, StartFiles::Both] {
            let arguments = SessionFlavor::Bash.arguments(start_files);
            assert!(arguments.contains(&"--norc") && arguments.contains(&"--noprofile"));
            assert_eq!(arguments.contains(&"-l"), start_files.is_login());
            assert!(SessionFlavor::Zsh.arguments(start_files).contains(&"-f"));
            assert_eq!(SessionFlavor::Posix.arguments(start_files), ["-i", "-s"]);
        }
    }
}
