//! Escalation: a model's request for more than the sandbox of a command gives, and the host's grant.
//!
//! Hosts and paths are resolved before a person is asked, so that the person reads what the grant would
//! allow: the target of a link, and not its name. [`texts`] has the sentences.

pub mod texts;

use std::net::IpAddr;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::sandbox::network::allow::{self, AllowedDestination};
use crate::sandbox::options::{GrantedPaths, Network, SandboxOptions, UsualNetwork};
use crate::sandbox::plan::Level;
use crate::sandbox::plan::make::{PlanError, outline};
use crate::sandbox::plan::paths::{BasePaths, absolute, real};

/// The extra rights of a command beyond its sandbox, with the names of the options.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct ExtraRights {
    /// Whether the command runs without a sandbox.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub unsandboxed: bool,
    /// The network access in addition to that of the sandbox.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub network: Option<Network>,
    /// Further writable paths.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub writable: Vec<String>,
    /// Further readable paths, at the level `isolated`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub visible: Vec<String>,
}

/// The values of the options that a grant changes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct WidenedOptions {
    network: Network,
    granted: GrantedPaths,
}

/// A sandbox, and the directories to which its paths are relative.
#[derive(Clone, Copy, Debug)]
pub struct EscalationLimits<'a> {
    pub options: &'a SandboxOptions,
    /// The workspace.
    pub root: &'a Path,
    /// The home directory, if HOME is set.
    pub home: Option<&'a Path>,
}

impl ExtraRights {
    /// Parses a grant of the host, which is JSON.
    ///
    /// # Errors
    ///
    /// The mistake in the grant, as text for people.
    pub fn parse(json: &str) -> Result<Self, String> {
        serde_json::from_str(json)
            .map_err(|error| error.to_string().split(" at line ").next().unwrap_or_default().to_owned())
    }

    /// Returns whether there are no extra rights.
    #[must_use]
    pub fn is_nothing(&self) -> bool {
        *self == Self::default()
    }

    /// Resolves the hosts and paths, and leaves out what the sandbox gives already.
    ///
    /// # Errors
    ///
    /// The part that can't be granted: an invalid host, a path that does not exist, a directory above the
    /// home.
    pub fn beyond(&self, limits: EscalationLimits<'_>) -> Result<Self, String> {
        self.resolved(limits, Following::Links)
    }

    /// Resolves a grant of the host as [`ExtraRights::beyond`] does a request, except that its paths are used
    /// as they are: after the host has seen a path, a command may put a link there.
    ///
    /// # Errors
    ///
    /// As of [`ExtraRights::beyond`], and a path with a symbolic link.
    pub fn as_granted(&self, limits: EscalationLimits<'_>) -> Result<Self, String> {
        self.resolved(limits, Following::Nothing)
    }

    fn resolved(&self, limits: EscalationLimits<'_>, following: Following) -> Result<Self, String> {
        if self.unsandboxed {
            return Ok(Self { unsandboxed: true, ..Self::default() });
        }
        let EscalationLimits { options, root, home } = limits;
        let writable = new_paths(&self.writable, &[&options.writable], limits, following)?;
        if options.level == Level::ReadOnly && !writable.is_empty() {
            return Err("at the level 'read-only' no path can be written".to_owned());
        }
        let visible = if options.level == Level::Isolated {
            new_paths(&self.visible, &[&options.writable, &options.visible], limits, following)?
        } else {
            Vec::new()
        };
        let network = self.network.as_ref().map(|asked| new_network(&options.network, asked)).transpose()?;
        let more = Self { unsandboxed: false, network: network.flatten(), writable, visible };
        outline(&more.added_to(options), root, home).map_err(|error| match error {
            PlanError::Option { expected, .. } => expected,
            other => other.to_string(),
        })?;
        Ok(more)
    }

