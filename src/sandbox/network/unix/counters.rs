//! The kernel's counters of a private network: whether the commands in it tried to reach others in vain.
//!
//! The helper opens the files of its network namespace and passes them on, and the engine reads them after a
//! failed command. A descriptor keeps its namespace, so the counters outlive the command, also one that was
//! killed.

use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::fs::FileExt;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::sandbox::protocol::report::NoNetwork;

/// The files, as a process in the network sees them. The second one is missing in kernels without IPv6.
pub const FILES: [&str; 2] = ["/proc/self/net/snmp", "/proc/self/net/snmp6"];

/// The largest size of a file (bytes). Each has about a hundred numbers.
const MAX_FILE: usize = 64 << 10;

/// The counters of a network, and their values at the start of the command.
#[derive(Debug)]
pub struct TrafficCounters {
    files: Vec<File>,
    start: Mutex<Counts>,
}

/// The values of the counters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Counts {
    /// Packets and connections to an address to which no route leads.
    unreachable: u64,
    /// TCP connections that were opened.
    connections: u64,
    /// TCP connections that were refused.
    refused_connections: u64,
    /// UDP packets that a program has received.
    packets: u64,
    /// UDP packets to a port at which no program listens.
    refused_packets: u64,
}

impl TrafficCounters {
    /// Takes the files of a new network.
    #[must_use]
    pub fn new(files: Vec<OwnedFd>) -> Self {
        Self { files: files.into_iter().map(File::from).collect(), start: Mutex::default() }
    }

    /// Returns the files, for a process that keeps some of its descriptors.
    pub fn files(&self) -> impl Iterator<Item = &File> {
        self.files.iter()
    }

    /// Marks the start of a command: what was counted before is not its own.
    pub fn start(&self) {
        *self.at_start() = self.read();
    }

    /// Returns what the command tried in vain since its start.
    #[must_use]
    pub fn in_vain(&self) -> Option<NoNetwork> {
        let start = *self.at_start();
        self.read().since(start).in_vain()
    }

    fn at_start(&self) -> MutexGuard<'_, Counts> {
        self.start.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A file that can't be read counts nothing.
    fn read(&self) -> Counts {
        let texts: Vec<String> = self.files.iter().filter_map(|file| read_all(file).ok()).collect();
        Counts::of(texts.iter().flat_map(|text| numbers(text)))
    }
}

impl Counts {
    fn of<'a>(numbers: impl Iterator<Item = (&'a str, &'a str, u64)>) -> Self {
        let mut counts = Self::default();
        for (group, name, number) in numbers {
            let counter = match (group, name) {
                ("Ip:", "OutNoRoutes") | ("", "Ip6OutNoRoutes") => &mut counts.unreachable,
                // TCP counts both versions of IP together.
                ("Tcp:", "ActiveOpens") => &mut counts.connections,
                ("Tcp:", "AttemptFails") => &mut counts.refused_connections,
                ("Udp:", "InDatagrams") | ("", "Udp6InDatagrams") => &mut counts.packets,
                ("Udp:", "NoPorts") | ("", "Udp6NoPorts") => &mut counts.refused_packets,
                _ => continue,
            };
            *counter = counter.saturating_add(number);
        }
        counts
    }

    const fn since(self, start: Self) -> Self {
        Self {
            unreachable: self.unreachable.saturating_sub(start.unreachable),
            connections: self.connections.saturating_sub(start.connections),
            refused_connections: self.refused_connections.saturating_sub(start.refused_connections),
            packets: self.packets.saturating_sub(start.packets),
            refused_packets: self.refused_packets.saturating_sub(start.refused_packets),
        }
    }

    /// On loopback, a refusal counts only if all were refused: a command that waits for its own server is
    /// refused before that server listens.
    const fn in_vain(self) -> Option<NoNetwork> {
        let no_connection = self.connections > 0 && self.refused_connections >= self.connections;
        let no_packet = self.refused_packets > 0 && self.packets == 0;
        if self.unreachable > 0 {
            Some(NoNetwork::Unreachable)
        } else if no_connection || no_packet {
            Some(NoNetwork::NoServer)
        } else {
            None
        }
    }
}

/// Reads a file of the kernel from its start.
fn read_all(file: &File) -> io::Result<String> {
    let mut text = vec![0; MAX_FILE];
    let mut length = 0;
    while let Some(rest) = text.get_mut(length..).filter(|rest| !rest.is_empty()) {
        match file.read_at(rest, length as u64)? {
            0 => break,
            read => length += read,
        }
    }
    text.truncate(length);
    String::from_utf8(text).map_err(io::Error::other)
}

/// Returns the numbers of a file, each with its group and name. `snmp` has two lines for each group, one with
/// names and one with values; `snmp6` has a line for each number, without groups.
fn numbers(text: &str) -> impl Iterator<Item = (&str, &str, u64)> {
    let mut names: Vec<&str> = Vec::new();
    text.lines().flat_map(move |line| {
        let words: Vec<&str> = line.split_ascii_whitespace().collect();
        let found: Vec<_> = match words.as_slice() {
            [group, ..] if group.ends_with(':') && names.first() == Some(group) => {
                let pairs = std::mem::take(&mut names).into_iter().zip(&words).skip(1);
                pairs.filter_map(|(name, value)| Some((*group, name, value.parse().ok()?))).collect()
            }
            [group, ..] if group.ends_with(':') => {
                names = words;
                Vec::new()
            }
            [name, value] => value.parse().map(|value| ("", *name, value)).into_iter().collect(),
            _ => Vec::new(),
        };
        found
    })
}

#[cfg(test)]
mod tests {
    use super::{Counts, numbers};
    use crate::sandbox::protocol::report::NoNetwork;

    const SNMP: &str = "Ip: Forwarding OutNoRoutes\nIp: 1 3\nTcp: MaxConn ActiveOpens AttemptFails\nTcp: -1 7 5\n\
                        Udp: InDatagrams NoPorts\nUdp: 2 4\nUdpLite: InDatagrams NoPorts\nUdpLite: 100 100\n";
    const SNMP6: &str =
        "Ip6InReceives                   \t9\nIp6OutNoRoutes \t10\nUdp6InDatagrams\t20\nUdp6NoPorts\t30\n";

    fn counts() -> Counts {
        Counts::of([SNMP, SNMP6].into_iter().flat_map(numbers))
    }

    #[test]
    fn the_counters_of_both_versions_of_ip_are_added() {
        let expected = Counts {
            unreachable: 13,
            connections: 7,
            refused_connections: 5,
            packets: 22,
            refused_packets: 34,
        };
        assert_eq!(counts(), expected);
    }

    #[test]
    fn what_was_counted_before_the_command_is_not_its_own() {
        assert_eq!(counts().since(counts()).in_vain(), None);
    }

    #[test]
    fn an_address_outside_counts_more_than_a_missing_server() {
        let missing = Counts { connections: 2, refused_connections: 2, ..Counts::default() };
        assert_eq!(missing.in_vain(), Some(NoNetwork::NoServer));
        assert_eq!(Counts { unreachable: 1, ..missing }.in_vain(), Some(NoNetwork::Unreachable));
        assert_eq!(Counts { refused_packets: 1, ..Counts::default() }.in_vain(), Some(NoNetwork::NoServer));
    }

    #[test]
    fn one_server_that_answers_is_enough() {
        let waited = Counts { connections: 3, refused_connections: 2, ..Counts::default() };
        assert_eq!(waited.in_vain(), None);
        assert_eq!(Counts { refused_packets: 2, packets: 1, ..Counts::default() }.in_vain(), None);
    }
}
