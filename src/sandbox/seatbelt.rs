//! The profile for macOS (`/usr/bin/sandbox-exec`), as text. It follows the documentation and has never run.
//!
//! Paths are parameters (`-D NAME=path`), never part of the text, so no path can change the profile.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::plan::{NetworkMode, SandboxPlan, Source};

/// The rules of every plan. No system profile is imported.
const ALWAYS: &str = "(version 1)
(deny default)
(allow process-exec)
(allow process-fork)
(allow signal (target same-sandbox))
(allow process-info* (target same-sandbox))
(allow sysctl-read)
(allow mach-lookup
  (global-name \"com.apple.system.opendirectoryd.libinfo\")
  (global-name \"com.apple.system.notification_center\")
  (global-name \"com.apple.system.logger\")
  (global-name \"com.apple.trustd.agent\"))
(allow file-write* (literal \"/dev/null\") (literal \"/dev/zero\") (literal \"/dev/tty\") (regex #\"^/dev/ttys[0-9]+$\"))
(allow file-ioctl (literal \"/dev/tty\") (regex #\"^/dev/ttys[0-9]+$\"))
(allow file-read* (literal \"/\"))
(allow system-socket (socket-domain AF_UNIX))
";

/// The paths of the system that an isolated command reads.
const SYSTEM: [&str; 10] = [
    "/System", "/usr", "/bin", "/sbin", "/Library", "/opt", "/private/etc", "/private/var/db",
    "/private/var/select", "/dev",
];

/// Links to directories of the system, which paths of programs begin with.
const LINKS: [&str; 3] = ["/etc", "/tmp", "/var"];

/// The socket by which programs look names up.
const NAMES: &str = "/private/var/run/mDNSResponder";

/// The arguments of `sandbox-exec` before the command.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Profile {
    text: String,
    parameters: Vec<(String, PathBuf)>,
}

/// Makes the profile of a plan. It can't have a private `/tmp`, a private home and a process table, which are
/// in the list of missing parts.
#[must_use]
pub fn profile(plan: &SandboxPlan) -> Profile {
    let mut profile = Profile { text: ALWAYS.to_owned(), parameters: Vec::new() };
    match &plan.readable {
        None => profile.line("(allow file-read*)"),
        Some(readable) => {
            let own = plan.places.iter().filter_map(|place| writable(&place.source, &place.path));
            let system = SYSTEM.iter().map(Path::new);
            let paths: Vec<&Path> = system.chain(readable.iter().map(PathBuf::as_path)).chain(own).collect();
            // A path can be opened only if the metadata of its parents can be read.
            let parents = paths.iter().flat_map(|path| path.ancestors().skip(1));
            let parents: BTreeSet<&Path> = parents.chain(LINKS.map(Path::new)).collect();
            for parent in parents {
                profile.rule("allow file-read-metadata", "literal", parent);
            }
            for path in paths {
                profile.rule("allow file-read*", "subpath", path);
            }
        }
    }
    let writable: Vec<&Path> =
        plan.places.iter().filter_map(|place| writable(&place.source, &place.path)).collect();
    for path in &writable {
        profile.rule("allow file-write*", "subpath", path);
    }
    profile.network(plan.network, &writable);
    // The last matching rule wins, so denials come last.
    let protected = plan.protected.iter().chain(plan.stubs.iter().map(|stub| &stub.path));
    for path in protected {
        profile.rule("deny file-write*", "subpath", path);
        let parents = path
            .ancestors()
            .skip(1)
            .take_while(|parent| writable.iter().any(|place| parent.starts_with(place) && parent != place));
        for parent in parents {
            profile.rule("deny file-write-unlink", "literal", parent);
        }
    }
    for path in &plan.hidden {
        profile.rule("deny file-read*", "subpath", path);
        profile.rule("deny file-write*", "subpath", path);
    }
    profile
}

/// Returns the directory of the host that gets the writes of a place.
fn writable<'a>(source: &'a Source, path: &'a Path) -> Option<&'a Path> {
    match source {
        Source::Host => Some(path),
        Source::Directory(directory) => Some(directory),
        Source::Memory(_) | Source::Overlay { .. } => None,
    }
}

impl Profile {
    /// Returns the arguments: the profile, and a definition for each path.
    #[must_use]
    pub fn arguments(&self) -> Vec<String> {
        let definitions = self
            .parameters
            .iter()
            .flat_map(|(name, path)| ["-D".to_owned(), format!("{name}={}", path.display())]);
        ["-p".to_owned(), self.text.clone()].into_iter().chain(definitions).collect()
    }

    fn line(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
    }

    /// Adds a rule about a path.
    fn rule(&mut self, rule: &str, filter: &str, path: &Path) {
        let name = self.parameter(path);
        self.line(&format!("({rule} ({filter} (param \"{name}\")))"));
    }

    fn parameter(&mut self, path: &Path) -> String {
        if let Some((name, _)) = self.parameters.iter().find(|(_, known)| known == path) {
            return name.clone();
        }
        let name = format!("PATH_{}", self.parameters.len());
        self.parameters.push((name.clone(), path.to_owned()));
        name
    }

    fn network(&mut self, network: NetworkMode, writable: &[&Path]) {
        match network {
            NetworkMode::Off | NetworkMode::Allow => {}
            NetworkMode::Loopback => {
                self.line("(allow network-bind network-inbound (local ip \"localhost:*\"))");
                self.line("(allow network-outbound (remote ip \"localhost:*\"))");
            }
            NetworkMode::On => {
                self.line("(allow network-bind network-inbound (local ip))");
                self.line("(allow network-outbound (remote ip))");
                self.line(&format!("(allow network-outbound (remote unix-socket (literal \"{NAMES}\")))"));
            }
        }
        // A connection to a UNIX socket is no operation on a file there.
        for path in writable {
            let name = self.parameter(path);
            self.line(&format!("(allow network-bind (local unix-socket (subpath (param \"{name}\"))))"));
            self.line(&format!("(allow network-outbound (remote unix-socket (subpath (param \"{name}\"))))"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::profile;
    use crate::sandbox::plan::{Level, NetworkMode, Place, SandboxPlan, Source, Tier};

    fn plan() -> SandboxPlan {
        SandboxPlan {
            level: Level::WorkspaceWrite,
            tier: Tier::Namespaces,
            needs_landlock: true,
            readable: None,
            places: vec![
                Place { path: "/tmp".into(), source: Source::Directory("/private/var/t".into()) },
                Place { path: "/r".into(), source: Source::Host },
            ],
            protected: vec!["/r/a/b\") (allow default) (\"".into()],
            stubs: Vec::new(),
            hidden: vec!["/h/.ssh".into()],
            network: NetworkMode::Off,
            allowed: Vec::new(),
            journal: None,
            overlay: None,
        }
    }

    /// Returns the rules with the paths in place of their parameters.
    fn rules(plan: &SandboxPlan) -> Vec<String> {
        let profile = profile(plan);
        let resolve = |line: &str| {
            profile.parameters.iter().rev().fold(line.to_owned(), |line, (name, path)| {
                line.replace(&format!("(param \"{name}\")"), &path.display().to_string())
            })
        };
        profile.text.lines().map(resolve).collect()
    }

    #[test]
    fn no_path_is_part_of_the_text() {
        assert!(!profile(&plan()).text.contains("allow default"));
        assert!(profile(&plan()).arguments().contains(&"PATH_1=/r".to_owned()));
    }

    #[test]
    fn what_is_denied_comes_after_what_is_allowed() {
        let plan = SandboxPlan { protected: vec!["/r/a/b".into()], ..plan() };
        let rules = rules(&plan);
        let at = |rule: &str| {
            rules.iter().position(|line| line == rule).unwrap_or_else(|| panic!("{rule}: {rules:#?}"))
        };
        assert!(at("(allow file-write* (subpath /r))") < at("(deny file-write* (subpath /r/a/b))"));
        assert!(at("(allow file-read*)") < at("(deny file-read* (subpath /h/.ssh))"));
        at("(deny file-write-unlink (literal /r/a))");
        at("(allow file-write* (subpath /private/var/t))");
        assert!(!rules.contains(&"(deny file-write-unlink (literal /r))".to_owned()));
    }

    #[test]
    fn an_isolated_command_reads_what_is_listed() {
        let plan = SandboxPlan { readable: Some(vec!["/v".into()]), ..plan() };
        let rules = rules(&plan);
        assert!(!rules.contains(&"(allow file-read*)".to_owned()));
        for path in ["/usr", "/v", "/r", "/private/var/t"] {
            assert!(rules.contains(&format!("(allow file-read* (subpath {path}))")), "{path}");
        }
        assert!(!rules.contains(&"(allow file-read-metadata)".to_owned()), "of parents alone");
        for parent in ["/", "/private/var", "/var"] {
            assert!(rules.contains(&format!("(allow file-read-metadata (literal {parent}))")), "{parent}");
        }
    }

    #[test]
    fn the_network_is_off_local_or_on() {
        let lines = |network| rules(&SandboxPlan { network, ..plan() }).join("\n");
        assert!(!lines(NetworkMode::Off).contains(" ip"));
        assert!(lines(NetworkMode::Loopback).contains("(remote ip \"localhost:*\")"));
        assert!(lines(NetworkMode::On).contains("(remote ip)"));
    }

    #[test]
    fn sockets_of_the_workspace_and_those_for_names_can_be_reached() {
        let lines = |network| rules(&SandboxPlan { network, ..plan() }).join("\n");
        for rule in [
            "network-bind (local unix-socket (subpath /r))",
            "network-outbound (remote unix-socket (subpath /r))",
        ] {
            assert!(lines(NetworkMode::Off).contains(rule), "{rule}");
        }
        assert!(!lines(NetworkMode::Loopback).contains("mDNSResponder"));
        assert!(lines(NetworkMode::On).contains("mDNSResponder"));
    }
}
