//! The `sandbox` option as JavaScript sends it.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::plan::Level;

/// The options of a sandbox. A missing option has the default of its level.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SandboxOptions {
    /// The usual set of limits.
    pub level: Level,
    /// Further writable paths: absolute, or relative to the root.
    #[serde(default)]
    pub writable: Vec<String>,
    /// Added to the protected paths. `!path` removes one, `*` stands for any part of a name, and `/**` at the
    /// end changes nothing.
    #[serde(default)]
    pub protected: Vec<String>,
    /// Further hidden paths. `!path` removes one.
    #[serde(default)]
    pub hidden: Vec<String>,
    /// Further readable paths, at the level `isolated` only.
    #[serde(default)]
    pub visible: Vec<String>,
    /// The network access. The default is `off`.
    #[serde(default)]
    pub network: Network,
    /// Whether a person is asked about hosts that the network does not allow.
    #[serde(default)]
    pub asks: bool,
    /// UNIX sockets of the host: `ssh-agent`, `gpg-agent`, `docker`, or a path.
    #[serde(default)]
    pub sockets: Vec<String>,
    /// The variables of the host by which programs find these sockets.
    #[serde(default)]
    pub variables: BTreeMap<String, String>,
    /// The kind of `/tmp`. The default is `root`; at the level `read-only` always a new one.
    pub tmp: Option<Tmp>,
    /// The kind of home. The default is `private` at the levels that write.
    pub home: Option<Home>,
    /// The rights of git. The default is `commit`.
    #[serde(default)]
    pub git: Git,
    /// The behaviour where this machine lacks parts. The default is `fail`.
    #[serde(default)]
    pub on_unavailable: OnUnavailable,
    /// Whether a command may ask for more. The default is `never`. Only tools have a host to ask.
    #[serde(default)]
    pub escalate: Escalate,
    /// Paths beyond the sandbox that the host has granted, by real path.
    #[serde(default)]
    pub granted: GrantedPaths,
}

/// Paths that a person was shown before they were granted. They are used as they are: a path that a symbolic
/// link has changed since then is an error.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct GrantedPaths {
    /// Further writable paths.
    pub writable: Vec<PathBuf>,
    /// Further readable paths, at the level `isolated` only.
    pub visible: Vec<PathBuf>,
}

impl SandboxOptions {
    /// Parses the options as JSON: a level alone, or an object.
    ///
    /// # Errors
    ///
    /// The mistake in the options, as text for people.
    pub fn parse(json: &str) -> Result<Self, String> {
        let parsed = if json.starts_with('"') {
            serde_json::from_str(json).map(Self::of)
        } else {
            serde_json::from_str(json)
        };
        // The position is dropped: it refers to JSON that no person has written.
        parsed.map_err(|error| error.to_string().split(" at line ").next().unwrap_or_default().to_owned())
    }

    /// Returns whether it is certain, before a command runs, that it only reads: it writes nothing that
    /// outlives it, and reaches nothing that it could change.
    #[must_use]
    pub fn only_reads(&self) -> bool {
        self.level == Level::ReadOnly
            && self.network == Network::Usual(UsualNetwork::Off)
            && self.sockets.is_empty()
            && self.on_unavailable == OnUnavailable::Fail
    }

    /// Returns a level with its defaults.
    #[must_use]
    pub fn of(level: Level) -> Self {
        Self {
            level,
            writable: Vec::new(),
            protected: Vec::new(),
            hidden: Vec::new(),
            visible: Vec::new(),
            network: Network::default(),
            asks: false,
            sockets: Vec::new(),
            variables: BTreeMap::new(),
            tmp: None,
            home: None,
            git: Git::default(),
            on_unavailable: OnUnavailable::default(),
            escalate: Escalate::default(),
            granted: GrantedPaths::default(),
        }
    }
}

