//! A command line to be judged, and what is known of where it will run.

use super::commands;
use super::commands::scope::Scope;
use super::lists::Policy;
use super::paths::Paths;
use super::syntax::Syntax;

/// A command line's surroundings: the policy, the shell and the directory.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// The policy.
    pub policy: &'a Policy,
    /// The language of the shell that will run it; `None` for a shell that can't be read.
    pub syntax: Option<Syntax>,
    /// The directory in which it runs, absolute.
    pub directory: Option<&'a str>,
    /// The directory below which an allow rule covers writing, absolute; the working directory without one.
    pub root: Option<&'a str>,
    /// `NAME=value` with a NUL behind each; `None` if any variable may have any value.
    pub environment: Option<&'a str>,
    /// Where symbolic links lead.
    pub paths: &'a dyn Paths,
}

impl Request<'_> {
    pub(super) fn root(&self) -> Option<&str> {
        self.root.or(self.directory)
    }

    pub(super) fn scope(&self) -> Scope {
        Scope::new(self.directory.map(commands::scope::normal), self.environment)
    }
}
