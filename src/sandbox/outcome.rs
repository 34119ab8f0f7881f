//! The report about a command's sandbox, for its result.

use std::collections::{BTreeMap, HashSet};

use serde::Serialize;

use super::plan::Part;
use super::plan::make::Made;
use super::plan::sockets::{PlannedSocket, SocketKind};
use super::protocol::intercept::messages::RequestRefusal;
use super::protocol::report::{NoNetwork, RefusalReason, SandboxRefusal};

/// The largest number of refusals that are listed. Further ones are counted.
pub const MAX_REFUSALS: usize = 100;

/// The largest number of further names that count once. Above it, each lookup counts.
const MAX_NAMES: usize = 10_000;

/// The part of a result about the sandbox, as JavaScript gets it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SandboxReport {
    /// The level that was asked for.
    pub level: &'static str,
    /// `namespaces` or `landlock`.
    pub mechanism: &'static str,
    pub applied: Vec<Part>,
    /// The parts that were asked for and are not applied.
    pub missing: Vec<Part>,
    /// The UNIX sockets of the host that the command could connect to.
    pub sockets: Vec<SocketReport>,
    /// The credentials that requests got, per host.
    pub used: Vec<UseReport>,
    /// The first [`MAX_REFUSALS`] refusals.
    pub refused: Vec<RefusalReport>,
    /// The number of further refusals.
    pub more_refused: u64,
    /// Paths that the command should not have left: see [`Watch`](super::plan::watch::Watch).
    pub created: Vec<String>,
}

/// A UNIX socket of the host, as JavaScript gets it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SocketReport {
    /// The path in the sandbox.
    pub path: String,
    /// The meaning of the socket: what a command gets from its server.
    pub gives: &'static str,
}

impl SocketReport {
    /// Returns the report of a path, from the text of what its server does; `None` for a text that this
    /// version does not know.
    #[must_use]
    pub fn named(gives: &str, path: &str) -> Option<Self> {
        let gives = SocketKind::ALL.into_iter().map(SocketKind::gives).find(|known| *known == gives)?;
        Some(Self { path: path.to_owned(), gives })
    }
}

impl From<&PlannedSocket> for SocketReport {
    fn from(socket: &PlannedSocket) -> Self {
        Self { path: socket.path.to_string_lossy().into_owned(), gives: socket.kind.gives() }
    }
}

/// The use of a credential, as JavaScript gets it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct UseReport {
    /// The name under which the option `credentials` has it.
    pub credential: String,
    /// The name or address.
    pub host: String,
    pub port: u16,
    /// The number of requests that got the value.
    pub requests: u64,
}

/// A refusal, as JavaScript gets it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum RefusalReport {
    /// A connection.
    Network {
        /// The name or address.
        host: String,
        port: u16,
        /// Why it was refused.
        reason: &'static str,
    },
    /// A request to a host with rules.
    Request {
        /// The name or address.
        host: String,
        port: u16,
        method: String,
        /// The path without the query.
        path: String,
        /// The reason of the refusal.
        reason: &'static str,
    },
    /// A name that was looked up.
    Name {
        /// The name.
        host: String,
    },
    /// A UNIX socket outside of the writable paths.
    Socket {
        /// The path as the command gave it.
        path: String,
    },
    /// An attempt of a failed command to reach others without a network.
    #[serde(rename = "no-network")]
    NoNetwork {
        /// The kind of the attempt.
        reason: &'static str,
    },
}

/// Collects the refusals of a command while it runs, and the uses of its credentials.
#[derive(Clone, Debug, Default)]
pub struct Refusals {
    listed: Vec<SandboxRefusal>,
    more: u64,
    /// The names that are counted and not listed.
    more_names: HashSet<String>,
    /// The number of requests by credential, host and port.
    used: BTreeMap<(String, String, u16), u64>,
}

impl Refusals {
    /// Adds a refusal. A name counts once: a program looks it up for each kind of address, and again.
    pub fn add(&mut self, refusal: SandboxRefusal) {
        let is_name = matches!(refusal, SandboxRefusal::Name { .. });
        if is_name && self.listed.contains(&refusal) {
            return;
        }
        if self.listed.len() < MAX_REFUSALS {
            return self.listed.push(refusal);
        }
        let is_new = match refusal {
            SandboxRefusal::Name { host } if self.more_names.len() < MAX_NAMES => {
                self.more_names.insert(host)
            }
            SandboxRefusal::Name { host } => !self.more_names.contains(&host),
            SandboxRefusal::Network { .. }
            | SandboxRefusal::Request { .. }
            | SandboxRefusal::Socket { .. }
            | SandboxRefusal::NoNetwork { .. } => true,
        };
        self.more += u64::from(is_new);
    }

