//! The live jobs of this process, known to the guardian as well.
//!
//! Two kinds of process are in the table. A job's *leader* is our child from its spawn until it is reaped, and it is
//! taken out before that: its number, and that of its group, can't be a stranger's. A process that has *escaped* from
//! its leader's group is somebody else's child: its number may be a stranger's at any time, so only its identity counts.
//!
//! The table is also a file, one line of fixed length a process, which the guardian reads when the host has died. A new
//! leader writes its own line, before it executes: there is no moment at which nobody knows of it.

use std::collections::HashSet;
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::fs::FileExt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::identity::Identity;
use super::nameless_file::nameless_file;

/// `<pid> <start> <kind> <pipe> <pipe>`, padded with spaces, with its line break (bytes).
pub const LINE: usize = 96;

/// The numbers of the pipes that a job writes to, by which the guardian finds whoever holds them.
pub type Pipes = [u64; 2];

/// Who a job belongs to. Its jobs die with it.
#[derive(Clone, Debug, Default)]
pub struct Owner(Arc<AtomicBool>);

impl Owner {
    /// Whether the owner has gone.
    #[must_use]
    pub fn is_gone(&self) -> bool {
        self.0.load(Ordering::Acquire)
    }

    /// The owner goes. It starts nothing any more; see [`Registry::each_of`] for what it has started.
    pub fn go(&self) {
        self.0.store(true, Ordering::Release);
    }

    fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

/// A process in the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Known {
    /// An unreaped child of ours: its number and its group may be signalled.
    Leader(Identity),
    /// A descendant in another group: it may be signalled by its identity only.
    Escaped(Identity),
}

/// The table.
#[derive(Debug)]
pub struct Registry {
    slots: Mutex<Vec<Option<Entry>>>,
    file: File,
}

#[derive(Debug)]
struct Entry {
    /// `None` while the leader is being spawned.
    known: Option<Known>,
    pipes: Pipes,
    owner: Owner,
}

/// A place in the table. It stays taken until [`Registry::release`].
#[derive(Debug)]
#[must_use]
pub struct Registration(usize);

/// Where a new leader writes its line.
#[derive(Clone, Debug)]
pub struct Record<'a> {
    /// The file.
    pub file: BorrowedFd<'a>,
    /// The place in it (bytes).
    pub offset: i64,
    /// What stands after the number. The start time is not known yet: 0 stands for any.
    pub rest: String,
}

impl Registry {
    /// An empty table.
    ///
    /// # Errors
    ///
    /// The system's error when its file can't be made.
    pub fn new() -> io::Result<Self> {
        Ok(Self { slots: Mutex::default(), file: nameless_file()?.into() })
    }

