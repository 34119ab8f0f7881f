//! Which shells can wait for their command, and what they are told instead of it.

use crate::job::invocation::Invocation;

/// A language.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// GNU bash.
    Bash,
    /// zsh.
    Zsh,
}

/// Read the command from descriptor 3 into the variable that has it in any shell with `-c`, and run it without a trace
/// of the waiting. At the end of the file there will be no command: then the shell ends, without its `exit` and all that
/// may be tied to that.
const BASH: &str = r#"if IFS= builtin read -rd "" BASH_EXECUTION_STRING <&3; then builtin exec 3<&-; SECONDS=0; builtin eval "$BASH_EXECUTION_STRING"; fi"#;

/// As above. Without the option, errors name `zsh` and not `(eval)`.
const ZSH: &str = r#"if IFS= builtin read -rd "" ZSH_EXECUTION_STRING <&3; then exec 3<&-; builtin unsetopt evallineno; SECONDS=0; builtin eval "$ZSH_EXECUTION_STRING"; fi"#;

/// Flags that change nothing for a shell that waits. `-x` or `-v` would show what it is told.
const FLAGS: [&str; 8] = ["-c", "-lc", "-cl", "-l", "--login", "--noprofile", "--norc", "-f"];

impl Dialect {
    /// The language of a shell that can wait.
    #[must_use]
    pub fn of(invocation: &Invocation) -> Option<Self> {
        let Invocation::Shell { program, flags, .. } = invocation else { return None };
        let last = flags.last()?;
        let takes_command =
            last.starts_with('-') && !last.starts_with("--") && last.ends_with('c') || last == "-cl";
        if !takes_command || !flags.iter().all(|flag| FLAGS.contains(&flag.as_str())) {
            return None;
        }
        match program.rsplit('/').next()? {
            "bash" => Some(Self::Bash),
            "zsh" => Some(Self::Zsh),
            _ => None,
        }
    }

    /// What it is told.
    #[must_use]
    pub const fn waiting(self) -> &'static str {
        match self {
            Self::Bash => BASH,
            Self::Zsh => ZSH,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Dialect, Invocation};

    fn shell(program: &str, flags: &[&str]) -> Invocation {
        let flags = flags.iter().map(|&flag| flag.to_owned()).collect();
        Invocation::Shell { program: program.to_owned(), flags, command: String::new() }
    }

    #[test]
    fn bash_and_zsh_can_wait() {
        assert_eq!(Dialect::of(&shell("/bin/bash", &["-lc"])), Some(Dialect::Bash));
        assert_eq!(Dialect::of(&shell("bash", &["--norc", "-c"])), Some(Dialect::Bash));
        assert_eq!(Dialect::of(&shell("/usr/bin/zsh", &["-c"])), Some(Dialect::Zsh));
    }

    #[test]
    fn other_shells_and_flags_can_not() {
        assert_eq!(Dialect::of(&shell("/bin/sh", &["-c"])), None);
        assert_eq!(Dialect::of(&shell("/bin/bash", &["-xc"])), None);
        assert_eq!(Dialect::of(&shell("/bin/bash", &["-x", "-c"])), None);
        assert_eq!(Dialect::of(&shell("/bin/bash", &["-l"])), None);
        assert_eq!(Dialect::of(&shell("/bin/bash", &[])), None);
        let program = Invocation::Program { program: "bash".to_owned(), arguments: vec!["-c".to_owned()] };
        assert_eq!(Dialect::of(&program), None);
    }
}
