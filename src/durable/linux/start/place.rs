//! Where a supervisor lives: with the host, or in a scope of systemd, if it lives longer there.

use std::fs;
use std::path::{Path, PathBuf};

/// The place of a supervisor, and what that means for the job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SupervisorPlace {
    /// The manager that makes a scope; `None` where the supervisor stays with the host.
    pub(super) manager: Option<ScopeManager>,
    pub(super) survives_logout: bool,
    pub(super) reason: &'static str,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ScopeManager {
    User,
    System,
}

/// The facts that decide where a supervisor runs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools, reason = "they are independent of each other")]
pub(super) struct PlaceFacts {
    /// Whether systemd manages the machine, and this process is in its tree.
    pub(super) has_systemd: bool,
    pub(super) is_root: bool,
    /// The control group of the host, by its path from the root.
    pub(super) cgroup: String,
    /// Whether the user's manager goes on without a login.
    pub(super) lingers: bool,
    /// Whether the user's manager can be reached.
    pub(super) has_user_manager: bool,
}

impl PlaceFacts {
    /// Reads what is known of this machine.
    pub(super) fn of_this_machine(runtime: Option<&Path>) -> Self {
        let uid = rustix::process::geteuid();
        let groups = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
        let user = user_name(uid.as_raw());
        Self {
            has_systemd: Path::new("/run/systemd/system").is_dir(),
            is_root: uid.is_root(),
            cgroup: cgroup_of(&groups).to_owned(),
            lingers: user.is_some_and(|user| Path::new("/var/lib/systemd/linger").join(user).exists()),
            has_user_manager: runtime.is_some_and(|runtime| runtime.join("systemd/private").exists()),
        }
    }
}

/// Returns the group of the unified hierarchy, or that of systemd.
fn cgroup_of(groups: &str) -> &str {
    let of = |prefix: &str| {
        groups.lines().find_map(|line| {
            let (_, rest) = line.split_once(':')?;
            rest.strip_prefix(prefix)
        })
    };
    of(":").filter(|path| *path != "/").or_else(|| of("name=systemd:")).unwrap_or("/")
}

fn user_name(uid: u32) -> Option<String> {
    let accounts = fs::read_to_string("/etc/passwd").ok()?;
    accounts.lines().find_map(|line| {
        let mut parts = line.split(':');
        let name = parts.next()?;
        (parts.nth(1)?.parse() == Ok(uid)).then(|| name.to_owned())
    })
}

/// Chooses the place.
pub(super) fn place(there: &PlaceFacts) -> SupervisorPlace {
    let stays = |survives_logout, reason| SupervisorPlace { manager: None, survives_logout, reason };
    let in_scope = |manager, survives_logout, reason| SupervisorPlace {
        manager: Some(manager),
        survives_logout,
        reason,
    };
    let unit = |suffix: &str| there.cgroup.split('/').any(|part| part.ends_with(suffix));
    let is_in_user_manager = there.cgroup.contains("/user@");
    let is_in_session = there.cgroup.split('/').any(|part| part.starts_with("session-"));
    if !there.has_systemd || there.cgroup == "/" {
        return stays(true, "no systemd ends it; a container around the host does");
    }
    if there.is_root {
        return in_scope(ScopeManager::System, true, "in a scope of the system");
    }
    if there.lingers && there.has_user_manager {
        return in_scope(ScopeManager::User, true, "in a scope of the user's manager, which lingers");
    }
    if is_in_user_manager && there.has_user_manager {
        return in_scope(
            ScopeManager::User,
            false,
            "in a scope of the user's manager, which ends with the last session (loginctl enable-linger)",
        );
    }
    if is_in_session {
        return stays(
            false,
            "in the login session, whose log-out may end it (KillUserProcesses, or loginctl enable-linger)",
        );
    }
    if unit(".service") {
        return stays(false, "in the service of the host, and ends with it");
    }
    stays(false, "with the host, and ends when that place does")
}

