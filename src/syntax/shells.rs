//! The shells that this package knows, and what each of its parts can do with them: the only list of shells.
//! The launch, sessions and the policy look their shell up here.

use std::env::consts::EXE_SUFFIX;
use std::path::is_separator;

use super::Syntax;

/// A shell, by the name of its program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KnownShell {
    pub name: &'static str,
    /// The language that the shell reads, perhaps with additions; `None` for a language of its own.
    pub syntax: Option<Syntax>,
    /// Whether a session can drive the shell, where it drives shells of this language.
    pub is_drivable: bool,
    /// Whether the policy is certain of how the shell reads a command line.
    pub is_judged: bool,
}

const fn shell(name: &'static str, syntax: Syntax, is_drivable: bool, is_judged: bool) -> KnownShell {
    KnownShell { name, syntax: Some(syntax), is_drivable, is_judged }
}

const fn foreign(name: &'static str) -> KnownShell {
    KnownShell { name, syntax: None, is_drivable: false, is_judged: false }
}

const SHELLS: [KnownShell; 22] = [
    shell("bash", Syntax::Bash, true, true),
    shell("rbash", Syntax::Bash, false, true),
    shell("zsh", Syntax::Zsh, true, true),
    shell("sh", Syntax::Posix, true, true),
    shell("dash", Syntax::Posix, true, true),
    shell("ash", Syntax::Posix, true, true),
    shell("ksh", Syntax::Posix, false, true),
    shell("mksh", Syntax::Posix, false, true),
    shell("ksh93", Syntax::Posix, false, false),
    shell("lksh", Syntax::Posix, false, false),
    shell("yash", Syntax::Posix, false, false),
    shell("posh", Syntax::Posix, false, false),
    foreign("fish"),
    foreign("csh"),
    foreign("tcsh"),
    foreign("nu"),
    foreign("pwsh"),
    foreign("powershell"),
    foreign("xonsh"),
    foreign("elvish"),
    foreign("ion"),
    foreign("rc"),
];

impl KnownShell {
    /// Returns the shell of a program's name or path, as the system writes it: on Windows, `\` separates the
    /// parts of a path too, and a program ends with `.exe`.
    #[must_use]
    pub fn of(program: &str) -> Option<Self> {
        let name = program.rsplit(is_separator).next()?;
        let name = name.strip_suffix(EXE_SUFFIX).unwrap_or(name);
        SHELLS.into_iter().find(|shell| shell.name == name)
    }

    /// Returns whether the shell reads the language of POSIX, with or without additions.
    #[must_use]
    pub fn is_posix(self) -> bool {
        self.syntax.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::{KnownShell, Syntax};

    #[test]
    fn a_shell_is_known_by_the_name_of_its_program() {
        let language = |program| KnownShell::of(program).and_then(|shell| shell.syntax);
        assert_eq!(language("/usr/local/bin/bash"), Some(Syntax::Bash));
        assert_eq!(language("zsh"), Some(Syntax::Zsh));
        assert_eq!([language("bash5"), language("/bin/bash/"), language("")], [None; 3]);
    }
}