    /// Returns whether these rights do not exceed `asked`. Both are resolved.
    #[must_use]
    pub fn is_within(&self, asked: &Self) -> bool {
        let is_below = |paths: &[String], asked: &[&[String]]| {
            paths.iter().all(|path| {
                asked.iter().flat_map(|list| list.iter()).any(|other| Path::new(path).starts_with(other))
            })
        };
        asked.unsandboxed
            || !self.unsandboxed
                && self.network.as_ref().is_none_or(|network| reaches(asked.network.as_ref(), network))
                && is_below(&self.writable, &[&asked.writable])
                && is_below(&self.visible, &[&asked.visible, &asked.writable])
    }

    /// Returns the options of a command with these rights, unless they are [`ExtraRights::unsandboxed`].
    #[must_use]
    pub fn widened(&self, options: &SandboxOptions) -> WidenedOptions {
        let SandboxOptions { network, granted, .. } = self.added_to(options);
        WidenedOptions { network, granted }
    }

    fn added_to(&self, options: &SandboxOptions) -> SandboxOptions {
        let paths = |paths: &[String]| paths.iter().map(PathBuf::from).collect();
        SandboxOptions {
            network: match (&options.network, &self.network) {
                (own, None) => own.clone(),
                (Network::Allow { allow }, Some(Network::Allow { allow: more })) => {
                    Network::Allow { allow: [allow.as_slice(), more].concat() }
                }
                (_, Some(more)) => more.clone(),
            },
            granted: GrantedPaths { writable: paths(&self.writable), visible: paths(&self.visible) },
            ..options.clone()
        }
    }
}

/// Whether the links of a path are followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Following {
    Links,
    Nothing,
}

/// Returns the real paths that are neither in these lists nor below the root.
fn new_paths(
    asked: &[String],
    given: &[&[String]],
    limits: EscalationLimits<'_>,
    following: Following,
) -> Result<Vec<String>, String> {
    let base = BasePaths { root: limits.root, home: limits.home };
    let given = given.iter().flat_map(|list| list.iter());
    let given: Vec<PathBuf> =
        given.filter_map(|path| real(&absolute(path, base).ok()?)).chain([limits.root.to_owned()]).collect();
    let mut new = Vec::new();
    for path in asked {
        let named = absolute(path, base)?;
        let found = real(&named).filter(|path| path.exists());
        let found = found.ok_or_else(|| format!("'{path}' does not exist"))?;
        if following == Following::Nothing && found != named {
            return Err(format!(
                "'{path}' leads elsewhere by a symbolic link: expected a path without links"
            ));
        }
        if given.iter().any(|place| found.starts_with(place)) {
            continue;
        }
        // A list of the options would read it as a pattern.
        let text = found.to_str().filter(|text| !text.contains('*'));
        new.push(text.ok_or_else(|| format!("'{path}': expected a path without '*'"))?.to_owned());
    }
    new.sort_unstable();
    new.dedup();
    Ok(new)
}

/// Returns the part of `asked` that `own` does not give; `None` for nothing.
fn new_network(own: &Network, asked: &Network) -> Result<Option<Network>, String> {
    let on = Network::Usual(UsualNetwork::On);
    match (own, asked) {
        (own, _) if *own == on => Ok(None),
        (own, asked) if own == asked => Ok(None),
        (_, Network::Usual(UsualNetwork::On)) => Ok(Some(on)),
        (_, Network::Usual(UsualNetwork::Off)) => Ok(None),
        (Network::Usual(UsualNetwork::Off), Network::Usual(UsualNetwork::Loopback)) => {
            Ok(Some(asked.clone()))
        }
        (Network::Allow { .. }, Network::Usual(_)) => {
            Err("allowed hosts can't be joined with the network 'loopback'".to_owned())
        }
        (_, Network::Allow { allow }) => {
            let given = match own {
                Network::Allow { allow } => allow::parse(allow)?,
                Network::Usual(UsualNetwork::Loopback) => {
                    return Err("hosts can't be added to the network 'loopback'".to_owned());
                }
                Network::Usual(_) => Vec::new(),
            };
            let asked = allow::parse(allow)?;
            let new = asked.iter().filter(|host| !given.iter().any(|given| covers(given, host)));
            let mut allow: Vec<String> = new.map(ToString::to_string).collect();
            allow.dedup();
            Ok(if allow.is_empty() { None } else { Some(Network::Allow { allow }) })
        }
        (Network::Usual(_), Network::Usual(_)) => Ok(None),
    }
}

