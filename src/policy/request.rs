//! The input of a decision besides the command line.

use std::borrow::Cow;

use super::commands::{UNKNOWN, WalkSurroundings};
use super::lists::Policy;
use super::paths::{PathStyle, Paths, is_below};
use super::windows;
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
    let name = match PathStyle::of(program) {
        PathStyle::Unix => program.to_owned(),
        PathStyle::Windows => windows::program_name(program),
    };
    let shell = KnownShell::of(&name).filter(|shell| shell.is_judged)?;
    flags.iter().all(is_plain).then_some(shell.syntax).flatten()
}

impl<'a> PolicyRequest<'a> {
    pub(super) fn root(&self) -> Option<&'a str> {
        self.root.or(self.directory)
    }

    /// Returns how the paths of the request are written: as its directory, or else its root or its home.
    #[must_use]
    pub fn style(&self) -> PathStyle {
        let path = self.directory.or(self.root).or_else(|| windows::home_of(self.environment));
        path.map_or(PathStyle::Unix, PathStyle::of)
    }

    pub(super) fn surroundings(&self) -> WalkSurroundings<'a> {
        WalkSurroundings { directory: self.directory, environment: self.environment, style: self.style() }
    }

    /// Returns a text as a path: with slashes, and on Windows with the values of `%NAME%`.
    pub(super) fn path_of<'b>(&self, text: &'b str, directory: Option<&str>) -> Cow<'b, str> {
        match self.style() {
            PathStyle::Unix => text.into(),
            PathStyle::Windows => {
                windows::plain(&windows::expanded(text, self.environment), directory).into()
            }
        }
    }

    /// Returns the real path of an absolute one, as paths are compared; `None` if it is unknown.
    pub(super) fn real(&self, path: &str) -> Option<String> {
        match self.style() {
            PathStyle::Unix => self.paths.real(path),
            PathStyle::Windows => {
                let path = windows::absolute(path, None).filter(|path| !path.climbs)?.path;
                windows::absolute(&self.paths.real(&path)?, None).map(|real| real.path)
            }
        }
    }

    /// Returns the real path of a file, absolute or in `directory`; `None` if it is unknown.
    pub(super) fn real_path(&self, path: &str, directory: Option<&str>) -> Option<String> {
        if self.style() == PathStyle::Windows {
            let path = windows::expanded(path, self.environment);
            let path = windows::absolute(&path, directory).filter(|path| !path.climbs)?.path;
            return if path.contains(UNKNOWN) { None } else { self.real(&path) };
        }
        let joined = match (path.starts_with('/'), directory) {
            (true, _) => path.to_owned(),
            (false, Some(directory)) => format!("{directory}/{path}"),
            (false, None) => return None,
        };
        self.paths.real(&joined)
    }

    /// Returns whether a path is the root or lies below it, by real path.
    pub(super) fn is_inside_root(&self, path: &str, directory: Option<&str>) -> bool {
        let root = self.root().and_then(|root| self.real(root));
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
