//! The input of a decision besides the command line.

use super::commands::WalkSurroundings;
use super::lists::Policy;
use super::paths::{Paths, is_below};
use crate::syntax::Syntax;
use crate::syntax::shells::KnownShell;

/// The input of a decision besides the command line: the policy, the shell, the directory, the environment.
#[derive(Clone, Copy, Debug)]
pub struct PolicyRequest<'a> {
    pub policy: &'a Policy,
    /// The language of the shell that will run the command line; `None` for a language that the policy does
    /// not read.
    pub syntax: Option<Syntax>,
    /// The directory in which the command line runs, absolute; `None` if it is unknown.
    pub directory: Option<&'a str>,
    /// The directory below which an allow rule covers writing, absolute; `None` for the working directory.
    pub root: Option<&'a str>,
    /// The environment: `NAME=value`, each with a NUL after it; `None` if any variable may have any value.
    pub environment: Option<&'a str>,
    pub paths: &'a dyn Paths,
}

/// Returns the language in which a shell with these flags reads a command line; `None` if that is not
/// certain.
#[must_use]
pub fn syntax_of(program: &str, flags: &[String]) -> Option<Syntax> {
    // Other flags can change the language, or make the shell read files first.
    let is_plain = |flag: &String| {
        flag.strip_prefix('-').is_some_and(|letters| {
            !letters.is_empty() && letters.bytes().all(|letter| b"celux".contains(&letter))
        })
    };
    let shell = KnownShell::of(program).filter(|shell| shell.is_judged)?;
    flags.iter().all(is_plain).then_some(shell.syntax).flatten()
}

impl<'a> PolicyRequest<'a> {
    pub(super) fn root(&self) -> Option<&'a str> {
        self.root.or(self.directory)
    }

    pub(super) fn surroundings(&self) -> WalkSurroundings<'a> {
        WalkSurroundings { directory: self.directory, environment: self.environment }
    }

    /// Returns the real path of a file, absolute or in `directory`; `None` if it is unknown.
    pub(super) fn real_path(&self, path: &str, directory: Option<&str>) -> Option<String> {
        let joined = match (path.starts_with('/'), directory) {
            (true, _) => path.to_owned(),
            (false, Some(directory)) => format!("{directory}/{path}"),
            (false, None) => return None,
        };
        self.paths.real(&joined)
    }

    /// Returns whether a path is the root or lies below it, by real path.
    pub(super) fn is_inside_root(&self, path: &str, directory: Option<&str>) -> bool {
        let root = self.root().and_then(|root| self.paths.real(root));
        root.zip(self.real_path(path, directory)).is_some_and(|(root, real)| is_below(&real, &root))
    }
}

#[cfg(test)]
mod tests {
    use super::{Syntax, syntax_of};

    #[test]
    fn flags_that_may_change_the_language_make_it_uncertain() {
        let of = |program, flags: &[&str]| {
            syntax_of(program, &flags.iter().map(|&flag| flag.to_owned()).collect::<Vec<_>>())
        };
        assert_eq!(of("/bin/bash", &["-lc"]), Some(Syntax::Bash));
        assert_eq!(of("zsh", &["-e", "-c"]), Some(Syntax::Zsh));
        assert_eq!(of("/usr/bin/dash", &["-c"]), Some(Syntax::Posix));
        assert_eq!(of("bash", &["--posix", "-c"]), None);
        assert_eq!(of("bash", &["-O", "extglob", "-c"]), None);
        assert_eq!(of("fish", &["-c"]), None);
        assert_eq!(of("yash", &["-c"]), None);
    }
}
