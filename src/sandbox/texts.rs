//! Sentences for people and models.

use std::path::{Path, PathBuf};

use super::plan::hardlinks::SecondName;
use super::plan::{Level, NetworkMode, Part, SandboxPlan, Source};
use super::protocol::report::{Failure, Refusal, SandboxStep};

/// The largest number of paths that a text names.
const MAX_NAMED: usize = 8;

/// Returns the text of an error for a protected file with a second name.
#[must_use]
pub fn second_name(found: &SecondName) -> String {
    let path = found.path.display();
    match &found.other {
        Some(other) => {
            format!("'{path}' can't be protected: '{}' is a hard link to the same file.", other.display())
        }
        None => format!("'{path}' can't be protected: it has another name (a hard link) that was not found."),
    }
}

/// Returns the text of an error for parts that this machine can't do.
#[must_use]
pub fn missing_parts(level: Level, missing: &[Part]) -> String {
    let names: Vec<&str> = missing.iter().map(|part| part.name()).collect();
    unavailable(
        level,
        &format!("it would lack {}. Accept less with onUnavailable: 'weaker'", names.join(", ")),
    )
}

/// Returns the text of an error for a sandbox that can't be built.
#[must_use]
pub fn unavailable(level: Level, reason: &str) -> String {
    format!(
        "The sandbox '{}' can't be built on this machine: {reason}. The command did not run.",
        level.name()
    )
}

/// What the machine says about user namespaces.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    /// `kernel.apparmor_restrict_unprivileged_userns` is 1.
    pub apparmor_restricts: bool,
    /// `user.max_user_namespaces` is 0, or `kernel.unprivileged_userns_clone` is 0.
    pub has_no_user_namespaces: bool,
    /// The version of Linux is below 5.12.
    pub is_old: bool,
}

/// Returns the reason for a failure, and what to do, without a full stop.
#[must_use]
pub fn reason(failure: &Failure, settings: Settings, release: &str) -> String {
    let errno = failure.errno.name();
    match failure.step {
        _ if settings.is_old => format!("Linux {release} is too old; 5.12 is needed"),
        SandboxStep::Namespaces | SandboxStep::IdMap | SandboxStep::Loopback | SandboxStep::ReadOnly
            if settings.apparmor_restricts =>
        {
            "the system forbids user namespaces to programs without a profile \
             (kernel.apparmor_restrict_unprivileged_userns=1). Install the AppArmor profile of docs/sandbox.md, or set the \
             sysctl to 0"
                .to_owned()
        }
        SandboxStep::Namespaces | SandboxStep::IdMap => {
            "user namespaces are switched off (user.max_user_namespaces=0, or the container's seccomp profile)".to_owned()
        }
        SandboxStep::Proc => "a new /proc can't be mounted in this container. Start it with `--security-opt unmask=ALL` (podman) or \
             `--security-opt systempaths=unconfined` (docker), or accept less with onUnavailable: 'weaker'"
            .to_owned(),
        SandboxStep::Landlock => format!("this kernel's Landlock is missing or too old ({errno})"),
        step => match &failure.path {
            Some(path) => format!("{} failed at '{}': {errno}", step.name(), path.display()),
            None => format!("{} failed: {errno}", step.name()),
        },
    }
}

impl Level {
    /// Returns the name that JavaScript uses.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::ReadOnly => "read-only",
            Self::WorkspaceWrite => "workspace-write",
            Self::Isolated => "isolated",
        }
    }
}

impl SandboxStep {
    /// Returns what the step does, for an error.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Plan => "starting the helper",
            Self::Stub => "making a stub",
            Self::Namespaces => "making namespaces",
            Self::IdMap => "mapping ids",
            Self::Loopback => "starting the loopback interface",
            Self::ReadOnly => "making mounts read-only",
            Self::Source => "copying a mount",
            Self::Root => "making the root directory",
            Self::Devices => "making /dev",
            Self::Place => "attaching a mount",
            Self::Protect => "protecting a path",
            Self::Hide => "hiding a path",
            Self::Fork => "starting a process",
            Self::Proc => "mounting /proc",
            Self::Descriptors => "placing descriptors",
            Self::Directory => "entering the working directory",
            Self::Limits => "setting limits",
            Self::Capabilities => "dropping capabilities",
            Self::Landlock => "restricting by Landlock",
            Self::Seccomp => "installing the filter of system calls",
            Self::Execute => "executing the program",
        }
    }
}