    /// Counts a request that got the value of a credential.
    pub fn add_use(&mut self, credential: &str, host: &str, port: u16) {
        *self.used.entry((credential.to_owned(), host.to_owned(), port)).or_default() += 1;
    }

    /// Returns the listed ones, for the text that ends an answer.
    #[must_use]
    pub fn listed(&self) -> &[SandboxRefusal] {
        &self.listed
    }

    /// Returns the number of further refusals.
    #[must_use]
    pub const fn more(&self) -> u64 {
        self.more
    }

    /// Makes the report after the end of the command. Searches the file system for paths that the command has
    /// left.
    #[must_use]
    pub fn into_report(self, made: &Made) -> SandboxReport {
        SandboxReport {
            level: made.plan.level.name(),
            mechanism: made.plan.tier.mechanism(),
            applied: made.applied.clone(),
            missing: made.missing.clone(),
            sockets: made.plan.sockets.iter().map(SocketReport::from).collect(),
            used: self.used.into_iter().map(UseReport::from).collect(),
            refused: self.listed.into_iter().map(RefusalReport::from).collect(),
            more_refused: self.more,
            created: made.watch.created().iter().map(|path| path.to_string_lossy().into_owned()).collect(),
        }
    }
}

impl From<((String, String, u16), u64)> for UseReport {
    fn from(((credential, host, port), requests): ((String, String, u16), u64)) -> Self {
        Self { credential, host, port, requests }
    }
}

impl RefusalReason {
    /// Every reason.
    pub const ALL: [Self; 3] = [Self::NotLoopback, Self::NotAllowed, Self::PrivateAddress];

    /// Returns the name that JavaScript gets.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::NotLoopback => "not-loopback",
            Self::NotAllowed => "not-allowed",
            Self::PrivateAddress => "private-address",
            Self::Unanswered => "unanswered",
            Self::Declined => "declined",
            Self::OtherName => "other-name",
        }
    }
}

impl RequestRefusal {
    /// Returns the name that JavaScript gets.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::NotInRules => "not-in-rules",
            Self::AmbiguousPath => "ambiguous-path",
            Self::AmbiguousMethod => "ambiguous-method",
            Self::OtherHost => "other-host",
            Self::Trace => "trace",
            Self::NotEncrypted => "not-encrypted",
            Self::Upgrade => "upgrade",
        }
    }
}

impl NoNetwork {
    /// Every kind.
    pub const ALL: [Self; 2] = [Self::Unreachable, Self::NoServer];

    /// Returns the name that JavaScript gets.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Unreachable => "unreachable",
            Self::NoServer => "no-server",
        }
    }
}

impl From<SandboxRefusal> for RefusalReport {
    fn from(refusal: SandboxRefusal) -> Self {
        match refusal {
            SandboxRefusal::Network { host, port, reason } => {
                Self::Network { host, port, reason: reason.name() }
            }
            SandboxRefusal::Request { host, port, method, path, reason } => {
                Self::Request { host, port, method, path, reason: reason.name() }
            }
            SandboxRefusal::Name { host } => Self::Name { host },
            SandboxRefusal::Socket { path } => Self::Socket { path: path.to_string_lossy().into_owned() },
            SandboxRefusal::NoNetwork { reason } => Self::NoNetwork { reason: reason.name() },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{MAX_REFUSALS, Refusals, SandboxRefusal, UseReport};

    #[test]
    fn each_name_counts_once_whether_it_is_listed_or_not() {
        let mut refusals = Refusals::default();
        for _ in 0..4 {
            for number in 0..300 {
                refusals.add(SandboxRefusal::Name { host: format!("n{number}.example") });
            }
        }
        assert_eq!((refusals.listed.len(), refusals.more), (MAX_REFUSALS, 200));
    }

    #[test]
    fn requests_are_counted_for_each_credential_and_host() {
        let mut refusals = Refusals::default();
        for (credential, host) in [("b", "x"), ("a", "x"), ("b", "x"), ("b", "y")] {
            refusals.add_use(credential, host, 443);
        }
        let used: Vec<_> = refusals.used.into_iter().map(UseReport::from).collect();
        let found: Vec<_> =
            used.iter().map(|used| (used.credential.as_str(), used.host.as_str(), used.requests)).collect();
        assert_eq!(found, [("a", "x", 1), ("b", "x", 2), ("b", "y", 1)]);
    }
}
