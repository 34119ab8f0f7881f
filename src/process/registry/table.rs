//! The table of the live jobs of this process, which the guardian shares.
//!
//! The table has two kinds of processes. A job's *leader* is a child of the host, and its entry is removed
//! before it is reaped. So no other process can have its pid, which is also the id of its group. An *escaped*
//! process has left its leader's group. It is another process's child, so the kernel may reuse its pid at any
//! time, and only its identity counts.
//!
//! The table is also a file with one line of fixed length for each process, which the guardian reads after
//! the host has ended. A new leader writes its own line before it executes, so that the guardian can find it
//! at any moment. On macOS a leader can't do that: until the host knows the pid, the line has the job's pipes
//! alone, by which the guardian finds the processes that hold them.
//!
//! The file also has a longer line for each directory of cgroups in which jobs have one. The guardian ends
//! and removes the cgroups of this host there.
//!
//! A job that may outlive its host and its owner is *unguarded*. It has an entry, so that the engine never
//! takes its leader for an unrelated process, but an empty line, and the end of its owner does not end it.
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, RawFd};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::Owner;
use crate::process::fd::unnamed_file::unnamed_file;
use crate::process::identity::Identity;
use crate::process::spawn::CHILD_WRITES_LINE;
use crate::process::tag::Tag;

/// The length (bytes) of a line `<pid> <start> <kind> <pipe> <pipe> <tag>` with its padding and line break:
/// enough for the largest numbers.
pub const LINE_LENGTH: usize = 128;

/// The kind of a leader's line.
pub(crate) const LEADER: &str = "leader";

/// The kind of the line of a leader that is being started. Its pid and its start time are 0.
pub(crate) const STARTING: &str = "starting";

/// The kind of the line of a process that has left its leader's group.
const ESCAPED: &str = "escaped";

/// The kind of the line of a directory of cgroups. Its pid and its start time are 0; the name of the host and
/// the path follow.
pub(crate) const CGROUPS: &str = "cgroups";

/// The inodes of a job's output pipes, by which the guardian finds the processes that hold them.
pub type Pipes = [u64; 2];

/// A process in the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Registered {
    /// An unreaped child of the host: its pid and its group, which has the same id, may be signalled.
    Leader(Identity),
    /// A descendant in another group: only its identity may be signalled.
    Escaped(Identity),
}

/// The table of live jobs.
#[derive(Debug)]
pub struct Registry {
    slots: Mutex<Slots>,
    file: File,
    guardian_socket: Mutex<Option<GuardianSocket>>,
}

#[derive(Debug, Default)]
struct Slots {
    entries: Vec<Option<RegistryEntry>>,
    free: Vec<usize>,
    cgroup_directories: Vec<PathBuf>,
}

#[derive(Debug)]
struct RegistryEntry {
    /// `None` while the leader is being spawned.
    process: Option<Registered>,
    pipes: Pipes,
    tag: Option<Tag>,
    owner: Owner,
    is_guarded: bool,
}

impl RegistryEntry {
    /// Formats the fields of a line after the pid and the start time. A tag of 0 means no tag.
    fn fields_after_start(&self, kind: &str) -> String {
        let ([stdout, stderr], tag) = (self.pipes, self.tag.map_or(0, Tag::value));
        format!("{kind} {stdout} {stderr} {tag}")
    }
}

/// A slot in the table, which stays taken until [`Registry::release`].
#[derive(Debug)]
#[must_use]
pub struct Registration(usize);

/// The values of the line that a new leader writes, and the offset of the line.
#[derive(Clone, Debug)]
pub struct LeaderRecord<'a> {
    pub file: BorrowedFd<'a>,
    /// The offset of the line (bytes).
    pub offset: i64,
    /// The fields after the pid. The start time is 0, which matches any: the leader does not know its own.
    pub fields_after_pid: String,
    /// The socket that the new leader closes once the line is written.
    ///
    /// The guardian wakes when the last copy is closed, so it reads complete lines. A leader that the kernel
    /// stops before it executes, at the host's end, must not hold a copy.
    pub guardian_socket: Option<GuardianSocket>,
}

/// The host's end of the guardian's socket, whose closing wakes the guardian.
///
/// A leader closes its copy only if the inode matches: by then the descriptor may belong to another file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GuardianSocket {
    pub descriptor: RawFd,
    pub inode: u64,
}

