//! The table of warm shells.

use std::io::Read;
use std::os::unix::net::UnixStream;
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};

use tracing::debug;

use super::flavor::Flavor;
use super::key::Key;
use super::simple::is_simple;
use crate::engine::scan::{ExpectedJob, Scanner};
use crate::job::launch::Launched;
use crate::job::model::invocation::Invocation;
use crate::job::model::plan::Plan;
use crate::process::directory::{OpenDirectory, open_directory};
use crate::process::identity::Identity;
use crate::process::pipe::try_write_all;
use crate::process::registry::Owner;

/// How many may wait. Each has some 4 MB of memory; the oldest makes room for another.
pub const MOST_SHELLS: usize = 16;

/// Shells that wait, the oldest first.
#[derive(Debug, Default)]
pub struct WarmShells {
    shells: Mutex<Shells>,
}

#[derive(Debug, Default)]
struct Shells {
    waiting: Vec<WarmShell>,
    starting: Vec<Key>,
    /// Their start files do something that a shell can't wait after.
    hopeless: Vec<Key>,
    last_number: u64,
}

/// A shell that waits.
#[derive(Debug)]
pub struct WarmShell {
    number: u64,
    key: Key,
    launched: Launched,
    commands: UnixStream,
    is_ready: bool,
    /// The shell is ready, and its start files have left no process behind.
    is_fit: bool,
}

/// Returns the warm shells of this process.
pub(super) fn warm_shells() -> &'static WarmShells {
    static SHELLS: LazyLock<WarmShells> = LazyLock::new(WarmShells::default);
    &SHELLS
}

impl WarmShells {
    /// Gives the command to a shell that waits for one like it. One that did not take it is to be ended.
    pub fn take(
        &self,
        plan: &Plan,
        key: &Key,
        scanner: &Arc<Scanner>,
    ) -> Option<Result<Launched, Box<WarmShell>>> {
        let Invocation::Shell { command, .. } = &plan.invocation else { return None };
        if !is_simple(command, Flavor::of(&plan.invocation)?) {
            return None;
        }
        let shell = self.first_ready(key)?;
        // If it is not to be had, the usual way says why.
        let directory = open_directory(&plan.directory).ok()?;
        Some(shell.run(command, &directory, scanner))
    }

    /// Notes that shells of this kind are about to be started, so that `wanted` of them wait or will. How many those are.
    pub fn plan_for(&self, key: &Key, wanted: usize) -> usize {
        self.lock().plan_for(key, wanted)
    }

    /// Notes that one is about to be started in the place of one that was used. How many that are: one, or none if it would
    /// be of no use.
    pub fn plan_replacement(&self, key: &Key) -> usize {
        let mut shells = self.lock();
        let wanted = shells.count(key) + 1;
        shells.plan_for(key, wanted)
    }

    /// Forgets `count` planned shells that are not started.
    pub fn give_up(&self, key: &Key, count: usize) {
        let mut shells = self.lock();
        (0..count).for_each(|_| shells.has_started(key));
    }

    /// One that was planned waits now. Its number, and one to be ended: the oldest if there are too many, or this one if
    /// its owner has gone.
    pub fn add(&self, key: Key, launched: Launched, commands: UnixStream) -> (u64, Option<WarmShell>) {
        let mut shells = self.lock();
        shells.has_started(&key);
        shells.last_number += 1;
        let number = shells.last_number;
        let shell = WarmShell { number, key, launched, commands, is_ready: false, is_fit: false };
        // An owner that ends takes its shells out, after it is marked as gone.
        if shell.key.owner().is_closed() {
            return (number, Some(shell));
        }
        shells.waiting.push(shell);
        let is_one_too_many = shells.waiting.len() > MOST_SHELLS;
        let oldest = is_one_too_many.then(|| shells.waiting.remove(0));
        (number, oldest)
    }

    /// This one may be used.
    pub fn use_from_now_on(&self, number: u64) {
        let mut shells = self.lock();
        if let Some(shell) = shells.waiting.iter_mut().find(|shell| shell.number == number) {
            shell.is_fit = true;
        }
    }

    /// Whether this one is ready, or will never be.
    #[must_use]
    pub fn is_settled(&self, number: u64) -> bool {
        let mut shells = self.lock();
        let shell = shells.waiting.iter_mut().find(|shell| shell.number == number);
        shell.is_none_or(|shell| shell.is_ready() || shell.has_ended())
    }

