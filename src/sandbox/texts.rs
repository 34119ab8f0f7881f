//! Sentences for people and models.

use std::io;
use std::path::{Path, PathBuf};

use super::network::allow::AllowedDestination;
use super::plan::defaults::SYSTEM;
use super::plan::hardlinks::HardLink;
use super::plan::sockets::SocketKind;
use super::plan::{Level, NetworkMode, Part, SandboxPlan, Source};
use super::protocol::intercept::messages::RequestRefusal;
use super::protocol::report::{NoNetwork, RefusalReason, SandboxFailure, SandboxRefusal, SandboxStep};
use crate::process::directory::temporary::large_directories;
use crate::process::errno::Errno;

/// The largest number of paths that a text names.
const MAX_NAMED: usize = 8;

/// Returns the text of an error for a protected file with a second name.
#[must_use]
pub fn hard_link(found: &HardLink) -> String {
    let path = found.path.display();
    match &found.other {
        Some(other) => {
            format!("'{path}' can't be protected: '{}' is a hard link to the same file.", other.display())
        }
        None => format!("'{path}' can't be protected: it has another name (a hard link) that was not found."),
    }
}

/// The remedy that each machine has.
pub const WEAKER: &str = "accept less with onUnavailable: 'weaker'";

/// Returns the text of an error for parts that this machine lacks, with the reasons why no better mechanism
/// works.
#[must_use]
pub fn missing_parts(level: Level, missing: &[Part], reasons: &[String]) -> String {
    let names: Vec<&str> = missing.iter().map(|part| part.name()).collect();
    let lacks = format!("it would lack {}. Accept less with onUnavailable: 'weaker'", names.join(", "));
    unavailable(level, &reasons.iter().cloned().chain([lacks]).collect::<Vec<_>>().join("; "))
}

/// Returns the reason why a machine without a writable directory has no sandboxes, without a full stop.
#[must_use]
pub fn no_directory(error: &io::Error) -> String {
    let parents: Vec<String> =
        large_directories().iter().map(|parent| parent.display().to_string()).collect();
    format!("no private directory can be made in any of {}: {error}", parents.join(", "))
}

/// Returns the text of an error for a sandbox that can't be built.
#[must_use]
pub fn unavailable(level: Level, reason: &str) -> String {
    format!(
        "The sandbox '{}' can't be built on this machine: {reason}. The command did not run.",
        level.name()
    )
}

/// The reason why a home is read-only although other mounts work.
pub const NO_OVERLAY: &str = "the kernel mounts no overlay over the home, which is read-only then. In a container, make /var/tmp a volume or a tmpfs";

/// The reason why a host in a sandbox has no better mechanism.
pub const INSIDE: &str =
    "Node.js itself runs in a sandbox of agent-bash, in which another one is enforced by Landlock at most";

/// The reason on other systems.
pub const LINUX_ONLY: &str = "this version has sandboxes on Linux only";

/// The machine's settings for user namespaces.
#[expect(clippy::struct_excessive_bools, reason = "each is a setting of its own")]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct KernelSettings {
    /// `kernel.apparmor_restrict_unprivileged_userns` is 1.
    pub apparmor_restricts: bool,
    /// `user.max_user_namespaces` is 0, or `kernel.unprivileged_userns_clone` is 0.
    pub has_no_user_namespaces: bool,
    /// This process has a filter of system calls.
    pub is_filtered: bool,
    /// The version of Linux is below 5.12.
    pub is_old: bool,
}

