//! The names of the cgroups of commands: `agent-bash-<namespace>-<pid>-<start>-<number>`. They tell whose
//! command it was, so that a later host finds the cgroups of those that have ended.

use std::fmt;
use std::fs;
use std::os::unix::fs::MetadataExt;

use rustix::process::{Pid, getpid};

use crate::process::identity::Identity;

const PREFIX: &str = "agent-bash";

/// A host, as the names of its cgroups have it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::process::cgroup) struct HostIdentity {
    /// The inode of the PID namespace, in which the pid has its meaning.
    namespace: u64,
    process: Identity,
}

impl HostIdentity {
    /// Returns the identity of this process.
    pub(in crate::process::cgroup) fn own() -> Self {
        Self { namespace: own_namespace(), process: Identity::of_child(getpid()) }
    }

    pub(in crate::process::cgroup) fn leaf(self, number: u64) -> String {
        format!("{self}-{number}")
    }

    /// Parses the name of a cgroup; `None` for one of somebody else.
    pub(in crate::process::cgroup) fn of_leaf(name: &str) -> Option<Self> {
        let mut fields = name.strip_prefix(PREFIX)?.strip_prefix('-')?.split('-').map(str::parse::<u64>);
        let mut field = || fields.next()?.ok();
        let (namespace, pid, start, _) = (field()?, field()?, field()?, field()?);
        let pid = i32::try_from(pid).ok().filter(|&pid| pid > 0).and_then(Pid::from_raw)?;
        Some(Self { namespace, process: Identity { pid, start } })
    }

    /// Returns whether the host has ended. One in another PID namespace may be alive.
    pub(in crate::process::cgroup) fn has_ended(self) -> bool {
        self.namespace == own_namespace() && !self.process.is_alive()
    }
}

impl fmt::Display for HostIdentity {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { namespace, process: Identity { pid, start } } = self;
        write!(formatter, "{PREFIX}-{namespace}-{}-{start}", pid.as_raw_nonzero())
    }
}

/// Returns the inode of this process's PID namespace; 0 if it is unknown.
fn own_namespace() -> u64 {
    fs::metadata("/proc/self/ns/pid").map_or(0, |namespace| namespace.ino())
}

#[cfg(test)]
mod tests {
    use super::HostIdentity;

    #[test]
    fn a_name_tells_its_host() {
        let own = HostIdentity::own();
        assert_eq!(HostIdentity::of_leaf(&own.leaf(7)), Some(own));
        assert!(!own.has_ended());
    }

    #[test]
    fn a_process_with_another_start_is_another_host() {
        let own = HostIdentity::own();
        let pid = own.process.pid.as_raw_nonzero();
        let earlier = HostIdentity::of_leaf(&format!("agent-bash-{}-{pid}-1-7", own.namespace));
        assert!(earlier.is_some_and(HostIdentity::has_ended));
        let elsewhere = HostIdentity::of_leaf(&format!("agent-bash-{}-{pid}-1-7", own.namespace + 1));
        assert!(elsewhere.is_some_and(|host| !host.has_ended()));
    }

    #[test]
    fn other_names_are_nobodys() {
        for name in
            ["agent-bash", "agent-bash-1-2-3", "agent-bash-1-0-3-4", "agent-bash-x-2-3-4", "user.slice"]
        {
            assert_eq!(HostIdentity::of_leaf(name), None, "{name}");
        }
    }
}
