//! The surroundings of a command: what a caller sets once for all of its commands.

use std::path::{Path, PathBuf};
use std::sync::Arc;

pub use crate::job::model::shell::Shell;
use crate::job::prompts::PromptVariables;
use crate::process::cgroup::limits::TreeLimits;
pub use crate::process::directory::Directory;
use crate::process::directory::links::Links;
use crate::process::environment::value_of;
pub use crate::process::limits::Limits;
use crate::sandbox::intercept::scope::SecretScope;
pub use crate::sandbox::options::SandboxOptions;
use crate::sandbox::overlay::Overlay;
use crate::target::Target;
use crate::target::shell::ShellSlot;

/// Where and as what a command runs. Sessions take them whole.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Surroundings {
    /// The working directory, and the root that must contain it.
    pub directory: Directory,
    /// The whole environment.
    pub environment: Environment,
    /// The shell of command lines. A program that runs without a shell does not use it.
    pub shell: Shell,
    /// The resource limits of each process.
    pub limits: Limits,
    /// The limits of all processes together; `None` for no cgroup.
    pub tree: Option<Arc<TreeLimits>>,
    /// The sandbox of the command; `None` for none: the command can touch whatever the host can.
    pub sandbox: Option<SandboxOptions>,
    /// The overlay over the workspace of the sandbox.
    pub overlay: Option<SharedOverlay>,
    /// The rules of allowed hosts and their secrets; `None` without rules.
    pub secrets: Option<SharedScope>,
    /// The variables by which programs ask a person; `None` if they ask nobody.
    pub prompts: Option<PromptVariables>,
    /// The directories of the engine's files for the command, which a sandbox leaves writable.
    pub files: Vec<PathBuf>,
    /// Where else the command runs; `None` for this machine. Then the paths, the shell and the environment
    /// are those there.
    pub target: Option<OnTarget>,
}

impl Surroundings {
    /// Returns the workspace of a sandbox, by real path.
    #[must_use]
    pub fn workspace(&self) -> PathBuf {
        let root = self.directory.root.as_deref().unwrap_or(&self.directory.path);
        Links::default().real_path(root).map_or_else(|| PathBuf::from(root), PathBuf::from)
    }

    /// Returns the home directory of the command, if `HOME` is an absolute path.
    #[must_use]
    pub fn home(&self) -> Option<&Path> {
        self.environment.get("HOME").map(Path::new).filter(|home| home.is_absolute())
    }
}

/// An overlay that commands share. Two are equal if they are the same.
#[derive(Clone, Debug)]
pub struct SharedOverlay(pub Arc<Overlay>);

impl PartialEq for SharedOverlay {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for SharedOverlay {}

/// A scope of secrets that commands share. Two are equal if they are the same.
#[derive(Clone, Debug)]
pub struct SharedScope(pub Arc<SecretScope>);

impl PartialEq for SharedScope {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for SharedScope {}

/// A command's place on a target.
#[derive(Clone, Debug)]
pub struct OnTarget {
    pub target: Arc<Target>,
    /// Whether the command gets only the variables of its plan. Otherwise they change the environment there;
    /// a name without a value removes a variable.
    pub has_empty_environment: bool,
    /// The shells of a command line, of which the first one that exists there runs it; empty for the shell of
    /// the surroundings.
    pub shells: Vec<Shell>,
    /// The shell of a session, if the command is one.
    pub session_shell: Option<SessionShell>,
}

/// The shell of a session on a target.
#[derive(Clone, Debug)]
pub struct SessionShell {
    /// The programs with their arguments, of which the first one that exists there runs.
    pub programs: Vec<Vec<String>>,
    /// Takes the shell once it runs.
    pub slot: ShellSlot,
}

impl PartialEq for OnTarget {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.target, &other.target)
            && self.has_empty_environment == other.has_empty_environment
            && self.shells == other.shells
    }
}

impl Eq for OnTarget {}

/// Environment variables, as `NAME=value` with a NUL between two: one string, since it comes from JavaScript
/// and one is cheaper to hand over than many.
///
/// On Unix, the crate never reads the environment of its own process: another thread may be changing it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Environment(pub String);

impl Environment {
    /// Returns the variables, as `NAME=value`.
    pub fn variables(&self) -> impl Iterator<Item = &str> {
        self.0.split('\0').filter(|variable| !variable.is_empty())
    }

    /// Returns the value of a variable.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&str> {
        self.variables().find_map(|variable| value_of(variable, name))
    }
}

#[cfg(test)]
mod tests {
    use super::Environment;

    #[test]
    fn a_variable_is_found_by_its_whole_name() {
        let environment = Environment("XPATH=/x\0PATH=/bin:/usr/bin\0PATHS=/y".to_owned());
        assert_eq!(environment.get("PATH"), Some("/bin:/usr/bin"));
        assert_eq!(environment.get("HOME"), None);
    }

    #[test]
    fn an_empty_environment_has_no_variables() {
        assert_eq!(Environment::default().variables().count(), 0);
    }
}