impl Registry {
    /// Creates an empty table.
    ///
    /// # Errors
    ///
    /// The system's error when the file can't be created.
    pub fn new() -> io::Result<Self> {
        Ok(Self { slots: Mutex::default(), file: unnamed_file()?.into(), guardian_socket: Mutex::default() })
    }

    /// Returns the file of the table. Its offset stays at the beginning, so a guardian that inherits it reads
    /// all lines.
    pub fn file(&self) -> BorrowedFd<'_> {
        self.file.as_fd()
    }

    /// Reserves a slot for a leader that is about to be spawned, or returns `None` when its owner has closed.
    pub fn reserve(&self, owner: &Owner, pipes: Pipes, tag: Option<Tag>) -> Option<Registration> {
        self.add(RegistryEntry { process: None, pipes, tag, owner: owner.clone(), is_guarded: true })
    }

    /// Reserves a slot for a leader that outlives this process and its owner, even if the owner has closed.
    pub fn reserve_unguarded(&self, owner: &Owner, pipes: Pipes, tag: Option<Tag>) -> Registration {
        let entry = RegistryEntry { process: None, pipes, tag, owner: owner.clone(), is_guarded: false };
        self.insert(&mut self.lock(), entry)
    }

    /// Returns the record with which the leader of this slot writes its line; `None` for an unguarded leader.
    #[must_use]
    pub fn leader_record(&self, registration: &Registration) -> Option<LeaderRecord<'_>> {
        let slots = self.lock();
        let entry = slots.entries[registration.0].as_ref().filter(|entry| entry.is_guarded)?;
        let offset = i64::try_from(registration.0 * LINE_LENGTH).unwrap_or(i64::MAX);
        let fields_after_pid = format!(" 0 {}", entry.fields_after_start(LEADER));
        Some(LeaderRecord {
            file: self.file.as_fd(),
            offset,
            fields_after_pid,
            guardian_socket: *self.lock_guardian_socket(),
        })
    }

    /// Sets the socket of a new guardian, or `None` after its start has failed.
    pub(crate) fn set_guardian_socket(&self, socket: Option<GuardianSocket>) {
        *self.lock_guardian_socket() = socket;
    }

    fn lock_guardian_socket(&self) -> MutexGuard<'_, Option<GuardianSocket>> {
        self.guardian_socket.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Enters the leader that was spawned for this slot.
    ///
    /// Returns false if the leader is guarded and its owner has closed meanwhile: the caller must then end
    /// it.
    #[must_use]
    pub fn set_leader(&self, registration: &Registration, leader: Identity) -> bool {
        let mut slots = self.lock();
        let Some(entry) = slots.entries[registration.0].as_mut() else { return false };
        entry.process = Some(Registered::Leader(leader));
        self.write(registration.0, entry);
        !entry.is_guarded || !entry.owner.is_closed()
    }

    /// Makes an unguarded leader a guarded one. Returns false when its owner has closed meanwhile.
    #[must_use]
    pub fn guard(&self, registration: &Registration) -> bool {
        let mut slots = self.lock();
        let Some(entry) = slots.entries[registration.0].as_mut() else { return false };
        entry.is_guarded = true;
        self.write(registration.0, entry);
        !entry.owner.is_closed()
    }

    /// Tracks a process that has left its leader's group, or returns `None` when its owner has closed.
    ///
    /// Callers must not track descendants of an unguarded leader: the guardian ends everything that is
    /// tracked here.
    pub fn track_escaped(&self, escaped: Identity, owner: &Owner) -> Option<Registration> {
        self.add(RegistryEntry {
            process: Some(Registered::Escaped(escaped)),
            pipes: Pipes::default(),
            tag: None,
            owner: owner.clone(),
            is_guarded: true,
        })
    }

    /// Adds a directory in which jobs have cgroups whose names begin with that of the `host`. A path that no
    /// line can hold is left out: the next host cleans up there.
    pub fn add_cgroups(&self, host: &str, path: &Path) {
        let Some(text) = path.to_str().filter(|path| path.trim_end() == *path && !path.contains('\n')) else {
            return;
        };
        let mut slots = self.lock();
        if slots.cgroup_directories.iter().any(|known| known == path) {
            return;
        }
        slots.cgroup_directories.push(path.to_owned());
        let line = format!("0 0 {CGROUPS} {host} {text}");
        // The line takes as many slots as it needs, at the end, for ever.
        let (first, count) = (slots.entries.len(), line.len() / LINE_LENGTH + 1);
        slots.entries.resize_with(first + count, || None);
        self.write_lines(first, count, &line);
    }

    /// Releases a slot. Calls `reap`, which must not block, while the table is locked, so that no thread
    /// signals a pid that is no longer the job's.
    #[allow(clippy::needless_pass_by_value, reason = "a slot can be released only once")]
    pub fn release<T>(&self, registration: Registration, reap: impl FnOnce() -> T) -> T {
        let Registration(slot) = registration;
        let mut slots = self.lock();
        slots.entries[slot] = None;
        slots.free.push(slot);
        self.clear(slot);
        reap()
    }

    /// Calls `visit` with each guarded process of the owner. The table is locked, so no leader is reaped
    /// meanwhile.
    pub fn for_each_of(&self, owner: &Owner, visit: impl Fn(Registered)) {
        let slots = self.lock();
        let of_owner =
            slots.entries.iter().flatten().filter(|entry| entry.is_guarded && entry.owner.is(owner));
        of_owner.filter_map(|entry| entry.process).for_each(visit);
    }

    fn add(&self, entry: RegistryEntry) -> Option<Registration> {
        let mut slots = self.lock();
        (!entry.owner.is_closed()).then(|| self.insert(&mut slots, entry))
    }

    fn insert(&self, slots: &mut Slots, entry: RegistryEntry) -> Registration {
        let slot = slots.free.pop().unwrap_or_else(|| {
            slots.entries.push(None);
            // Extends the file to the end of the line, which the leader writes later.
            self.clear(slots.entries.len() - 1);
            slots.entries.len() - 1
        });
        self.write(slot, &entry);
        slots.entries[slot] = Some(entry);
        Registration(slot)
    }

    fn lock(&self) -> MutexGuard<'_, Slots> {
        // Every change to the table is complete before anything can panic, so the data behind a poisoned lock
        // is valid.
        self.slots.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self, slot: usize, entry: &RegistryEntry) {
        if !entry.is_guarded {
            return;
        }
        let (pid, start, kind) = match entry.process {
            Some(Registered::Leader(Identity { pid, start })) => (pid.as_raw_nonzero().get(), start, LEADER),
            Some(Registered::Escaped(Identity { pid, start })) => {
                (pid.as_raw_nonzero().get(), start, ESCAPED)
            }
            None if CHILD_WRITES_LINE => return,
            None => (0, 0, STARTING),
        };
        self.write_line(slot, &format!("{pid} {start} {}", entry.fields_after_start(kind)));
    }

    fn clear(&self, slot: usize) {
        self.write_line(slot, "");
    }

    fn write_line(&self, slot: usize, text: &str) {
        self.write_lines(slot, 1, text);
    }

    fn write_lines(&self, slot: usize, count: usize, text: &str) {
        let line = format!("{text:<width$}\n", width = count * LINE_LENGTH - 1);
        // The write fails only if memory runs out. Then the guardian does not know of this one process.
        let _ = self.file.write_all_at(line.as_bytes(), (slot * LINE_LENGTH) as u64);
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;
    use std::os::unix::fs::FileExt;

    use rustix::process::Pid;

    use super::{Identity, Owner, Registered, Registry, Tag};

    fn tag() -> Tag {
        Tag::from_parts(1, 2)
    }

    fn identity(pid: i32) -> Identity {
        Identity { pid: Pid::from_raw(pid).expect("a pid"), start: 7 }
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
        let first = registry.reserve(&owner, [1, 2], Some(tag())).expect("a slot");
        let _second = registry.track_escaped(identity(11), &owner).expect("a slot");
        let starting =
            if cfg!(darwin) { format!("0 0 starting 1 2 {}", tag().value()) } else { String::new() };
        assert_eq!(lines(&registry), [&starting, "11 7 escaped 0 0 0"]);
        assert!(registry.set_leader(&first, identity(10)));
        assert_eq!(lines(&registry), [&*format!("10 7 leader 1 2 {}", tag().value()), "11 7 escaped 0 0 0"]);
        registry.release(first, || {});
        assert_eq!(lines(&registry), ["", "11 7 escaped 0 0 0"]);
    }

    #[test]
    fn a_directory_of_cgroups_has_one_line_however_long() {
        let registry = Registry::new().expect("a table");
        let owner = Owner::default();
        let _first = registry.track_escaped(identity(10), &owner).expect("a slot");
        let path = format!("/{}", "long/".repeat(40) + "x");
        registry.add_cgroups("agent-bash-1-2-3", path.as_ref());
        registry.add_cgroups("agent-bash-1-2-3", path.as_ref());
        let _second = registry.track_escaped(identity(12), &owner).expect("a slot");
        let line = format!("0 0 cgroups agent-bash-1-2-3 {path}");
        assert_eq!(lines(&registry), ["10 7 escaped 0 0 0", &line, "12 7 escaped 0 0 0"]);
        registry.add_cgroups("agent-bash-1-2-3", "/a\nb".as_ref());
        assert_eq!(lines(&registry).len(), 3, "a path with a line break has no line");
    }

    #[test]
    fn a_free_slot_is_reused() {
        let registry = Registry::new().expect("a table");
        let owner = Owner::default();
        let first = registry.track_escaped(identity(10), &owner).expect("a slot");
        registry.release(first, || {});
        let _second = registry.track_escaped(identity(12), &owner).expect("a slot");
        assert_eq!(lines(&registry), ["12 7 escaped 0 0 0"]);
    }

    #[test]
    fn only_the_processes_of_the_owner_are_visited() {
        let registry = Registry::new().expect("a table");
        let (owner, other) = (Owner::default(), Owner::default());
        let first = registry.reserve(&owner, [1, 2], None).expect("a slot");
        assert!(registry.set_leader(&first, identity(10)));
        let _second = registry.track_escaped(identity(11), &owner).expect("a slot");
        let _third = registry.track_escaped(identity(12), &other).expect("a slot");
        let visited = RefCell::new(Vec::new());
        registry.for_each_of(&owner, |process| visited.borrow_mut().push(process));
        assert_eq!(
            visited.into_inner(),
            [Registered::Leader(identity(10)), Registered::Escaped(identity(11))]
        );
    }

    #[test]
    fn a_closed_owner_gets_no_slot() {
        let registry = Registry::new().expect("a table");
        let (owner, other) = (Owner::default(), Owner::default());
        let reserved = registry.reserve(&owner, [1, 2], None).expect("a slot");
        owner.close();
        assert!(!registry.set_leader(&reserved, identity(10)), "it went while the leader was being spawned");
        assert!(registry.reserve(&owner, [1, 2], None).is_none());
        assert!(registry.track_escaped(identity(11), &owner).is_none());
        assert!(registry.reserve(&other, [1, 2], None).is_some());
    }

    #[test]
    fn a_line_has_room_for_the_largest_numbers() {
        let registry = Registry::new().expect("a table");
        let leader = Identity { pid: Pid::from_raw(i32::MAX).expect("a pid"), start: u64::MAX };
        let slot = registry.reserve(&Owner::default(), [u64::MAX; 2], Some(tag())).expect("a slot");
        assert!(registry.set_leader(&slot, leader));
        let (max, tag) = (u64::MAX, tag().value());
        assert_eq!(lines(&registry), [format!("{} {max} leader {max} {max} {tag}", i32::MAX)]);
        assert_eq!(registry.file.metadata().expect("a status").len(), super::LINE_LENGTH as u64);
    }

    #[test]
    fn a_leader_writes_the_line_that_the_host_would_write() {
        let registry = Registry::new().expect("a table");
        let slot = registry.reserve(&Owner::default(), [1, 2], Some(tag())).expect("a slot");
        let record = registry.leader_record(&slot).expect("a guarded leader has one");
        assert_eq!(
            (record.offset, record.fields_after_pid.as_str()),
            (0, &*format!(" 0 leader 1 2 {}", tag().value()))
        );
    }

    #[test]
    fn an_unguarded_leader_is_known_but_has_no_line() {
        let registry = Registry::new().expect("a table");
        let slot = registry.reserve_unguarded(&Owner::default(), [1, 2], Some(tag()));
        assert!(registry.leader_record(&slot).is_none());
        assert!(registry.set_leader(&slot, identity(10)));
        assert_eq!(lines(&registry), [""]);
        registry.release(slot, || {});
    }

    #[test]
    fn an_unguarded_leader_outlives_its_owner() {
        let registry = Registry::new().expect("a table");
        let owner = Owner::default();
        let slot = registry.reserve_unguarded(&owner, [1, 2], None);
        owner.close();
        assert!(registry.set_leader(&slot, identity(10)));
        registry.for_each_of(&owner, |process| panic!("{process:?} is to be left alone"));
    }
}