    /// The file. Its offset stays at the beginning, so a guardian that gets it reads all.
    pub fn file(&self) -> BorrowedFd<'_> {
        self.file.as_fd()
    }

    /// Takes a place for a leader that is about to be spawned. `None` when its owner has gone.
    pub fn reserve(&self, owner: &Owner, pipes: Pipes) -> Option<Registration> {
        self.add(None, owner, pipes)
    }

    /// Where the leader of this place writes its line.
    #[must_use]
    pub fn record(&self, registration: &Registration, [stdout, stderr]: Pipes) -> Record<'_> {
        let offset = i64::try_from(registration.0 * LINE).unwrap_or(i64::MAX);
        Record { file: self.file.as_fd(), offset, rest: format!(" 0 leader {stdout} {stderr}") }
    }

    /// The leader of this place runs. False when its owner has gone meanwhile: then nobody else will end it.
    #[must_use]
    pub fn fill(&self, registration: &Registration, leader: Identity) -> bool {
        let mut slots = self.lock();
        let Some(entry) = slots[registration.0].as_mut() else { return false };
        entry.known = Some(Known::Leader(leader));
        let (is_welcome, pipes) = (!entry.owner.is_gone(), entry.pipes);
        self.write(registration.0, Known::Leader(leader), pipes);
        is_welcome
    }

    /// Takes a place for a process that has left its leader's group. `None` when its owner has gone.
    pub fn note(&self, escaped: Identity, owner: &Owner) -> Option<Registration> {
        self.add(Some(Known::Escaped(escaped)), owner, Pipes::default())
    }

    /// Gives the place back. `reap` runs while the table is locked, so nobody signals a number that is no longer
    /// the job's. It must not block.
    #[allow(clippy::needless_pass_by_value, reason = "a place that was given back can't be given back again")]
    pub fn release<T>(&self, registration: Registration, reap: impl FnOnce() -> T) -> T {
        let Registration(slot) = registration;
        let mut slots = self.lock();
        slots[slot] = None;
        self.clear(slot);
        reap()
    }

    /// Calls `visit` with each process of the owner. None of the leaders is reaped meanwhile.
    pub fn each_of(&self, owner: &Owner, visit: impl Fn(Known)) {
        let slots = self.lock();
        let of_owner = slots.iter().flatten().filter(|entry| entry.owner.is(owner));
        of_owner.filter_map(|entry| entry.known).for_each(visit);
    }

    /// The leaders of all jobs.
    #[must_use]
    pub fn leaders(&self) -> HashSet<Identity> {
        let slots = self.lock();
        let leader = |entry: &Entry| match entry.known? {
            Known::Leader(identity) => Some(identity),
            Known::Escaped(_) => None,
        };
        slots.iter().flatten().filter_map(leader).collect()
    }

    fn add(&self, known: Option<Known>, owner: &Owner, pipes: Pipes) -> Option<Registration> {
        let mut slots = self.lock();
        if owner.is_gone() {
            return None;
        }
        let slot = slots.iter().position(Option::is_none).unwrap_or_else(|| {
            slots.push(None);
            slots.len() - 1
        });
        slots[slot] = Some(Entry { known, pipes, owner: owner.clone() });
        match known {
            Some(known) => self.write(slot, known, pipes),
            // So that the file reaches to the end of the line before the leader writes it.
            None => self.clear(slot),
        }
        Some(Registration(slot))
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Option<Entry>>> {
        // A panic elsewhere leaves the table as it was.
        self.slots.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self, slot: usize, known: Known, [stdout, stderr]: Pipes) {
        let (identity, kind) = match known {
            Known::Leader(identity) => (identity, "leader"),
            Known::Escaped(identity) => (identity, "escaped"),
        };
        let Identity { pid, start } = identity;
        self.write_line(slot, &format!("{} {start} {kind} {stdout} {stderr}", pid.as_raw_nonzero()));
    }

    fn clear(&self, slot: usize) {
        self.write_line(slot, "");
    }

    fn write_line(&self, slot: usize, text: &str) {
        let line = format!("{text:<width$}\n", width = LINE - 1);
        // A full memory loses the guardian's knowledge of one process.
        let _ = self.file.write_all_at(line.as_bytes(), (slot * LINE) as u64);
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;
    use std::os::unix::fs::FileExt;

    use rustix::process::Pid;

    use super::{Identity, Known, Owner, Registry};

    fn identity(pid: i32) -> Identity {
        Identity { pid: Pid::from_raw(pid).expect("a number"), start: 7 }
    }

    fn lines(registry: &Registry) -> Vec<String> {
        let mut text = vec![0; 1024];
        let length = registry.file.read_at(&mut text, 0).expect("a line");
        let text = String::from_utf8(text[..length].to_vec()).expect("text");
        text.lines().map(|line| line.trim_end().to_owned()).collect()
    }

    #[test]
    fn a_process_has_a_line_until_it_is_released() {
        let registry = Registry::new().expect("a table");
        let owner = Owner::default();
        let first = registry.reserve(&owner, [1, 2]).expect("a place");
        let _second = registry.note(identity(11), &owner).expect("a place");
        assert_eq!(lines(&registry), ["", "11 7 escaped 0 0"]);
        assert!(registry.fill(&first, identity(10)));
        assert_eq!(lines(&registry), ["10 7 leader 1 2", "11 7 escaped 0 0"]);
        assert!(registry.leaders().contains(&identity(10)));
        registry.release(first, || {});
        assert_eq!(lines(&registry), ["", "11 7 escaped 0 0"]);
        assert!(registry.leaders().is_empty());
    }

    #[test]
    fn a_free_place_is_taken_again() {
        let registry = Registry::new().expect("a table");
        let owner = Owner::default();
        let first = registry.note(identity(10), &owner).expect("a place");
        registry.release(first, || {});
        let _second = registry.note(identity(12), &owner).expect("a place");
        assert_eq!(lines(&registry), ["12 7 escaped 0 0"]);
    }

    #[test]
    fn only_the_processes_of_the_owner_are_visited() {
        let registry = Registry::new().expect("a table");
        let (owner, other) = (Owner::default(), Owner::default());
        let first = registry.reserve(&owner, [1, 2]).expect("a place");
        assert!(registry.fill(&first, identity(10)));
        let _second = registry.note(identity(11), &owner).expect("a place");
        let _third = registry.note(identity(12), &other).expect("a place");
        let visited = RefCell::new(Vec::new());
        registry.each_of(&owner, |known| visited.borrow_mut().push(known));
        assert_eq!(visited.into_inner(), [Known::Leader(identity(10)), Known::Escaped(identity(11))]);
    }

    #[test]
    fn an_owner_that_has_gone_gets_no_place() {
        let registry = Registry::new().expect("a table");
        let (owner, other) = (Owner::default(), Owner::default());
        let reserved = registry.reserve(&owner, [1, 2]).expect("a place");
        owner.go();
        assert!(!registry.fill(&reserved, identity(10)), "it went while the leader was being spawned");
        assert!(registry.reserve(&owner, [1, 2]).is_none());
        assert!(registry.note(identity(11), &owner).is_none());
        assert!(registry.reserve(&other, [1, 2]).is_some());
    }
}