/// Returns the paragraph that tells a model where it is.
#[must_use]
pub fn for_model(plan: &SandboxPlan) -> String {
    let writable = plan.places.iter().filter(|place| !matches!(place.source, Source::Overlay { .. }));
    let writable = named(writable.map(|place| place.path.as_path()));
    let protected =
        plan.protected.iter().map(PathBuf::as_path).chain(plan.stubs.iter().map(|stub| stub.path.as_path()));
    let root =
        plan.places.iter().rev().find(|place| place.source == Source::Host).map(|place| place.path.as_path());
    let short =
        |path: &'_ Path| root.and_then(|root| path.strip_prefix(root).ok()).unwrap_or(path).to_owned();
    let protected: Vec<_> = protected.map(short).collect();
    let protected = named(protected.iter().map(PathBuf::as_path));
    let except = if protected.is_empty() { String::new() } else { format!(", not in {protected}") };
    let network = match plan.network {
        NetworkMode::Off => "There is no network.",
        NetworkMode::Loopback => "There is no network but servers on this machine.",
        NetworkMode::On => "The network can be used.",
    };
    format!(
        "Commands run in a sandbox: you can write below {writable}{except}. {network} 'Read-only file system', 'Permission \
         denied', 'Operation not permitted', 'Device or resource busy' on other paths are this sandbox: don't retry with sudo \
         or chmod; say what you need."
    )
}

/// Names some paths.
fn named<'a>(paths: impl Iterator<Item = &'a Path>) -> String {
    let names: Vec<String> = paths.map(|path| path.display().to_string()).collect();
    let more = names.len().saturating_sub(MAX_NAMED);
    let first = names.into_iter().take(MAX_NAMED).collect::<Vec<_>>().join(", ");
    if more > 0 { format!("{first} and {more} more") } else { first }
}

/// Returns the line that ends an answer about a failed command; `None` if nothing was refused.
#[must_use]
pub fn refusals(refused: &[Refusal]) -> Option<String> {
    let mut texts: Vec<String> = refused.iter().map(refusal).collect();
    texts.dedup();
    let more = texts.len().saturating_sub(MAX_NAMED);
    texts.truncate(MAX_NAMED);
    if texts.is_empty() {
        return None;
    }
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    Some(format!("Refused by the sandbox: {}{more}.", texts.join(", ")))
}

fn refusal(refusal: &Refusal) -> String {
    match refusal {
        Refusal::Network { host, port } if host.contains(':') => {
            format!("[{host}]:{port} (not on this machine)")
        }
        Refusal::Network { host, port } => format!("{host}:{port} (not on this machine)"),
        Refusal::Socket { path } => format!("{} (a socket outside of the writable paths)", path.display()),
    }
}

#[cfg(test)]
mod tests {
    use super::{Failure, Refusal, SandboxStep, Settings, reason, refusals};
    use crate::process::errno::Errno;

    fn failure(step: SandboxStep) -> Failure {
        Failure { step, errno: Errno(libc::EPERM), path: None }
    }

    #[test]
    fn a_reason_names_the_setting_and_the_remedy() {
        let text = |step, settings| reason(&failure(step), settings, "6.1");
        let restricted = Settings { apparmor_restricts: true, ..Settings::default() };
        assert!(text(SandboxStep::IdMap, restricted).contains("AppArmor profile"));
        assert!(text(SandboxStep::Namespaces, Settings::default()).contains("max_user_namespaces"));
        assert!(text(SandboxStep::Proc, Settings::default()).contains("unmask=ALL"));
        assert!(
            text(SandboxStep::Proc, Settings { is_old: true, ..Settings::default() })
                .contains("6.1 is too old")
        );
        assert_eq!(text(SandboxStep::Devices, Settings::default()), "making /dev failed: EPERM");
    }

    #[test]
    fn refusals_end_an_answer() {
        assert_eq!(refusals(&[]), None);
        let refused = [
            Refusal::Socket { path: "/run/docker.sock".into() },
            Refusal::Network { host: "192.0.2.1".to_owned(), port: 443 },
            Refusal::Network { host: "192.0.2.1".to_owned(), port: 443 },
        ];
        let expected = "Refused by the sandbox: /run/docker.sock (a socket outside of the writable paths), 192.0.2.1:443 (not on this machine).";
        assert_eq!(refusals(&refused).as_deref(), Some(expected));
    }
}
