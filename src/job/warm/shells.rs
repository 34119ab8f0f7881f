//! The table of warm shells.

use std::io::Read;
use std::os::unix::net::UnixStream;
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};

use rustix::process::Pid;
use tracing::debug;

use super::flavor::WarmFlavor;
use super::key::WarmKey;
use super::simple::is_simple;
use crate::engine::scan::{ExpectedJob, Scanner};
use crate::job::launch::Launched;
use crate::job::model::invocation::Invocation;
use crate::job::model::plan::Plan;
use crate::process::directory::{OpenDirectory, open_directory};
use crate::process::pipe::try_write_all;
use crate::process::registry::Owner;

/// The most shells that may wait. Each takes some 4 MB of memory; beyond the limit the oldest is ended.
pub const MAX_SHELLS: usize = 16;

/// Shells that wait, the oldest first.
#[derive(Debug, Default)]
pub struct WarmShells {
    shells: Mutex<Shells>,
}

#[derive(Debug, Default)]
struct Shells {
    waiting: Vec<WarmShell>,
    starting: Vec<WarmKey>,
    /// The keys of shells that can't wait after their start files.
    failed: Vec<WarmKey>,
    last_number: u64,
}

/// A shell that waits.
#[derive(Debug)]
pub struct WarmShell {
    number: u64,
    key: WarmKey,
    launched: Launched,
    commands: UnixStream,
    is_ready: bool,
    /// Whether the shell may be used: its start files have left no process behind.
    is_usable: bool,
}

/// Returns the warm shells of this process.
pub(super) fn warm_shells() -> &'static WarmShells {
    static SHELLS: LazyLock<WarmShells> = LazyLock::new(WarmShells::default);
    &SHELLS
}

impl WarmShells {
    /// Gives the command to a shell with its key. Also returns a shell that did not take the command, which
    /// the caller must end.
    pub fn take(
        &self,
        plan: &Plan,
        key: &WarmKey,
        scanner: &Arc<Scanner>,
    ) -> Option<Result<Launched, Box<WarmShell>>> {
        let Invocation::Line(line) = &plan.invocation else { return None };
        if !is_simple(line, WarmFlavor::of(&plan.surroundings.shell)?) {
            return None;
        }
        let shell = self.first_ready(key)?;
        // If the directory can't be opened, the cold launch reports the error.
        let directory = open_directory(&plan.surroundings.directory).ok()?;
        Some(shell.run(line, &directory, scanner))
    }

    /// Plans the start of shells until `wanted` shells with this key wait or are planned. Returns the number
    /// to start.
    pub fn plan_for(&self, key: &WarmKey, wanted: usize) -> usize {
        self.lock().plan_for(key, wanted)
    }

    /// Plans the replacement of a used shell. Returns the number to start: 1, or 0 if such a shell can't
    /// wait.
    pub fn plan_replacement(&self, key: &WarmKey) -> usize {
        let mut shells = self.lock();
        let wanted = shells.count(key) + 1;
        shells.plan_for(key, wanted)
    }

    /// Forgets `count` planned shells that are not started.
    pub fn cancel_planned(&self, key: &WarmKey, count: usize) {
        let mut shells = self.lock();
        (0..count).for_each(|_| shells.forget_planned(key));
    }

    /// Adds a planned shell that was launched. Returns its number, and a shell that the caller must end: the
    /// oldest if there are too many, or the new one if its owner has closed.
    pub fn add(&self, key: WarmKey, launched: Launched, commands: UnixStream) -> (u64, Option<WarmShell>) {
        let mut shells = self.lock();
        shells.forget_planned(&key);
        shells.last_number += 1;
        let number = shells.last_number;
        let shell = WarmShell { number, key, launched, commands, is_ready: false, is_usable: false };
        // An owner is marked as closed before its shells are removed, so a shell added after that must end
        // here.
        if shell.key.owner().is_closed() {
            return (number, Some(shell));
        }
        shells.waiting.push(shell);
        let is_one_too_many = shells.waiting.len() > MAX_SHELLS;
        let oldest = is_one_too_many.then(|| shells.waiting.remove(0));
        (number, oldest)
    }

    /// Marks a shell as usable.
    pub fn mark_usable(&self, number: u64) {
        let mut shells = self.lock();
        if let Some(shell) = shells.waiting.iter_mut().find(|shell| shell.number == number) {
            shell.is_usable = true;
        }
    }

    /// Returns whether a shell is ready, or will never be.
    #[must_use]
    pub fn is_settled(&self, number: u64) -> bool {
        let mut shells = self.lock();
        let shell = shells.waiting.iter_mut().find(|shell| shell.number == number);
        shell.is_none_or(|shell| shell.is_ready() || shell.has_ended())
    }