    /// The process of this one.
    #[must_use]
    pub fn leader_of(&self, number: u64) -> Option<Identity> {
        let shells = self.lock();
        let shell = shells.waiting.iter().find(|shell| shell.number == number)?;
        Some(shell.launched.leader.identity())
    }

    /// Takes one out, and starts no more of its kind.
    #[must_use]
    pub fn give_up_on(&self, number: u64) -> Option<WarmShell> {
        let shell = self.remove(number)?;
        self.lock().gave_up(shell.key.clone());
        Some(shell)
    }

    /// Takes one out, to be ended, if it still waits.
    #[must_use]
    pub fn remove(&self, number: u64) -> Option<WarmShell> {
        let mut shells = self.lock();
        let place = shells.waiting.iter().position(|shell| shell.number == number)?;
        Some(shells.waiting.remove(place))
    }

    /// Takes all of an owner out, to be ended.
    #[must_use]
    pub fn remove_all_of(&self, owner: &Owner) -> Vec<WarmShell> {
        let mut shells = self.lock();
        shells.hopeless.retain(|key| key.owner() != owner);
        shells.waiting.extract_if(.., |shell| shell.key.owner() == owner).collect()
    }

    /// Takes one out that has come so far. Those that have ended meanwhile are dropped.
    fn first_ready(&self, key: &Key) -> Option<WarmShell> {
        let mut shells = self.lock();
        let mut place = 0;
        while let Some(shell) = shells.waiting.get_mut(place) {
            if shell.key != *key {
                place += 1;
            } else if shell.has_ended() {
                let shell = shells.waiting.remove(place);
                if !shell.is_ready {
                    shells.gave_up(shell.key);
                }
            } else if shell.is_fit {
                return Some(shells.waiting.remove(place));
            } else {
                place += 1;
            }
        }
        None
    }

    fn lock(&self) -> MutexGuard<'_, Shells> {
        self.shells.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Shells {
    fn plan_for(&mut self, key: &Key, wanted: usize) -> usize {
        if self.hopeless.contains(key) {
            return 0;
        }
        let count = wanted.min(MOST_SHELLS).saturating_sub(self.count(key));
        self.starting.extend(std::iter::repeat_n(key, count).cloned());
        count
    }

    fn count(&self, key: &Key) -> usize {
        let waiting = self.waiting.iter().filter(|shell| shell.key == *key).count();
        waiting + self.starting.iter().filter(|other| *other == key).count()
    }

    fn has_started(&mut self, key: &Key) {
        if let Some(place) = self.starting.iter().position(|other| other == key) {
            self.starting.swap_remove(place);
        }
    }

    /// A shell of this kind has ended where it should have waited.
    fn gave_up(&mut self, key: Key) {
        if self.hopeless.len() == MOST_SHELLS {
            self.hopeless.remove(0);
        }
        self.hopeless.push(key);
    }
}

impl WarmShell {
    /// The process. Its socket is closed: it ends by itself.
    #[must_use]
    pub fn let_go(self) -> Launched {
        self.launched
    }

    fn has_ended(&mut self) -> bool {
        self.is_ready();
        self.launched.leader.exit().is_some()
    }

    /// Whether it has said that it waits.
    fn is_ready(&mut self) -> bool {
        // A ready shell has sent one byte; the socket does not block.
        self.is_ready = self.is_ready || matches!(self.commands.read(&mut [0]), Ok(1));
        self.is_ready
    }

    /// Gives it its command, if it is in this very directory, by this very name. It ends by itself otherwise.
    fn run(
        self,
        command: &str,
        directory: &OpenDirectory,
        scanner: &Arc<Scanner>,
    ) -> Result<Launched, Box<Self>> {
        let is_here = self.launched.directory == directory.real_path()
            && self.launched.place == directory.device_and_inode();
        // From here on it is a job like any other, and ends with its owner.
        if !is_here || !self.launched.leader.guard() {
            return Err(Box::new(self));
        }
        let expected = ExpectedJob::announce(scanner);
        // The shell reads to the NUL.
        let text = [command.as_bytes(), b"\0"].concat();
        if try_write_all(&self.commands, &text) {
            let (leader, tag) = (self.launched.leader.identity(), self.launched.tag);
            debug!(pid = leader.pid.as_raw_nonzero(), "gave the command to a warm shell");
            let tracked = expected.begin_with_older_leader(leader, tag, Some(self.key.owner().clone()));
            Ok(Launched { tracked: Some(tracked), ..self.launched })
        } else {
            Err(Box::new(self))
        }
    }
}
