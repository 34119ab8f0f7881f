//! Removes containers whose hosts have ended together with their engine.

use std::collections::HashSet;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::sync::{LazyLock, Mutex, PoisonError};
use std::time::Duration;

use rustix::process::{Pid, getpid, getuid};
use tracing::debug;

use super::arguments::{OWNER, removal_words};
use super::engine::{ContainerEngine, Flavor};
use super::query::ask;
use crate::process::identity::Identity;
use crate::process::thread::named;

/// The longest time that one command of the engine may take.
const COMMAND_DEADLINE: Duration = Duration::from_secs(30);

/// The process that created a container: the boot id of the machine, the PID namespace, pid and start time of
/// the process, and its user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ContainerOwner {
    boot: String,
    namespace: u64,
    pid: i32,
    start: u64,
    uid: u32,
}

impl ContainerOwner {
    /// Returns this process.
    pub(super) fn own() -> Self {
        Self {
            boot: boot(),
            namespace: fs::metadata("/proc/self/ns/pid").map_or(0, |metadata| metadata.ino()),
            pid: getpid().as_raw_nonzero().get(),
            start: Identity::of(getpid()).map_or(0, |identity| identity.start),
            uid: getuid().as_raw(),
        }
    }

    /// Returns the value of the label.
    pub(super) fn label(&self) -> String {
        let Self { boot, namespace, pid, start, uid } = self;
        format!("{boot}:{namespace}:{pid}:{start}:{uid}")
    }

    fn parse(label: &str) -> Option<Self> {
        let mut parts = label.split(':');
        let owner = Self {
            boot: parts.next()?.to_owned(),
            namespace: parts.next()?.parse().ok()?,
            pid: parts.next()?.parse().ok()?,
            start: parts.next()?.parse().ok()?,
            uid: parts.next()?.parse().ok()?,
        };
        parts.next().is_none().then_some(owner)
    }

    /// Returns whether this owner, a process of the same user, has certainly exited.
    fn is_gone(&self, own: &Self) -> bool {
        if self.uid != own.uid {
            return false;
        }
        let runs = || {
            let identity = Pid::from_raw(self.pid).and_then(Identity::of);
            identity.is_some_and(|identity| identity.start == self.start)
        };
        // A pid of another namespace can't be checked.
        self.boot != own.boot || (self.namespace == own.namespace && !runs())
    }
}

fn boot() -> String {
    let id = fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    id.trim().to_owned()
}

/// Removes containers without an owner, once per process and engine, on a separate thread.
pub(super) fn sweep(engine: &ContainerEngine, environment: &[String]) {
    static SWEPT: LazyLock<Mutex<HashSet<Vec<String>>>> = LazyLock::new(Mutex::default);
    if !SWEPT.lock().unwrap_or_else(PoisonError::into_inner).insert(engine.argv.clone()) {
        return;
    }
    let (engine, environment) = (engine.clone(), environment.to_vec());
    let _ = named("agent-bash-clean").spawn(move || remove_abandoned(&engine, &environment));
}

fn remove_abandoned(engine: &ContainerEngine, environment: &[String]) {
    let label = match engine.flavor {
        Flavor::Podman => format!("{{{{index .Labels \"{OWNER}\"}}}}"),
        Flavor::Docker => format!("{{{{.Label \"{OWNER}\"}}}}"),
    };
    let filter = format!("label={OWNER}");
    let format = format!("{{{{.Names}}}} {label}");
    let list = engine.words(&["ps", "--all", "--filter", &filter, "--format", &format]);
    let Ok(answer) = ask(&list, environment, COMMAND_DEADLINE) else { return };
    let own = ContainerOwner::own();
    for name in abandoned(&answer.stdout, &own) {
        debug!(name, "a container without an owner is removed");
        let _ = ask(&removal_words(engine, &name), environment, COMMAND_DEADLINE);
    }
}

/// Returns the names of the containers whose owners have exited.
fn abandoned(list: &str, own: &ContainerOwner) -> Vec<String> {
    let entries = list.lines().filter_map(|line| line.split_once(' '));
    let gone =
        entries.filter(|(_, label)| ContainerOwner::parse(label).is_some_and(|owner| owner.is_gone(own)));
    gone.map(|(name, _)| name.to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::{ContainerOwner, abandoned};

    #[test]
    fn a_label_is_read_as_it_was_written() {
        let own = ContainerOwner::own();
        assert_eq!(ContainerOwner::parse(&own.label()), Some(own.clone()));
        assert!(!own.is_gone(&own));
        for label in ["", "b:1:2", "b:1:x:2:3", "b:1:2:3:4:5"] {
            assert_eq!(ContainerOwner::parse(label), None, "{label}");
        }
    }

    #[test]
    fn only_containers_of_this_user_without_an_owner_are_abandoned() {
        let own = ContainerOwner::own();
        let other_boot = ContainerOwner { boot: "other".to_owned(), ..own.clone() };
        let other_start = ContainerOwner { start: own.start + 1, ..own.clone() };
        let other_user = ContainerOwner { uid: own.uid + 1, boot: "other".to_owned(), ..own.clone() };
        let other_namespace = ContainerOwner { namespace: 1, ..other_start.clone() };
        let owners = [&own, &other_boot, &other_start, &other_user, &other_namespace];
        let lines: Vec<String> =
            (0..).zip(owners).map(|(index, owner)| format!("c{index} {}", owner.label())).collect();
        let list = lines.join("\n");
        assert_eq!(abandoned(&list, &own), ["c1", "c2"]);
        assert_eq!(abandoned("c5 <no value>\n", &own), [""; 0]);
    }
}
