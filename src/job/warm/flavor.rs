//! Which shells can wait for their command, and what they are told instead of it.

use crate::job::model::invocation::Invocation;

/// A language.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flavor {
    /// GNU bash.
    Bash,
    /// zsh.
    Zsh,
}

/// If nothing in the start files could make a difference, say so (one byte), and wait. Then read the command into the
/// variable that has it in any shell with `-c`, and run it without a trace of the waiting.
///
/// What could make a difference: a status to begin with, tracing, traps, functions with the names of what is used here,
/// the variable being read-only, or another file being open as 9. Then, and when no command comes, the shell just ends,
/// without its `exit` and all that may be tied to that.
const BASH: &str = r#"if [[ $? = 0 && -S /dev/fd/9 && $- != *[xvT]* && -z "$(\builtin trap -p; \builtin declare -F builtin eval exec printf read)" ]] && (BASH_EXECUTION_STRING=) 2>/dev/null && \builtin printf r >&9 && IFS= \builtin read -rd "" BASH_EXECUTION_STRING <&9; then \exec 9>&-; \builtin eval "$BASH_EXECUTION_STRING"; fi"#;

/// As above. An `eval` that begins without `evallineno` has errors that name `zsh` and not `(eval)`; what it evaluates has
/// the option again.
const ZSH: &str = r#"if [[ $? = 0 && -S /dev/fd/9 && -o evallineno && $- != *[xv]* && -z "$(\builtin trap; \builtin functions TRAPDEBUG TRAPERR TRAPZERR TRAPEXIT builtin eval exec print read unsetopt)" ]] && (ZSH_EXECUTION_STRING=) 2>/dev/null && \builtin print -nu9 r && IFS= \builtin read -rd "" -u9 ZSH_EXECUTION_STRING; then \exec 9>&-; \builtin unsetopt evallineno; \builtin eval "\builtin setopt evallineno; $ZSH_EXECUTION_STRING"; fi"#;

/// Flags that change nothing for a shell that waits. `-x` or `-v` would show what it is told.
const FLAGS: [&str; 8] = ["-c", "-lc", "-cl", "-l", "--login", "--noprofile", "--norc", "-f"];

impl Flavor {
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

    /// The line that the shell is given.
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
    use super::{Flavor, Invocation};

    fn shell(program: &str, flags: &[&str]) -> Invocation {
        let flags = flags.iter().map(|&flag| flag.to_owned()).collect();
        Invocation::Shell { program: program.to_owned(), flags, command: String::new() }
    }

    #[test]
    fn bash_and_zsh_can_wait() {
        assert_eq!(Flavor::of(&shell("/bin/bash", &["-lc"])), Some(Flavor::Bash));
        assert_eq!(Flavor::of(&shell("bash", &["--norc", "-c"])), Some(Flavor::Bash));
        assert_eq!(Flavor::of(&shell("/usr/bin/zsh", &["-c"])), Some(Flavor::Zsh));
    }

    #[test]
    fn other_shells_and_flags_can_not() {
        assert_eq!(Flavor::of(&shell("/bin/sh", &["-c"])), None);
        assert_eq!(Flavor::of(&shell("/bin/bash", &["-xc"])), None);
        assert_eq!(Flavor::of(&shell("/bin/bash", &["-x", "-c"])), None);
        assert_eq!(Flavor::of(&shell("/bin/bash", &["-l"])), None);
        assert_eq!(Flavor::of(&shell("/bin/bash", &[])), None);
        let program = Invocation::Program { program: "bash".to_owned(), arguments: vec!["-c".to_owned()] };
        assert_eq!(Flavor::of(&program), None);
    }
}
