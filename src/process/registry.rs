//! The live jobs of this process, known to the guardian as well.
//!
//! Two kinds of process are in the table. A job's *leader* is our child from its spawn until it is reaped, and it is
//! taken out before that: its number, and that of its group, can't be a stranger's. A process that has *escaped* from
//! its leader's group is somebody else's child: its number may be a stranger's at any time, so only its identity counts.
//!
//! The table is also a file, one line of fixed length a process, which the guardian reads when the host has died. A new
//! leader writes its own line, before it executes: there is no moment at which nobody knows of it.
//!
//! A job that is to outlive its host, and its owner, is *unguarded*: it has a place, so that everybody here knows its
//! leader, but its line stays empty, and its owner's end is none of its business.

use std::fs::File;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, RawFd};
use std::os::unix::fs::FileExt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::identity::Identity;
use super::tag::Tag;
use crate::process::fd::unnamed_file::unnamed_file;

/// `<pid> <start> <kind> <pipe> <pipe> <tag>`, padded with spaces, with its line break (bytes). There is room for the
/// largest numbers of all.
pub const LINE: usize = 128;

/// The kind of a line that its process writes itself.
const LEADER: &str = "leader";

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

impl PartialEq for Owner {
    fn eq(&self, other: &Self) -> bool {
        self.is(other)
    }
}

impl Eq for Owner {}

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
    slots: Mutex<Slots>,
    file: File,
    leash: Mutex<Option<Leash>>,
}

#[derive(Debug, Default)]
struct Slots {
    entries: Vec<Option<Entry>>,
    free: Vec<usize>,
}

#[derive(Debug)]
struct Entry {
    /// `None` while the leader is being spawned.
    known: Option<Known>,
    pipes: Pipes,
    tag: Option<Tag>,
    owner: Owner,
    is_guarded: bool,
}

impl Entry {
    /// What stands in the file behind number and start time; a tag of 0 is none.
    fn rest(&self, kind: &str) -> String {
        let ([stdout, stderr], tag) = (self.pipes, self.tag.map_or(0, Tag::number));
        format!("{kind} {stdout} {stderr} {tag}")
    }
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
    /// What the new leader lets go of once the line is written: a guardian that waits until it can read all lines would
    /// wait for a leader that the host's end has stopped before it could execute.
    pub leash: Option<Leash>,
}

/// The descriptor whose end wakes the guardian: the host's end of a socket. It may have been closed meanwhile, and its
/// number be another file's: the inode tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Leash {
    /// Its number.
    pub descriptor: RawFd,
    /// The inode of its socket.
    pub inode: u64,
}

impl Registry {
    /// An empty table.
    ///
    /// # Errors
    ///
    /// The system's error when its file can't be made.
    pub fn new() -> io::Result<Self> {
        Ok(Self { slots: Mutex::default(), file: unnamed_file()?.into(), leash: Mutex::default() })
    }