/// Returns whether `granted` includes everything in `asked`.
fn reaches(asked: Option<&Network>, granted: &Network) -> bool {
    match (asked, granted) {
        (None, _) => false,
        (Some(Network::Usual(UsualNetwork::On)), _) => true,
        (Some(Network::Allow { allow: asked }), Network::Allow { allow: granted }) => {
            let (Ok(asked), Ok(granted)) = (allow::parse(asked), allow::parse(granted)) else { return false };
            granted.iter().all(|host| asked.iter().any(|asked| covers(asked, host)))
        }
        (Some(asked), granted) => asked == granted,
    }
}

/// Returns whether one entry of a list includes another one.
fn covers(entry: &AllowedDestination, other: &AllowedDestination) -> bool {
    let is_address = other.host.parse::<IpAddr>().is_ok();
    entry.port == other.port && (entry.host == other.host || !is_address && entry.is_named(&other.host))
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::{EscalationLimits, ExtraRights};
    use crate::sandbox::options::SandboxOptions;

    fn more(json: &str) -> ExtraRights {
        ExtraRights::parse(json).expect("more")
    }

    /// Returns what remains of a request, as JSON, or its mistake.
    fn beyond(options: &str, root: &Path, asked: &str) -> Result<String, String> {
        let options = SandboxOptions::parse(options).expect("options");
        let limits = EscalationLimits { options: &options, root, home: None };
        more(asked).beyond(limits).map(|more| serde_json::to_string(&more).expect("JSON"))
    }

    const WRITING: &str = r#""workspace-write""#;
    const LISTED: &str =
        r#"{ "level": "workspace-write", "network": { "allow": ["*.a.test:443", "10.0.0.1:22"] } }"#;

    #[test]
    fn what_the_sandbox_gives_already_is_left_out() {
        let place = tempfile::tempdir().expect("a directory");
        let root = fs::canonicalize(place.path()).expect("a path").join("root");
        fs::create_dir_all(root.join("sub")).expect("a directory");
        let asked =
            r#"{ "writable": ["sub", "."], "visible": ["/etc"], "network": { "allow": ["b.a.test:443"] } }"#;
        assert_eq!(beyond(LISTED, &root, asked), Ok("{}".to_owned()));
        assert_eq!(
            beyond(LISTED, &root, r#"{ "network": { "allow": ["B.a.test.:443", "c.test:1"] } }"#),
            Ok(r#"{"network":{"allow":["c.test:1"]}}"#.to_owned())
        );
        let on = r#"{ "level": "read-only", "network": "on" }"#;
        assert_eq!(beyond(on, &root, r#"{ "network": "on" }"#), Ok("{}".to_owned()));
        assert_eq!(beyond(WRITING, &root, r#"{ "network": "on" }"#), Ok(r#"{"network":"on"}"#.to_owned()));
    }

    #[test]
    fn a_link_counts_as_its_target() {
        let place = tempfile::tempdir().expect("a directory");
        let at = |name: &str| fs::canonicalize(place.path()).expect("a path").join(name);
        fs::create_dir_all(at("root")).expect("a directory");
        fs::create_dir_all(at("other")).expect("a directory");
        std::os::unix::fs::symlink(at("other"), at("root/link")).expect("a link");
        let asked = beyond(WRITING, &at("root"), r#"{ "writable": ["link"] }"#);
        assert_eq!(asked, Ok(format!(r#"{{"writable":["{}"]}}"#, at("other").display())));
    }

    #[test]
    fn what_no_sandbox_can_give_is_a_mistake() {
        let place = tempfile::tempdir().expect("a directory");
        for (options, asked, mistake) in [
            (WRITING, r#"{ "writable": ["/nothing/there"] }"#, "'/nothing/there' does not exist"),
            (WRITING, r#"{ "writable": ["/"] }"#, "expected a path below a directory"),
            (r#""read-only""#, r#"{ "writable": ["/usr"] }"#, "no path can be written"),
            (WRITING, r#"{ "network": { "allow": ["a.test"] } }"#, "expected a name and a port"),
            (
                r#"{ "level": "isolated", "network": "loopback" }"#,
                r#"{ "network": { "allow": ["a.test:1"] } }"#,
                "hosts can't be added",
            ),
        ] {
            let found = beyond(options, place.path(), asked).expect_err("a mistake");
            assert!(found.contains(mistake), "{found}");
        }
    }

    #[test]
    fn a_grant_is_within_a_request_if_it_gives_no_more() {
        for (granted, asked, is_within) in [
            ("{}", "{}", true),
            (r#"{ "unsandboxed": true }"#, r#"{ "network": "on" }"#, false),
            (r#"{ "network": "on", "writable": ["/x"] }"#, r#"{ "unsandboxed": true }"#, true),
            (r#"{ "network": { "allow": ["a.test:1"] } }"#, r#"{ "network": "on" }"#, true),
            (r#"{ "network": "on" }"#, r#"{ "network": { "allow": ["a.test:1"] } }"#, false),
            (
                r#"{ "network": { "allow": ["b.a.test:1"] } }"#,
                r#"{ "network": { "allow": ["*.a.test:1"] } }"#,
                true,
            ),
            (
                r#"{ "network": { "allow": ["*.b.a.test:1"] } }"#,
                r#"{ "network": { "allow": ["*.a.test:1"] } }"#,
                true,
            ),
            (
                r#"{ "network": { "allow": ["*.a.test:1"] } }"#,
                r#"{ "network": { "allow": ["b.a.test:1"] } }"#,
                false,
            ),
            (
                r#"{ "network": { "allow": ["a.test:2"] } }"#,
                r#"{ "network": { "allow": ["a.test:1"] } }"#,
                false,
            ),
            (r#"{ "writable": ["/a/b"] }"#, r#"{ "writable": ["/a"] }"#, true),
            (r#"{ "writable": ["/ab"] }"#, r#"{ "writable": ["/a"] }"#, false),
            (r#"{ "visible": ["/a/b"] }"#, r#"{ "writable": ["/a"] }"#, true),
            (r#"{ "writable": ["/a"] }"#, r#"{ "visible": ["/a"] }"#, false),
        ] {
            assert_eq!(more(granted).is_within(&more(asked)), is_within, "{granted} within {asked}");
        }
    }

    #[test]
    fn a_grant_joins_what_the_sandbox_has() {
        let options = SandboxOptions::parse(LISTED).expect("options");
        let widened =
            more(r#"{ "network": { "allow": ["c.test:1"] }, "writable": ["/x"] }"#).widened(&options);
        assert_eq!(
            serde_json::to_string(&widened).expect("JSON"),
            r#"{"network":{"allow":["*.a.test:443","10.0.0.1:22","c.test:1"]},"granted":{"writable":["/x"],"visible":[]}}"#
        );
    }

    #[test]
    fn an_unknown_grant_is_refused() {
        assert!(ExtraRights::parse(r#"{ "level": "isolated" }"#).is_err());
        assert!(ExtraRights::parse(r#"{ "protected": ["!.git"] }"#).is_err());
        assert!(ExtraRights::parse(r#"{ "sockets": ["docker"] }"#).is_err());
    }
}
