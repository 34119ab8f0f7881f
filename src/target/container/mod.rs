//! A container as a target: a running one, in which the supervisor is started by `exec`, or one that is
//! created for the target, with the supervisor as its main process.
//!
//! [`options`] are the caller's. `engine` finds podman or docker, `remote` whether it runs on another
//! machine, `arguments` makes its arguments, and `query` runs its short commands. `workspace` finds the
//! protected paths and creates missing ones, `sweep` removes containers of hosts that ended together with
//! their engine, and [`limits`] checks the limits that the engine has applied. The
//! [keeper](crate::helper::keeper) runs the engine's client and removes the container after its host.

mod arguments;
mod engine;
pub(super) mod limits;
pub(super) mod options;
mod query;
mod remote;
mod sweep;
mod workspace;

use std::path::PathBuf;
use std::time::Duration;

use rustix::process::{Resource, getgid, getrlimit, getuid};

use self::arguments::{LocalFacts, WORKSPACE, removal_words, run_words};
use self::engine::ContainerEngine;
use self::options::{OwnContainer, RunningContainer};
use self::remote::remote_engine;
use self::sweep::{ContainerOwner, sweep};
use self::workspace::protect;
use super::error::TargetError;
use super::transport_command::SHELL;
use crate::helper::keeper::KeeperPlan;
use crate::process::directory::private::random;
use crate::process::{helper_program, kernel};

/// Returns the command that starts a shell in a running container. Blocks.
///
/// # Errors
///
/// `TARGET_ENGINE` if no engine answers.
pub(super) fn enter(
    running: &RunningContainer,
    environment: &[String],
    limit: Duration,
) -> Result<Vec<String>, TargetError> {
    let engine = ContainerEngine::find(running.engine.as_deref(), environment, limit)?;
    let mut words = engine.words(&["exec", "-i", &running.name]);
    words.extend(SHELL.map(str::to_owned));
    Ok(words)
}

/// Decides how a container is created, and creates its missing protected paths. Blocks. `mounts_helper` is
/// false where the engine can't mount the helper program.
///
/// # Errors
///
/// `TARGET_ENGINE` if no engine answers, `TARGET_START` for a workspace that can't be used, or a path in it
/// that can't be protected.
pub(super) fn make(
    own: &OwnContainer,
    environment: &[String],
    limit: Duration,
    nonce: &str,
    mounts_helper: bool,
) -> Result<KeeperPlan, TargetError> {
    if kernel::NAME != "Linux" {
        let message = "Containers are made on Linux only; start one, and give its name.";
        return Err(TargetError::new("TARGET_PLATFORM", message));
    }
    if let Some(workspace) = &own.workspace {
        workspace::check(workspace)?;
    }
    let engine = ContainerEngine::find(own.engine.as_deref(), environment, limit)?;
    if own.workspace.is_some()
        && let Some(place) = remote_engine(&engine, environment, limit)
    {
        let message = format!(
            "container.workspace: the engine runs on another machine ({place}), which does not have the directories of \
             this one. Set workspace: false, and give directories of that machine as mounts."
        );
        return Err(TargetError::new("TARGET_START", message));
    }
    sweep(&engine, environment);
    let protection = match &own.workspace {
        Some(workspace) => protect(workspace, &own.protected, &own.mounts)?,
        None => workspace::Protection { mounts: own.mounts.clone(), ..workspace::Protection::default() },
    };
    let here = LocalFacts {
        name: format!("agent-bash-{:016x}", random()),
        owner: ContainerOwner::own().label(),
        ids: (getuid().as_raw(), getgid().as_raw()),
        hard_limits: [Resource::Nofile, Resource::Nproc].map(|limit| getrlimit(limit).maximum),
        pinned: protection.pinned,
        protected: protection.paths,
        mounts: protection.mounts,
        helper: mounts_helper.then(|| helper_program::path().to_owned()),
        nonce: nonce.to_owned(),
    };
    let texts = |paths: &[PathBuf]| paths.iter().map(|path| path.display().to_string()).collect();
    Ok(KeeperPlan {
        run: run_words(own, &engine, &here),
        removal: removal_words(&engine, &here.name),
        held: texts(&[here.pinned.as_slice(), &here.protected, &protection.places].concat()),
        made: texts(&protection.made),
        name: here.name,
    })
}

/// Removes the directories that were created for a container that was not started.
pub(super) fn give_up(plan: &KeeperPlan) {
    workspace::remove(&plan.made.iter().map(PathBuf::from).collect::<Vec<_>>());
}

impl OwnContainer {
    /// Returns the path of the workspace in the container, if there is one.
    pub(super) fn workspace_there(&self) -> Option<&'static str> {
        self.workspace.is_some().then_some(WORKSPACE)
    }

    /// Returns the container's path for a path of this machine; `None` for one that is not below the
    /// workspace.
    pub(super) fn path_there(&self, path: &str) -> Option<String> {
        let below = path.strip_prefix(self.workspace.as_deref()?.trim_end_matches('/'))?;
        (below.is_empty() || below.starts_with('/')).then(|| format!("{WORKSPACE}{below}"))
    }
}

#[cfg(test)]
mod tests {
    use super::options::Container;
    #[test]
    fn a_path_below_the_workspace_has_another_name_there() {
        let json = r#"{"image":"i","workspace":"/home/me/project"}"#;
        let Ok(Container::Own(own)) = serde_json::from_str(json) else { panic!("expected a container") };
        let there = |path| own.path_there(path);
        assert_eq!(there("/home/me/project/src").as_deref(), Some("/workspace/src"));
        assert_eq!(there("/home/me/project").as_deref(), Some("/workspace"));
        assert_eq!(there("/home/me/projects"), None);
        assert_eq!(there("/etc"), None);
    }
}
