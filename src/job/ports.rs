//! Finds the ports that a job listens on.
//!
//! The kernel lists all listening sockets (Linux), or those of one process (macOS, Windows). Each new one is
//! searched for among the descriptors of the job's processes.

mod find;
#[cfg(unix)]
mod unix;

use std::collections::{HashMap, HashSet};
use std::net::IpAddr;
use std::time::Duration;

use tokio::time::Instant;

pub use self::find::find_ports;
#[cfg(unix)]
pub use self::unix::check;
use crate::helper::supervisor::protocol::ports::RemotePort;

/// The pauses between two checks, each with the age of the search from which on the pause applies.
const PAUSES: [(Duration, Duration); 3] = [
    (Duration::ZERO, Duration::from_millis(10)),
    (Duration::from_secs(1), Duration::from_millis(50)),
    (Duration::from_secs(10), Duration::from_millis(250)),
];

/// The shortest pause after a check on the I/O thread, as a multiple of its time: so checks take a tenth of
/// the thread. Windows copies the table of all sockets for each one.
const PAUSE_OF_TIME: u32 = 9;

/// The number of checks without an owner in the job after which a socket counts as foreign: the first checks
/// may miss a new process.
const MAX_CHECKS: u32 = 3;

/// The number of checks after which one also searches other network namespaces, which takes longer.
const CHECKS_BETWEEN_NAMESPACES: u32 = 5;

/// A port that a process of a job listens on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListeningPort {
    pub port: u16,
    pub address: IpAddr,
    pub pid: i32,
}

/// The search for a job's ports, while a caller follows them.
#[derive(Debug, Default)]
pub struct PortWatch {
    since: Option<Instant>,
    next: Option<Instant>,
    checks: u32,
    /// The sockets that no process of the job has, by inode, with the number of checks that found no owner.
    foreign: HashMap<u64, u32>,
    /// The job's own ports, by the inodes of their sockets.
    owned: HashMap<u64, ListeningPort>,
}

/// The sockets that need no further search.
#[derive(Debug, Default)]
pub struct Settled {
    owned: HashMap<u64, ListeningPort>,
    /// The inodes of other processes' sockets.
    foreign: HashSet<u64>,
}

/// The result of a check for ports.
#[derive(Debug, Default)]
pub struct PortScan {
    owned: HashMap<u64, ListeningPort>,
    foreign: HashSet<u64>,
}

impl PortScan {
    /// Returns the result of a check on a target.
    #[must_use]
    pub fn of_target(ports: Vec<RemotePort>) -> Self {
        let found = |RemotePort { inode, port, address, pid }| {
            (inode, ListeningPort { port, address, pid: pid.cast_signed() })
        };
        Self { owned: ports.into_iter().map(found).collect(), foreign: HashSet::new() }
    }
}

impl PortWatch {
    /// Starts, restarts or stops the search.
    pub fn follow(&mut self, is_followed: bool, now: Instant) {
        if is_followed {
            *self = Self { since: Some(now), next: Some(now), ..Self::default() };
        } else {
            *self = Self::default();
        }
    }

    /// Returns the time of the next check; `None` while no caller follows ports.
    #[must_use]
    pub const fn next(&self) -> Option<Instant> {
        self.next
    }

    /// Returns the sockets that need no further search: the job's own while they listen, and those of other
    /// processes.
    #[must_use]
    pub fn settled(&self) -> Settled {
        let foreign = self.foreign.iter().filter(|&(_, &checks)| checks >= MAX_CHECKS);
        Settled { owned: self.owned.clone(), foreign: foreign.map(|(&inode, _)| inode).collect() }
    }

    /// Returns whether the next check searches other network namespaces too.
    #[must_use]
    pub const fn asks_namespaces(&self) -> bool {
        self.checks.is_multiple_of(CHECKS_BETWEEN_NAMESPACES)
    }

    /// Records the result of a check, whose part on the I/O thread began at `began`. Returns the ports if
    /// they have changed.
    pub fn record(&mut self, found: PortScan, began: Instant, now: Instant) -> Option<Vec<ListeningPort>> {
        let since = self.since?;
        self.checks += 1;
        for inode in found.foreign {
            *self.foreign.entry(inode).or_default() += 1;
        }
        let age = now.duration_since(since);
        let pause =
            PAUSES.iter().rev().find(|(after, _)| *after <= age).map_or(PAUSES[0].1, |&(_, pause)| pause);
        self.next = Some(now + pause.max(now.duration_since(began) * PAUSE_OF_TIME));
        if found.owned == self.owned {
            return None;
        }
        self.owned = found.owned;
        let mut ports: Vec<ListeningPort> = self.owned.values().cloned().collect();
        ports.sort_unstable_by_key(|port| (port.port, port.address));
        Some(ports)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::time::Instant;

    use super::{PortScan, PortWatch};

    #[test]
    fn checks_become_rare() {
        let (mut watch, now) = (PortWatch::default(), Instant::now());
        watch.follow(true, now);
        for (age, pause) in [(0, 10), (999, 10), (1_000, 50), (20_000, 250)] {
            let at = now + Duration::from_millis(age);
            watch.record(PortScan::default(), at, at);
            assert_eq!(watch.next(), Some(at + Duration::from_millis(pause)));
        }
        watch.follow(false, now);
        assert_eq!((watch.next(), watch.record(PortScan::default(), now, now)), (None, None));
    }

    #[test]
    fn checks_take_at_most_a_tenth_of_the_time() {
        let (mut watch, now) = (PortWatch::default(), Instant::now());
        watch.follow(true, now);
        let end = now + Duration::from_millis(30);
        watch.record(PortScan::default(), now, end);
        assert_eq!(watch.next(), Some(end + Duration::from_millis(270)));
    }
}