/// Returns the reason for a failure, and what to do, without a full stop.
#[must_use]
pub fn reason(failure: &SandboxFailure, settings: KernelSettings, release: &str) -> String {
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
        SandboxStep::Namespaces if settings.is_filtered && !settings.has_no_user_namespaces => {
            "a filter of system calls (seccomp) forbids new namespaces, as Docker's default profile does. Start the container with \
             `--security-opt seccomp=unconfined`, or with a profile that allows them"
                .to_owned()
        }
        SandboxStep::Namespaces | SandboxStep::IdMap => {
            "user namespaces are switched off (user.max_user_namespaces=0, or the container's seccomp profile)".to_owned()
        }
        SandboxStep::Proc => "a new /proc can't be mounted in this container. Start it with `--security-opt unmask=ALL` (podman) or \
             `--security-opt systempaths=unconfined` (docker)"
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
    /// Returns the action of the step, for an error.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Plan => "starting the helper",
            Self::Stub => "making a stub",
            Self::Namespaces => "making namespaces",
            Self::Overlay => "mounting the overlay",
            Self::IdMap => "mapping ids",
            Self::Loopback => "starting the loopback interface",
            Self::Listen => "opening listeners",
            Self::ReadOnly => "making mounts read-only",
            Self::Source => "copying a mount",
            Self::Root => "making the root directory",
            Self::Devices => "making /dev",
            Self::Place => "attaching a mount",
            Self::File => "attaching the files of credentials",
            Self::Socket => "attaching a socket",
            Self::Names => "setting the name server",
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

/// Returns the text of an error for a socket that could not be attached.
#[must_use]
pub fn socket_failure(failure: &SandboxFailure) -> String {
    let errno = failure.errno.name();
    match &failure.path {
        Some(path) if failure.errno == Errno::STALE => {
            format!("'{}' was replaced by another file. The command did not run.", path.display())
        }
        Some(path) => format!("'{}' can't be attached: {errno}. The command did not run.", path.display()),
        None => format!("The relay to the agent of ssh can't be served: {errno}. The command did not run."),
    }
}

impl SocketKind {
    /// Returns what the server of a socket does for a command.
    #[must_use]
    pub const fn gives(self) -> &'static str {
        match self {
            Self::SshAgent => "lists keys and signs",
            Self::GpgAgent => "signs and decrypts",
            Self::Docker => "root on the host",
            Self::Path => "whatever its server does",
        }
    }
}

/// Returns the sentence that tells a model to which sockets outside its commands can connect.
fn sockets(listed: &[String]) -> String {
    if listed.is_empty() {
        return String::new();
    }
    let listed = listed.iter().map(|entry| format!("{entry} ({})", SocketKind::of(entry).gives()));
    format!(" They can connect to these sockets of the host: {}.", named(listed, " and "))
}

/// Returns the paragraph that tells a model what its commands may do. `root` is the workspace, and `listed`
/// are the sockets of the option.
#[must_use]
pub fn for_model(plan: &SandboxPlan, root: &Path, listed: &[String]) -> String {
    let network = match plan.network {
        NetworkMode::Off => "There is no network.".to_owned(),
        NetworkMode::Loopback => "There is no network but servers on this machine.".to_owned(),
        NetworkMode::Allow => allowed(&plan.allowed, plan.asks),
        NetworkMode::On => "The network can be used.".to_owned(),
    };
    format!(
        "Commands run in a sandbox: {}. {network}{}{} 'Read-only file system', 'Permission denied', 'Operation not permitted', \
         'Device or resource busy' on other paths are this sandbox: don't retry with sudo or chmod; say what you need.",
        writes(plan, root),
        sockets(listed),
        reads(plan),
    )
}

fn allowed(hosts: &[AllowedDestination], asks: bool) -> String {
    let listed = named(hosts.iter(), " and ");
    match (hosts.is_empty(), asks) {
        (true, false) => "There is no network.".to_owned(),
        (false, false) => format!("The network reaches {listed} alone."),
        (true, true) => format!("{ASKED} each host of the network."),
        (false, true) => format!("The network reaches {listed}. {ASKED} each other host."),
    }
}

/// The beginning of a sentence for a model.
const ASKED: &str = "The user is asked, while the command waits, about";

/// Describes where a command can write, the workspace first.
fn writes(plan: &SandboxPlan, root: &Path) -> String {
    if plan.level == Level::ReadOnly {
        return "they can write below /tmp alone, which they have for themselves".to_owned();
    }
    let writable = plan.places.iter().filter(|place| !matches!(place.source, Source::Overlay { .. }));
    let mut writable: Vec<&Path> = writable.map(|place| place.path.as_path()).collect();
    writable.sort_by_key(|path| *path != root);
    let protected =
        plan.protected.iter().map(PathBuf::as_path).chain(plan.stubs.iter().map(|stub| stub.path.as_path()));
    let protected = named(protected.map(|path| path.strip_prefix(root).unwrap_or(path).display()), ", ");
    let except = if protected.is_empty() { String::new() } else { format!(", not in {protected}") };
    format!("they can write below {}{except}", named(writable.into_iter().map(Path::display), " and "))
}

