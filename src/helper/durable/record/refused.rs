//! The refusals of a durable job's sandbox, and the paths that its command should not have left.

use super::Lines;
use crate::sandbox::outcome::{MAX_REFUSALS, RefusalReport};
use crate::sandbox::protocol::report::{NoNetwork, RefusalReason};

/// The file of the refusals.
pub const FILE: &str = "refused";

/// The most paths that are listed.
const MAX_CREATED: usize = 100;

/// The content of the file `refused`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RefusedRecord {
    /// At most [`MAX_REFUSALS`].
    pub listed: Vec<RefusalReport>,
    /// The number of further refusals.
    pub more: u64,
    pub created: Vec<String>,
}

impl RefusedRecord {
    /// Returns the content of the file.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let mut lines = Lines::default();
        for (at, refusal) in self.listed.iter().take(MAX_REFUSALS).enumerate() {
            let mut set = |key: &str, value: &str| lines.set(&format!("{key}.{at}"), value);
            match refusal {
                RefusalReport::Network { host, port, reason } => {
                    set("kind", "network");
                    set("host", host);
                    set("port", &port.to_string());
                    set("reason", reason);
                }
                // A durable job has no hosts with rules.
                RefusalReport::Request { .. } => {}
                RefusalReport::Name { host } => {
                    set("kind", "name");
                    set("host", host);
                }
                RefusalReport::Socket { path } => {
                    set("kind", "socket");
                    set("path", path);
                }
                RefusalReport::NoNetwork { reason } => {
                    set("kind", "no-network");
                    set("reason", reason);
                }
            }
        }
        lines.set_number("more", self.more);
        for (at, path) in self.created.iter().take(MAX_CREATED).enumerate() {
            lines.set(&format!("created.{at}"), path);
        }
        lines.encode()
    }

    /// Reads the file. What a later version calls by another name is left out.
    #[must_use]
    pub fn decode(bytes: &[u8]) -> Self {
        let lines = Lines::decode(bytes);
        let created = (0..MAX_CREATED).map_while(|at| lines.get(&format!("created.{at}")));
        Self {
            listed: (0..MAX_REFUSALS).filter_map(|at| refusal(&lines, at)).collect(),
            more: lines.parsed("more").unwrap_or(0),
            created: created.map(str::to_owned).collect(),
        }
    }
}

fn refusal(lines: &Lines, at: usize) -> Option<RefusalReport> {
    let text = |key: &str| lines.get(&format!("{key}.{at}"));
    let owned = |key: &str| text(key).map(str::to_owned);
    Some(match text("kind")? {
        "network" => RefusalReport::Network {
            host: owned("host")?,
            port: lines.parsed(&format!("port.{at}"))?,
            reason: RefusalReason::ALL
                .into_iter()
                .map(RefusalReason::name)
                .find(|name| Some(*name) == text("reason"))?,
        },
        "name" => RefusalReport::Name { host: owned("host")? },
        "socket" => RefusalReport::Socket { path: owned("path")? },
        "no-network" => RefusalReport::NoNetwork {
            reason: NoNetwork::ALL
                .into_iter()
                .map(NoNetwork::name)
                .find(|name| Some(*name) == text("reason"))?,
        },
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::{NoNetwork, RefusalReason, RefusalReport, RefusedRecord};

    #[test]
    fn refusals_are_read_as_they_were_written() {
        let reason = RefusalReason::NotLoopback.name();
        let record = RefusedRecord {
            listed: vec![
                RefusalReport::Network { host: "10.0.0.1".to_owned(), port: 80, reason },
                RefusalReport::Name { host: "a.example".to_owned() },
                RefusalReport::Socket { path: "/run/a\nb".to_owned() },
                RefusalReport::NoNetwork { reason: NoNetwork::Unreachable.name() },
            ],
            more: 7,
            created: vec!["/w/.envrc".to_owned(), "a=b".to_owned()],
        };
        assert_eq!(RefusedRecord::decode(&record.encode()), record);
    }

    #[test]
    fn a_refusal_of_a_later_version_is_left_out() {
        let bytes = b"kind.0=device\npath.0=/dev/x\nkind.1=name\nhost.1=a\nmore=x\n";
        let listed = vec![RefusalReport::Name { host: "a".to_owned() }];
        assert_eq!(RefusedRecord::decode(bytes), RefusedRecord { listed, ..RefusedRecord::default() });
        assert_eq!(RefusedRecord::decode(b""), RefusedRecord::default());
    }
}
