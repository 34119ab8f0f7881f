//! The surroundings of a command line that is judged.

use std::rc::Rc;

use super::commands;
use super::commands::scope::Scope;
use super::lists::Policy;
use super::paths::Paths;
use super::syntax::Syntax;

/// The surroundings of a command line: the policy, the shell and the directory.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// The policy.
    pub policy: &'a Policy,
    /// The language of the shell that will run the command line; `None` for a language that is not read.
    pub syntax: Option<Syntax>,
    /// The directory in which the command line runs, absolute; `None` if it is not known.
    pub directory: Option<&'a str>,
    /// The directory below which an allow rule covers writing, absolute; the working directory if it is absent.
    pub root: Option<&'a str>,
    /// The environment: `NAME=value` with a NUL behind each; `None` if any variable may have any value.
    pub environment: Option<&'a str>,
    /// The symbolic links of the file system.
    pub paths: &'a dyn Paths,
}

impl Request<'_> {
    pub(super) fn root(&self) -> Option<&str> {
        self.root.or(self.directory)
    }

    pub(super) fn scope(&self) -> Scope {
        let mut scope = Scope::new(self.directory.map(commands::scope::normal), self.environment);
        scope.project = self.root().map(commands::scope::normal).map(Rc::from);
        scope
    }
}