/// The network access of a command.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(
    untagged,
    deny_unknown_fields,
    expecting = "expected network 'off', 'loopback', 'on' or { allow: ['registry.example:443'] }"
)]
pub enum Network {
    /// One of the named kinds of access.
    Usual(UsualNetwork),
    /// A list of hosts, through the engine.
    Allow {
        /// Names with ports: `registry.example:443`, `*.example.org:443`.
        allow: Vec<String>,
    },
}

impl Default for Network {
    fn default() -> Self {
        Self::Usual(UsualNetwork::Off)
    }
}

/// The named kinds of network access.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum UsualNetwork {
    /// A private loopback interface.
    Off,
    /// TCP to and from the host's loopback.
    Loopback,
    /// TCP and UDP of the host.
    On,
}

/// The kind of `/tmp`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Tmp {
    /// A directory that the commands of one root share.
    Root,
    /// A new file system in memory for each command.
    Command,
    Host,
}

/// The home directory that a command gets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Home {
    /// A copy-on-write view of the home.
    Private,
    /// The host's, read-only.
    ReadOnly,
}

/// The rights of git.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Git {
    /// Everything except changes of the files by which git runs programs on the host.
    #[default]
    Commit,
    /// Only commands that read.
    ReadOnly,
    /// Everything.
    All,
}

/// The behaviour where this machine lacks requested parts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OnUnavailable {
    /// The command does not run.
    #[default]
    Fail,
    /// The command runs without them, and the result names the missing parts.
    Weaker,
}

/// Whether a command may ask for more than its sandbox gives.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Escalate {
    /// No request is passed on.
    #[default]
    Never,
    /// The host decides about each request.
    Ask,
}

#[cfg(test)]
mod tests {
    use super::{Git, Level, Network, SandboxOptions};

    fn options(json: &str) -> Result<SandboxOptions, String> {
        SandboxOptions::parse(json)
    }

    #[test]
    fn a_level_is_short_for_its_defaults() {
        let short = options(r#""workspace-write""#).expect("options");
        assert_eq!(short, options(r#"{ "level": "workspace-write" }"#).expect("options"));
        assert_eq!(short.git, Git::Commit);
    }

    #[test]
    fn all_options_are_read() {
        let json = r#"{ "level": "isolated", "writable": ["a"], "protected": ["b"], "hidden": ["c"], "visible": ["d"],
            "network": { "allow": ["e:1"] }, "tmp": "command", "home": "read-only", "git": "all", "onUnavailable": "weaker",
            "escalate": "ask" }"#;
        let options = options(json).expect("options");
        assert_eq!(options.level, Level::Isolated);
        assert_eq!(options.network, Network::Allow { allow: vec!["e:1".to_owned()] });
    }

    #[test]
    fn an_unknown_key_or_level_is_an_error() {
        assert!(options(r#"{ "level": "read-only", "net": "off" }"#).is_err());
        assert!(options(r#""everything""#).is_err());
        for network in [r#""all""#, r#"{ "allow": "a:1" }"#, r#"{ "allow": [], "deny": [] }"#, "7"] {
            let error = options(&format!(r#"{{ "level": "isolated", "network": {network} }}"#));
            assert!(error.is_err_and(|error| error.starts_with("expected network 'off'")), "{network}");
        }
    }

    #[test]
    fn only_reading_needs_the_level_and_no_way_around_it() {
        let only_reads = |json: &str| options(json).expect("options").only_reads();
        assert!(only_reads(r#""read-only""#));
        assert!(only_reads(r#"{ "level": "read-only", "hidden": [".env"], "network": "off" }"#));
        for more in [
            r#""network": "on""#,
            r#""sockets": ["docker"]"#,
            r#""network": "loopback""#,
            r#""onUnavailable": "weaker""#,
        ] {
            assert!(!only_reads(&format!(r#"{{ "level": "read-only", {more} }}"#)), "{more}");
        }
        assert!(!only_reads(r#""workspace-write""#) && !only_reads(r#""isolated""#));
    }
}
