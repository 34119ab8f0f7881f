//! The live jobs of this process, known to the guardian as well.
//!
//! A job is registered by the process that leads its session, from its spawn until the moment before it is
//! reaped. So whatever is in the table is ours to signal: its number can't be a stranger's yet. The table is also
//! a file, one line of fixed length a job, which the guardian reads when the host has died.

use std::fs::File;
use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::fs::FileExt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::identity::Identity;
use super::nameless_file::nameless_file;

/// `<pid> <start>`, padded with spaces, with its line break.
const LINE: usize = 32;

/// Who a job belongs to. Its jobs die with it.
#[derive(Clone, Debug, Default)]
pub struct Owner(Arc<AtomicBool>);

impl Owner {
    /// Whether the owner has gone.
    #[must_use]
    pub fn is_gone(&self) -> bool {
        self.0.load(Ordering::Acquire)
    }

    fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

/// The table.
#[derive(Debug)]
pub struct Registry {
    slots: Mutex<Vec<Option<Entry>>>,
    file: File,
}

#[derive(Debug)]
struct Entry {
    leader: Identity,
    owner: Owner,
}

/// A place in the table. It stays taken until [`Registry::release`].
#[derive(Debug)]
#[must_use]
pub struct Registration(usize);

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

    /// Takes a place for a job whose leader has just been spawned. `None` when its owner has gone meanwhile: then
    /// nobody else will end it.
    pub fn register(&self, leader: Identity, owner: &Owner) -> Option<Registration> {
        let mut slots = self.lock();
        if owner.is_gone() {
            return None;
        }
        let slot = slots.iter().position(Option::is_none).unwrap_or_else(|| {
            slots.push(None);
            slots.len() - 1
        });
        slots[slot] = Some(Entry { leader, owner: owner.clone() });
        self.write(slot, &format!("{} {}", leader.pid.as_raw_nonzero(), leader.start));
        Some(Registration(slot))
    }

    /// Gives the place back. `reap` runs while the table is locked, so nobody signals a number that is no longer
    /// the job's.
    #[allow(clippy::needless_pass_by_value, reason = "a place that was given back can't be given back again")]
    pub fn release(&self, registration: Registration, reap: impl FnOnce()) {
        let Registration(slot) = registration;
        let mut slots = self.lock();
        slots[slot] = None;
        self.write(slot, "");
        reap();
    }

    /// Marks the owner as gone and calls `kill` with each of its leaders, none of which has been reaped.
    pub fn close(&self, owner: &Owner, kill: impl Fn(Identity)) {
        let slots = self.lock();
        owner.0.store(true, Ordering::Release);
        slots.iter().flatten().filter(|entry| entry.owner.is(owner)).for_each(|entry| kill(entry.leader));
    }

    /// Whether this process leads a job.
    #[must_use]
    pub fn leads_a_job(&self, identity: Identity) -> bool {
        self.lock().iter().flatten().any(|entry| entry.leader == identity)
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Option<Entry>>> {
        // A panic elsewhere leaves the table as it was.
        self.slots.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self, slot: usize, text: &str) {
        let line = format!("{text:<width$}\n", width = LINE - 1);
        // A full memory loses the guardian's knowledge of one job; the kernel still kills its leader.
        let _ = self.file.write_all_at(line.as_bytes(), (slot * LINE) as u64);
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;
    use std::os::unix::fs::FileExt;

    use rustix::process::Pid;

    use super::{Identity, Owner, Registry};

    fn leader(pid: i32) -> Identity {
        Identity { pid: Pid::from_raw(pid).expect("a number"), start: 7 }
    }

    fn lines(registry: &Registry) -> Vec<String> {
        let mut text = vec![0; 1024];
        let length = registry.file.read_at(&mut text, 0).expect("a line");
        let text = String::from_utf8(text[..length].to_vec()).expect("text");
        text.lines().map(|line| line.trim_end().to_owned()).collect()
    }

    #[test]
    fn a_job_has_a_line_until_it_is_released() {
        let registry = Registry::new().expect("a table");
        let owner = Owner::default();
        let first = registry.register(leader(10), &owner).expect("a place");
        let _second = registry.register(leader(11), &owner).expect("a place");
        assert_eq!(lines(&registry), ["10 7", "11 7"]);
        registry.release(first, || {});
        assert_eq!(lines(&registry), ["", "11 7"]);
        assert!(!registry.leads_a_job(leader(10)));
    }

    #[test]
    fn a_free_place_is_taken_again() {
        let registry = Registry::new().expect("a table");
        let owner = Owner::default();
        let first = registry.register(leader(10), &owner).expect("a place");
        registry.release(first, || {});
        let _second = registry.register(leader(12), &owner).expect("a place");
        assert_eq!(lines(&registry), ["12 7"]);
    }

    #[test]
    fn closing_an_owner_finds_its_leaders_and_refuses_new_ones() {
        let registry = Registry::new().expect("a table");
        let (owner, other) = (Owner::default(), Owner::default());
        let _first = registry.register(leader(10), &owner).expect("a place");
        let _second = registry.register(leader(11), &other).expect("a place");
        let killed = RefCell::new(Vec::new());
        registry.close(&owner, |leader| killed.borrow_mut().push(leader));
        assert_eq!(killed.into_inner(), [leader(10)]);
        assert!(registry.register(leader(12), &owner).is_none());
        assert!(registry.register(leader(13), &other).is_some());
    }
}