    /// The file. Its offset stays at the beginning, so a guardian that gets it reads all.
    pub fn file(&self) -> BorrowedFd<'_> {
        self.file.as_fd()
    }

    /// Takes a place for a leader that is about to be spawned. `None` when its owner has gone.
    pub fn reserve(&self, owner: &Owner, pipes: Pipes, tag: Option<Tag>) -> Option<Registration> {
        self.add(Entry { known: None, pipes, tag, owner: owner.clone(), is_guarded: true })
    }

    /// As [`Self::reserve`], for a leader that neither the end of this process nor that of its owner is to end. So it
    /// gets its place even if its owner has gone.
    pub fn reserve_unguarded(&self, owner: &Owner, pipes: Pipes, tag: Option<Tag>) -> Registration {
        let entry = Entry { known: None, pipes, tag, owner: owner.clone(), is_guarded: false };
        self.enter(&mut self.lock(), entry)
    }

    /// Where the leader of this place writes its line; `None` for an unguarded one.
    #[must_use]
    pub fn record(&self, registration: &Registration) -> Option<Record<'_>> {
        let slots = self.lock();
        let entry = slots.entries[registration.0].as_ref().filter(|entry| entry.is_guarded)?;
        let offset = i64::try_from(registration.0 * LINE).unwrap_or(i64::MAX);
        let rest = format!(" 0 {}", entry.rest(LEADER));
        Some(Record { file: self.file.as_fd(), offset, rest, leash: *self.lock_leash() })
    }

    /// Remembers the leash of a new guardian; `None` when there is no guardian after all.
    pub(super) fn set_leash(&self, leash: Option<Leash>) {
        *self.lock_leash() = leash;
    }

    fn lock_leash(&self) -> MutexGuard<'_, Option<Leash>> {
        self.leash.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The leader of this place runs. False when its owner has gone meanwhile: then nobody else will end it. An
    /// unguarded leader needs no owner.
    #[must_use]
    pub fn fill(&self, registration: &Registration, leader: Identity) -> bool {
        let mut slots = self.lock();
        let Some(entry) = slots.entries[registration.0].as_mut() else { return false };
        entry.known = Some(Known::Leader(leader));
        self.write(registration.0, entry);
        !entry.is_guarded || !entry.owner.is_gone()
    }

    /// An unguarded leader becomes a guarded one. False when its owner has gone meanwhile.
    #[must_use]
    pub fn guard(&self, registration: &Registration) -> bool {
        let mut slots = self.lock();
        let Some(entry) = slots.entries[registration.0].as_mut() else { return false };
        entry.is_guarded = true;
        self.write(registration.0, entry);
        !entry.owner.is_gone()
    }

    /// Takes a place for a process that has left its leader's group. `None` when its owner has gone.
    ///
    /// Not for those below an unguarded leader: what is noted here ends with this process.
    pub fn note(&self, escaped: Identity, owner: &Owner) -> Option<Registration> {
        self.add(Entry {
            known: Some(Known::Escaped(escaped)),
            pipes: Pipes::default(),
            tag: None,
            owner: owner.clone(),
            is_guarded: true,
        })
    }

    /// Gives the place back. `reap` runs while the table is locked, so nobody signals a number that is no longer
    /// the job's. It must not block.
    #[allow(clippy::needless_pass_by_value, reason = "a place that was given back can't be given back again")]
    pub fn release<T>(&self, registration: Registration, reap: impl FnOnce() -> T) -> T {
        let Registration(slot) = registration;
        let mut slots = self.lock();
        slots.entries[slot] = None;
        slots.free.push(slot);
        self.clear(slot);
        reap()
    }

    /// Calls `visit` with each process of the owner but the unguarded ones. None of the leaders is reaped meanwhile.
    pub fn each_of(&self, owner: &Owner, visit: impl Fn(Known)) {
        let slots = self.lock();
        let of_owner =
            slots.entries.iter().flatten().filter(|entry| entry.is_guarded && entry.owner.is(owner));
        of_owner.filter_map(|entry| entry.known).for_each(visit);
    }

    fn add(&self, entry: Entry) -> Option<Registration> {
        let mut slots = self.lock();
        (!entry.owner.is_gone()).then(|| self.enter(&mut slots, entry))
    }

    fn enter(&self, slots: &mut Slots, entry: Entry) -> Registration {
        let slot = slots.free.pop().unwrap_or_else(|| {
            slots.entries.push(None);
            // So that the file reaches to the end of the line before the leader writes it.
            self.clear(slots.entries.len() - 1);
            slots.entries.len() - 1
        });
        if entry.known.is_some() {
            self.write(slot, &entry);
        }
        slots.entries[slot] = Some(entry);
        Registration(slot)
    }

    fn lock(&self) -> MutexGuard<'_, Slots> {
        // A panic elsewhere leaves the table as it was.
        self.slots.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self, slot: usize, entry: &Entry) {
        let (identity, kind) = match entry.known.filter(|_| entry.is_guarded) {
            Some(Known::Leader(identity)) => (identity, LEADER),
            Some(Known::Escaped(identity)) => (identity, "escaped"),
            None => return,
        };
        let Identity { pid, start } = identity;
        self.write_line(slot, &format!("{} {start} {}", pid.as_raw_nonzero(), entry.rest(kind)));
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

    use super::{Identity, Known, Owner, Registry, Tag};

    fn tag() -> Tag {
        Tag::from_parts(1, 2)
    }

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
        let first = registry.reserve(&owner, [1, 2], Some(tag())).expect("a place");
        let _second = registry.note(identity(11), &owner).expect("a place");
        assert_eq!(lines(&registry), ["", "11 7 escaped 0 0 0"]);
        assert!(registry.fill(&first, identity(10)));
        assert_eq!(lines(&registry), [&*format!("10 7 leader 1 2 {}", tag().number()), "11 7 escaped 0 0 0"]);
        registry.release(first, || {});
        assert_eq!(lines(&registry), ["", "11 7 escaped 0 0 0"]);
    }

    #[test]
    fn a_free_place_is_taken_again() {
        let registry = Registry::new().expect("a table");
        let owner = Owner::default();
        let first = registry.note(identity(10), &owner).expect("a place");
        registry.release(first, || {});
        let _second = registry.note(identity(12), &owner).expect("a place");
        assert_eq!(lines(&registry), ["12 7 escaped 0 0 0"]);
    }

    #[test]
    fn only_the_processes_of_the_owner_are_visited() {
        let registry = Registry::new().expect("a table");
        let (owner, other) = (Owner::default(), Owner::default());
        let first = registry.reserve(&owner, [1, 2], None).expect("a place");
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
        let reserved = registry.reserve(&owner, [1, 2], None).expect("a place");
        owner.go();
        assert!(!registry.fill(&reserved, identity(10)), "it went while the leader was being spawned");
        assert!(registry.reserve(&owner, [1, 2], None).is_none());
        assert!(registry.note(identity(11), &owner).is_none());
        assert!(registry.reserve(&other, [1, 2], None).is_some());
    }

    #[test]
    fn a_line_has_room_for_the_largest_numbers() {
        let registry = Registry::new().expect("a table");
        let leader = Identity { pid: Pid::from_raw(i32::MAX).expect("a number"), start: u64::MAX };
        let place = registry.reserve(&Owner::default(), [u64::MAX; 2], Some(tag())).expect("a place");
        assert!(registry.fill(&place, leader));
        let (max, tag) = (u64::MAX, tag().number());
        assert_eq!(lines(&registry), [format!("{} {max} leader {max} {max} {tag}", i32::MAX)]);
        assert_eq!(registry.file.metadata().expect("a status").len(), super::LINE as u64);
    }

    #[test]
    fn a_leader_writes_what_its_line_will_say() {
        let registry = Registry::new().expect("a table");
        let place = registry.reserve(&Owner::default(), [1, 2], Some(tag())).expect("a place");
        let record = registry.record(&place).expect("a guarded leader has one");
        assert_eq!((record.offset, record.rest.as_str()), (0, &*format!(" 0 leader 1 2 {}", tag().number())));
    }

    #[test]
    fn an_unguarded_leader_is_known_but_has_no_line() {
        let registry = Registry::new().expect("a table");
        let place = registry.reserve_unguarded(&Owner::default(), [1, 2], Some(tag()));
        assert!(registry.record(&place).is_none());
        assert!(registry.fill(&place, identity(10)));
        assert_eq!(lines(&registry), [""]);
        registry.release(place, || {});
    }

    #[test]
    fn an_unguarded_leader_outlives_its_owner() {
        let registry = Registry::new().expect("a table");
        let owner = Owner::default();
        let place = registry.reserve_unguarded(&owner, [1, 2], None);
        owner.go();
        assert!(registry.fill(&place, identity(10)));
        registry.each_of(&owner, |known| panic!("{known:?} is to be left alone"));
    }
}
