//! The shells that can wait for their command, and the script that makes them wait.

use crate::job::model::shell::Shell;
use crate::syntax::Syntax;
use crate::syntax::shells::KnownShell;

/// A kind of shell that can wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WarmFlavor {
    Bash,
    Zsh,
}

/// The script of a waiting bash. If nothing in the start files can change the result of a later command, it
/// reports that it is ready (one byte) and waits. Then it reads the command into the variable in which `-c`
/// leaves it, and runs it without a trace of the waiting.
///
/// The result could change by an initial status, tracing, traps, functions that replace a builtin of this
/// script, a read-only variable, or another file as descriptor 9. In these cases, and when no command
/// arrives, the shell ends without `exit`, whose traps and functions therefore don't run.
const BASH: &str = concat!(
    r#"if [[ $? = 0 && -S /dev/fd/9 && $- != *[xvT]* && -z "$(\builtin trap -p; \builtin "#,
    r#"declare -F builtin eval exec printf read)" ]] && (BASH_EXECUTION_STRING=) 2>/dev/null "#,
    r#"&& \builtin printf r >&9 && IFS= \builtin read -rd "" BASH_EXECUTION_STRING <&9; then "#,
    r#"\exec 9>&-; \builtin eval "$BASH_EXECUTION_STRING"; fi"#,
);

/// The script of a waiting zsh. An `eval` that begins without `evallineno` names `zsh` and not `(eval)` in
/// errors; the evaluated command has the option again.
const ZSH: &str = concat!(
    r#"if [[ $? = 0 && -S /dev/fd/9 && -o evallineno && $- != *[xv]* && -z "$(\builtin trap; "#,
    r#"\builtin functions TRAPDEBUG TRAPERR TRAPZERR TRAPEXIT builtin eval exec print read "#,
    r#"unsetopt)" ]] && (ZSH_EXECUTION_STRING=) 2>/dev/null && \builtin print -nu9 r && IFS= "#,
    r#"\builtin read -rd "" -u9 ZSH_EXECUTION_STRING; then \exec 9>&-; \builtin unsetopt "#,
    r#"evallineno; \builtin eval "\builtin setopt evallineno; $ZSH_EXECUTION_STRING"; fi"#,
);

/// The flags that a waiting shell may have. `-x` or `-v` would print the script.
const FLAGS: [&str; 8] = ["-c", "-lc", "-cl", "-l", "--login", "--noprofile", "--norc", "-f"];

impl WarmFlavor {
    /// Returns the flavor of a shell that can wait, or `None` for any other.
    #[must_use]
    pub fn of(Shell { program, flags }: &Shell) -> Option<Self> {
        let last = flags.last()?;
        let takes_command =
            last.starts_with('-') && !last.starts_with("--") && last.ends_with('c') || last == "-cl";
        if !takes_command || !flags.iter().all(|flag| FLAGS.contains(&flag.as_str())) {
            return None;
        }
        match KnownShell::of(program).filter(|shell| shell.is_drivable)?.syntax? {
            Syntax::Bash => Some(Self::Bash),
            Syntax::Zsh => Some(Self::Zsh),
            Syntax::Posix => None,
        }
    }

    /// Returns the script that makes the shell wait.
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
    use super::{Shell, WarmFlavor};

    fn shell(program: &str, flags: &[&str]) -> Shell {
        Shell { program: program.to_owned(), flags: flags.iter().map(|&flag| flag.to_owned()).collect() }
    }

    #[test]
    fn bash_and_zsh_can_wait() {
        assert_eq!(WarmFlavor::of(&shell("/bin/bash", &["-lc"])), Some(WarmFlavor::Bash));
        assert_eq!(WarmFlavor::of(&shell("bash", &["--norc", "-c"])), Some(WarmFlavor::Bash));
        assert_eq!(WarmFlavor::of(&shell("/usr/bin/zsh", &["-c"])), Some(WarmFlavor::Zsh));
    }

    #[test]
    fn other_shells_and_flags_can_not() {
        assert_eq!(WarmFlavor::of(&shell("/bin/sh", &["-c"])), None);
        assert_eq!(WarmFlavor::of(&shell("/bin/bash", &["-xc"])), None);
        assert_eq!(WarmFlavor::of(&shell("/bin/bash", &["-x", "-c"])), None);
        assert_eq!(WarmFlavor::of(&shell("/bin/bash", &["-l"])), None);
        assert_eq!(WarmFlavor::of(&shell("/bin/bash", &[])), None);
        assert_eq!(WarmFlavor::of(&shell("/bin/rbash", &["-c"])), None);
    }
}