/// Describes the limits of reading, and the home.
fn reads(plan: &SandboxPlan) -> String {
    let has_private_home = plan.places.iter().any(|place| matches!(place.source, Source::Overlay { .. }));
    match &plan.readable {
        Some(readable) => {
            let is_system = |path: &&Path| SYSTEM.iter().any(|system| *path == Path::new(system));
            let visible = readable.iter().map(PathBuf::as_path).filter(|path| !is_system(path));
            let visible = named(visible.map(Path::display), ", ");
            let more = if visible.is_empty() { String::new() } else { format!(", {visible}") };
            format!(
                " They can read programs of the system{more} and these paths, and the home is empty at first."
            )
        }
        None if has_private_home => " What they write in the home stays in the sandbox.".to_owned(),
        None => String::new(),
    }
}

/// Names some paths or hosts. `last` separates the last two.
fn named(values: impl Iterator<Item = impl ToString>, last: &str) -> String {
    let mut names: Vec<String> = values.map(|value| value.to_string()).collect();
    if names.len() > MAX_NAMED {
        let more = format!("{} more", names.len() - MAX_NAMED);
        names.truncate(MAX_NAMED);
        return format!("{} and {more}", names.join(", "));
    }
    match names.pop() {
        Some(name) if names.is_empty() => name,
        Some(name) => format!("{}{last}{name}", names.join(", ")),
        None => String::new(),
    }
}

/// Returns the remark about what the sandbox of a failed command has refused; `None` if that is nothing.
#[must_use]
pub fn refusals(refused: &[SandboxRefusal]) -> Option<String> {
    let mut texts: Vec<String> = refused.iter().map(refusal).collect();
    texts.dedup();
    let more = texts.len().saturating_sub(MAX_NAMED);
    texts.truncate(MAX_NAMED);
    if texts.is_empty() {
        return None;
    }
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    Some(format!("refused by the sandbox: {}{more}", texts.join(", ")))
}

/// Describes a refusal and its reason.
#[must_use]
pub fn refusal(refusal: &SandboxRefusal) -> String {
    match refusal {
        SandboxRefusal::Network { host, port, reason } => {
            let reason = match reason {
                RefusalReason::NotLoopback => "not on this machine",
                RefusalReason::NotAllowed => "not in the list of allowed hosts",
                RefusalReason::PrivateAddress => {
                    "has a private address, which is not in the list of allowed hosts"
                }
                RefusalReason::Unanswered => "nobody answered within 60 s",
                RefusalReason::Declined => "declined",
                RefusalReason::OtherName => {
                    "its rules are for this name, and the client asked for another one"
                }
            };
            if host.contains(':') {
                format!("[{host}]:{port} ({reason})")
            } else {
                format!("{host}:{port} ({reason})")
            }
        }
        SandboxRefusal::Request { host, port, method, path, reason } => {
            let port = if *port == 443 { String::new() } else { format!(":{port}") };
            format!("{method} {path} at {host}{port} ({})", request_reason(*reason))
        }
        SandboxRefusal::NoNetwork { reason: NoNetwork::Unreachable } => "the network (it is off)".to_owned(),
        SandboxRefusal::NoNetwork { reason: NoNetwork::NoServer } => {
            "servers outside of it (the network is off, and no server of the sandbox itself answered)"
                .to_owned()
        }
        SandboxRefusal::Name { host } => format!("the name {host} (not in the list of allowed hosts)"),
        SandboxRefusal::Socket { path } => {
            format!("{} (a socket outside of the writable paths)", path.display())
        }
    }
}