    /// Returns the pid of a shell.
    #[must_use]
    pub fn pid_of(&self, number: u64) -> Option<Pid> {
        let shells = self.lock();
        let shell = shells.waiting.iter().find(|shell| shell.number == number)?;
        Pid::from_raw(shell.launched.command())
    }

    /// Removes a shell, and starts no more with its key.
    #[must_use]
    pub fn remove_failed(&self, number: u64) -> Option<WarmShell> {
        let shell = self.remove(number)?;
        self.lock().record_failure(shell.key.clone());
        Some(shell)
    }

    /// Removes a shell that still waits, so that the caller ends it.
    #[must_use]
    pub fn remove(&self, number: u64) -> Option<WarmShell> {
        let mut shells = self.lock();
        let index = shells.waiting.iter().position(|shell| shell.number == number)?;
        Some(shells.waiting.remove(index))
    }

    /// Removes all shells of an owner, so that the caller ends them.
    #[must_use]
    pub fn remove_all_of(&self, owner: &Owner) -> Vec<WarmShell> {
        let mut shells = self.lock();
        shells.failed.retain(|key| key.owner() != owner);
        shells.waiting.extract_if(.., |shell| shell.key.owner() == owner).collect()
    }

    /// Removes and returns a ready shell with this key. Drops shells that have exited meanwhile.
    fn first_ready(&self, key: &WarmKey) -> Option<WarmShell> {
        let mut shells = self.lock();
        let mut index = 0;
        while let Some(shell) = shells.waiting.get_mut(index) {
            if shell.key != *key {
                index += 1;
            } else if shell.has_ended() {
                let shell = shells.waiting.remove(index);
                if !shell.is_ready {
                    shells.record_failure(shell.key);
                }
            } else if shell.is_usable {
                return Some(shells.waiting.remove(index));
            } else {
                index += 1;
            }
        }
        None
    }

    fn lock(&self) -> MutexGuard<'_, Shells> {
        self.shells.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Shells {
    fn plan_for(&mut self, key: &WarmKey, wanted: usize) -> usize {
        if self.failed.contains(key) {
            return 0;
        }
        let count = wanted.min(MAX_SHELLS).saturating_sub(self.count(key));
        self.starting.extend(std::iter::repeat_n(key, count).cloned());
        count
    }

    fn count(&self, key: &WarmKey) -> usize {
        let waiting = self.waiting.iter().filter(|shell| shell.key == *key).count();
        waiting + self.starting.iter().filter(|other| *other == key).count()
    }

    fn forget_planned(&mut self, key: &WarmKey) {
        if let Some(index) = self.starting.iter().position(|other| other == key) {
            self.starting.swap_remove(index);
        }
    }

    /// Records that a shell with this key exited instead of waiting.
    fn record_failure(&mut self, key: WarmKey) {
        if self.failed.len() == MAX_SHELLS {
            self.failed.remove(0);
        }
        self.failed.push(key);
    }
}

impl WarmShell {
    /// Closes the socket, so that the shell exits by itself, and returns its process.
    #[must_use]
    pub fn into_launched(self) -> Launched {
        self.launched
    }

    fn has_ended(&mut self) -> bool {
        self.is_ready();
        self.launched.leader.exit().is_some()
    }

    /// Returns whether the shell has reported that it waits.
    fn is_ready(&mut self) -> bool {
        // A ready shell has sent one byte; the socket does not block.
        self.is_ready = self.is_ready || matches!(self.commands.read(&mut [0]), Ok(1));
        self.is_ready
    }

    /// Gives the shell its command, if the shell is in this directory by the same path. Otherwise closes its
    /// socket, so that it exits by itself.
    fn run(
        self,
        command: &str,
        directory: &OpenDirectory,
        scanner: &Arc<Scanner>,
    ) -> Result<Launched, Box<Self>> {
        let is_here = self.launched.directory == directory.real_path()
            && self.launched.device_and_inode == directory.device_and_inode();
        // From here on the shell is a job like any other, which ends with its owner.
        if !is_here || !self.launched.leader.guard() {
            return Err(Box::new(self));
        }
        if let Some(sandbox) = &self.launched.sandbox {
            sandbox.refresh_now();
        }
        let expected = ExpectedJob::announce(scanner);
        // The shell reads up to the NUL.
        let text = [command.as_bytes(), b"\0"].concat();
        if try_write_all(&self.commands, &text) {
            let (leader, tag) = (self.launched.leader.identity(), self.launched.tag);
            debug!(pid = leader.pid.as_raw_nonzero(), "gave the command to a warm shell");
            let roots = self.launched.sandbox.as_ref().and_then(|sandbox| sandbox.pids().roots());
            let owner = Some(self.key.owner().clone());
            let tracked = expected.in_sandbox(roots).begin_with_older_leader(leader, tag, owner);
            Ok(Launched { tracked: Some(tracked), ..self.launched })
        } else {
            Err(Box::new(self))
        }
    }
}
