//! The state of a running command for people who watch it: its processes, and what its sandbox has refused.

#[cfg_attr(unix, path = "state/unix.rs")]
#[cfg_attr(windows, path = "state/windows.rs")]
mod platform;

pub use platform::described;

use crate::sandbox::outcome::RefusalReport;

/// The most processes of a state: more are no help to a reader.
const MAX_LISTED: usize = 500;

/// A process of a running command, as a live view lists it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedProcess {
    pub pid: i32,
    pub parent: i32,
    /// The name of its program, without directories, of at most 15 bytes.
    pub program: String,
}

/// The state of a running command.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CommandState {
    /// The processes, each after its parent.
    pub processes: Vec<ListedProcess>,
    /// The refusals of the sandbox so far.
    pub refused: Vec<RefusalReport>,
}

/// Sorts processes so that each one follows its parent, as a tree is read.
fn by_parent(processes: &[ListedProcess]) -> Vec<ListedProcess> {
    let is_listed = |pid: i32| processes.iter().any(|process| process.pid == pid);
    let (roots, mut rest): (Vec<_>, Vec<_>) =
        processes.iter().cloned().partition(|process| !is_listed(process.parent));
    let mut sorted = Vec::with_capacity(processes.len());
    // The last one is next.
    let mut open: Vec<ListedProcess> = roots.into_iter().rev().collect();
    while let Some(next) = open.pop() {
        let (children, others): (Vec<_>, Vec<_>) =
            rest.into_iter().partition(|process| process.parent == next.pid);
        rest = others;
        open.extend(children.into_iter().rev());
        sorted.push(next);
    }
    sorted
}

#[cfg(test)]
mod tests {
    use super::{ListedProcess, by_parent};

    fn process(pid: i32, parent: i32) -> ListedProcess {
        ListedProcess { pid, parent, program: pid.to_string() }
    }

    #[test]
    fn each_process_follows_its_parent() {
        let found = [process(9, 7), process(5, 3), process(7, 5), process(6, 5), process(3, 1)];
        let sorted: Vec<i32> = by_parent(&found).iter().map(|process| process.pid).collect();
        assert_eq!(sorted, [3, 5, 7, 9, 6]);
    }

    #[test]
    fn processes_whose_parents_are_gone_are_roots() {
        let found = [process(9, 1), process(5, 1), process(8, 9)];
        let sorted: Vec<i32> = by_parent(&found).iter().map(|process| process.pid).collect();
        assert_eq!(sorted, [9, 8, 5]);
    }
}