/// Returns the words that start a program in a scope.
pub(super) fn scope_words(manager: ScopeManager, id: &str) -> Vec<String> {
    let user = matches!(manager, ScopeManager::User).then_some("--user");
    let unit = format!("--unit=agent-bash-durable-{id}");
    ["systemd-run"]
        .into_iter()
        .chain(user)
        .chain(["--scope", "--collect", "--quiet", "-p", "Delegate=yes", &unit, "--"])
        .map(str::to_owned)
        .collect()
}

/// Returns where `systemd-run` is.
pub(super) fn systemd_run() -> Option<PathBuf> {
    ["/usr/bin/systemd-run", "/bin/systemd-run"].into_iter().map(PathBuf::from).find(|path| path.exists())
}

#[cfg(test)]
mod tests {
    use super::{PlaceFacts, ScopeManager, cgroup_of, place, scope_words};

    fn on_systemd(cgroup: &str) -> PlaceFacts {
        PlaceFacts { has_systemd: true, cgroup: cgroup.to_owned(), ..PlaceFacts::default() }
    }

    #[test]
    fn a_login_session_keeps_the_supervisor_and_is_no_place_that_survives() {
        let session = on_systemd("/user.slice/user-1000.slice/session-3.scope");
        let chosen = place(&PlaceFacts { has_user_manager: true, ..session });
        assert_eq!((chosen.manager, chosen.survives_logout), (None, false));
        assert!(chosen.reason.contains("enable-linger"), "{}", chosen.reason);
    }

    #[test]
    fn a_lingering_user_has_a_scope_that_survives() {
        let session = on_systemd("/user.slice/user-1000.slice/session-3.scope");
        let chosen = place(&PlaceFacts { lingers: true, has_user_manager: true, ..session });
        assert_eq!((chosen.manager, chosen.survives_logout), (Some(ScopeManager::User), true));
    }

    #[test]
    fn a_desktop_has_a_scope_that_ends_with_the_last_session() {
        let desktop = on_systemd("/user.slice/user-1000.slice/user@1000.service/app.slice/code.scope");
        let chosen = place(&PlaceFacts { has_user_manager: true, ..desktop });
        assert_eq!((chosen.manager, chosen.survives_logout), (Some(ScopeManager::User), false));
    }

    #[test]
    fn root_below_systemd_has_a_scope_of_the_system_and_another_user_none() {
        let service = on_systemd("/system.slice/agent.service");
        let root = place(&PlaceFacts { is_root: true, ..service.clone() });
        assert_eq!((root.manager, root.survives_logout), (Some(ScopeManager::System), true));
        let user = place(&service);
        assert_eq!((user.manager, user.survives_logout), (None, false));
    }

    #[test]
    fn root_has_a_scope_of_the_system_also_from_a_login_session() {
        let session = on_systemd("/user.slice/user-0.slice/session-3.scope");
        let chosen = place(&PlaceFacts { is_root: true, has_user_manager: true, lingers: true, ..session });
        assert_eq!((chosen.manager, chosen.survives_logout), (Some(ScopeManager::System), true));
    }

    #[test]
    fn without_systemd_the_supervisor_stays() {
        assert_eq!(place(&PlaceFacts::default()).manager, None);
        // A container sees its own root.
        assert_eq!(place(&on_systemd("/")).manager, None);
    }

    #[test]
    fn the_group_is_that_of_the_unified_hierarchy_or_of_systemd() {
        assert_eq!(cgroup_of("0::/user.slice/a.scope\n"), "/user.slice/a.scope");
        assert_eq!(cgroup_of("4:memory:/x\n1:name=systemd:/y\n0::/\n"), "/y");
        assert_eq!(cgroup_of(""), "/");
    }

    #[test]
    fn the_words_of_a_scope_name_its_manager() {
        assert!(scope_words(ScopeManager::User, "d1").contains(&"--user".to_owned()));
        assert!(!scope_words(ScopeManager::System, "d1").contains(&"--user".to_owned()));
    }
}