/// Says why rules refuse a request.
#[must_use]
pub const fn request_reason(reason: RequestRefusal) -> &'static str {
    match reason {
        RequestRefusal::NotInRules => "not in its rules",
        RequestRefusal::AmbiguousPath => "its path has dot segments, encoded slashes, '\\' or '//'",
        RequestRefusal::AmbiguousMethod => "its query names a method",
        RequestRefusal::OtherHost => "it names another host",
        RequestRefusal::Trace => "TRACE repeats headers",
        RequestRefusal::NotEncrypted => "its credential is sent without TLS only with plain: true",
        RequestRefusal::Upgrade => "its messages can't be searched. Use responses: 'unchecked'",
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{
        KernelSettings, RefusalReason, SandboxFailure, SandboxRefusal, SandboxStep, for_model, missing_parts,
        reason, refusals,
    };
    use crate::process::errno::Errno;
    use crate::sandbox::plan::{Level, Part, Place, SandboxPlan, Source, Stub, Tier};

    /// Returns the paragraph for a plan over `/work/project`, with everything that it can name.
    fn paragraph(level: Level, readable: Option<Vec<&str>>) -> String {
        let place = |path: &str, source| Place { path: path.into(), source };
        let overlay = Source::Overlay { upper: "/u".into(), work: "/w".into() };
        let plan = SandboxPlan {
            readable: readable.map(|paths| paths.into_iter().map(Into::into).collect()),
            places: vec![
                place("/tmp", Source::Memory(1)),
                place("/home/u", overlay),
                place("/work/project", Source::Host),
            ],
            protected: vec!["/work/project/.git/config".into()],
            stubs: vec![Stub { path: "/work/project/memo".into(), content: None }],
            ..SandboxPlan::of(level, Tier::Namespaces)
        };
        for_model(&plan, Path::new("/work/project"), &["ssh-agent".to_owned(), "docker".to_owned()])
    }

    #[test]
    fn a_model_reads_where_it_can_write_and_what_an_error_means() {
        let expected = "Commands run in a sandbox: they can write below /work/project and /tmp, not in .git/config, memo. \
                        There is no network. They can connect to these sockets of the host: \
                        ssh-agent (lists keys and signs) and docker (root on the host). What they write in the home stays in the sandbox. \
                        'Read-only file system', 'Permission denied', 'Operation not permitted', \
                        'Device or resource busy' on other paths are this sandbox: don't retry with sudo or chmod; \
                        say what you need.";
        assert_eq!(paragraph(Level::WorkspaceWrite, None), expected);
    }

    #[test]
    fn a_model_reads_what_is_visible_in_isolation() {
        let text = paragraph(Level::Isolated, Some(vec!["/usr", "/data"]));
        assert!(text.contains("They can read programs of the system, /data and these paths"), "{text}");
    }

    #[test]
    fn a_model_that_may_only_read_writes_nothing_but_tmp() {
        let text = paragraph(Level::ReadOnly, None);
        assert!(text.starts_with("Commands run in a sandbox: they can write below /tmp alone,"), "{text}");
    }

    fn failure(step: SandboxStep) -> SandboxFailure {
        SandboxFailure { step, errno: Errno(libc::EPERM), path: None }
    }

    #[test]
    fn a_reason_names_the_setting_and_the_remedy() {
        let text = |step, settings| reason(&failure(step), settings, "6.1");
        let restricted = KernelSettings { apparmor_restricts: true, ..KernelSettings::default() };
        assert!(text(SandboxStep::IdMap, restricted).contains("AppArmor profile"));
        assert!(text(SandboxStep::Namespaces, KernelSettings::default()).contains("max_user_namespaces"));
        let filtered = KernelSettings { is_filtered: true, ..KernelSettings::default() };
        assert!(text(SandboxStep::Namespaces, filtered).contains("--security-opt seccomp=unconfined"));
        let off = KernelSettings { has_no_user_namespaces: true, ..filtered };
        assert!(text(SandboxStep::Namespaces, off).contains("max_user_namespaces=0"));
        assert!(text(SandboxStep::Proc, KernelSettings::default()).contains("unmask=ALL"));
        assert!(
            text(SandboxStep::Proc, KernelSettings { is_old: true, ..KernelSettings::default() })
                .contains("6.1 is too old")
        );
        assert_eq!(text(SandboxStep::Devices, KernelSettings::default()), "making /dev failed: EPERM");
    }

    #[test]
    fn missing_parts_are_named_after_their_reasons() {
        let expected = "The sandbox 'read-only' can't be built on this machine: no luck; it would lack tmp, home. \
                        Accept less with onUnavailable: 'weaker'. The command did not run.";
        let text = missing_parts(Level::ReadOnly, &[Part::Tmp, Part::Home], &["no luck".to_owned()]);
        assert_eq!(text, expected);
    }

    #[test]
    fn refusals_are_named_once() {
        assert_eq!(refusals(&[]), None);
        let network =
            |host: &str, reason| SandboxRefusal::Network { host: host.to_owned(), port: 443, reason };
        let refused = [
            SandboxRefusal::Socket { path: "/run/docker.sock".into() },
            network("192.0.2.1", RefusalReason::NotLoopback),
            network("192.0.2.1", RefusalReason::NotLoopback),
            network("evil.example", RefusalReason::NotAllowed),
            SandboxRefusal::Name { host: "evil.example".to_owned() },
        ];
        let expected = "refused by the sandbox: /run/docker.sock (a socket outside of the writable paths), \
                        192.0.2.1:443 (not on this machine), evil.example:443 (not in the list of allowed hosts), \
                        the name evil.example (not in the list of allowed hosts)";
        assert_eq!(refusals(&refused).as_deref(), Some(expected));
    }
}
