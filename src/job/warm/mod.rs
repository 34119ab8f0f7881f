//! Shells that were started ahead and wait for their one command.
//!
//! A shell reads its start files before it runs anything, and that can take longer than the command. One that waits has
//! done so: it gets its command through a descriptor, runs it, and ends with it, like any other. Another one takes its
//! place in the background. It fits a command only if all that a shell can see of its start is the same; see `Key`.
//!
//! * [`simple`] says which commands it can be given, and `shell` which shells can wait and what they are told.

pub mod shell;
pub mod simple;

use std::os::fd::OwnedFd;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rustix::fs::fstat;

use self::shell::Dialect;
use self::simple::is_simple;
use super::directory::{OpenDirectory, open_directory};
use super::invocation::Invocation;
use super::launch::Launched;
use super::plan::{Directory, Environment, Input, Limits, Output, Plan};
use crate::process::pipe::write_at_once;
use crate::process::registry::Owner;
use crate::text::Keeping;

/// How long a shell waits for a command before it is ended.
pub const LONGEST_WAIT: Duration = Duration::from_secs(5 * 60);

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
    last_number: u64,
}

/// A shell that waits.
#[derive(Debug)]
pub struct WarmShell {
    number: u64,
    key: Key,
    launched: Launched,
    commands: OwnedFd,
    /// Which directory it is in, whatever the path may lead to later.
    place: (u64, u64),
}

/// What a shell can see of its start. A command runs in a warm shell only if all of it is the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Key {
    owner: Owner,
    invocation: Invocation,
    environment: Environment,
    directory: Directory,
    limits: Limits,
    is_merged: bool,
    is_tagged: bool,
}

impl Key {
    /// Of a plan that a shell could wait for.
    #[must_use]
    pub fn of(plan: &Plan, owner: &Owner) -> Option<Self> {
        Dialect::of(&plan.invocation)?;
        if plan.input != Input::Empty || plan.outlives_host {
            return None;
        }
        let mut invocation = plan.invocation.clone();
        if let Invocation::Shell { command, .. } = &mut invocation {
            command.clear();
        }
        Some(Self {
            owner: owner.clone(),
            invocation,
            environment: plan.environment.clone(),
            directory: plan.directory.clone(),
            limits: plan.limits,
            is_merged: plan.output.is_merged,
            is_tagged: plan.is_tagged,
        })
    }

    /// Who it is for.
    #[must_use]
    pub const fn owner(&self) -> &Owner {
        &self.owner
    }

    /// The plan of a shell that waits.
    #[must_use]
    pub fn plan(&self) -> Plan {
        Plan {
            environment: self.environment.clone(),
            directory: self.directory.clone(),
            limits: self.limits,
            output: Output { is_merged: self.is_merged, ..Output::keeping(Keeping::Prefix { limit: 0 }) },
            is_tagged: self.is_tagged,
            ..Plan::new(self.invocation.clone())
        }
    }
}

impl WarmShells {
    /// Gives the command to a shell that waits for one like it.
    pub fn take(&self, plan: &Plan, key: &Key) -> Option<Launched> {
        let Invocation::Shell { command, .. } = &plan.invocation else { return None };
        let first = self.first_like(key)?;
        if !is_simple(command, Dialect::of(&plan.invocation)?) {
            self.put_back(first);
            return None;
        }
        // If it is not to be had, the usual way says why.
        let directory = open_directory(&plan.directory).ok()?;
        let mut next = Some(first);
        while let Some(shell) = next {
            if let Some(launched) = shell.run(command, &directory) {
                return Some(Launched { directory: directory.real_path, ..launched });
            }
            next = self.first_like(key);
        }
        None
    }

    /// Notes that shells of this kind are about to be started, so that `wanted` of them wait or will. How many those are.
    pub fn plan_for(&self, key: &Key, wanted: usize) -> usize {
        let mut shells = self.lock();
        let waiting = shells.waiting.iter().filter(|shell| shell.key == *key).count();
        let starting = shells.starting.iter().filter(|other| *other == key).count();
        let count = wanted.min(MOST_SHELLS).saturating_sub(waiting + starting);
        shells.starting.extend(std::iter::repeat_n(key, count).cloned());
        count
    }

    /// How many of this kind wait, or are about to.
    #[must_use]
    pub fn count(&self, key: &Key) -> usize {
        let shells = self.lock();
        let waiting = shells.waiting.iter().filter(|shell| shell.key == *key).count();
        waiting + shells.starting.iter().filter(|other| *other == key).count()
    }

    /// One that was planned could not be started.
    pub fn give_up(&self, key: &Key) {
        self.lock().has_started(key);
    }

    /// One that was planned waits now. Its number, and the oldest one if there are too many.
    pub fn add(&self, key: Key, launched: Launched, commands: OwnedFd) -> (u64, Option<WarmShell>) {
        let place = open_directory(&key.directory).ok().and_then(|directory| place_of(&directory));
        let mut shells = self.lock();
        shells.has_started(&key);
        shells.last_number += 1;
        let number = shells.last_number;
        // One whose directory has gone meanwhile fits nothing.
        shells.waiting.push(WarmShell { number, key, launched, commands, place: place.unwrap_or_default() });
        let is_one_too_many = shells.waiting.len() > MOST_SHELLS;
        let oldest = is_one_too_many.then(|| shells.waiting.remove(0));
        (number, oldest)
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
        self.lock().waiting.extract_if(.., |shell| shell.key.owner == *owner).collect()
    }

    fn first_like(&self, key: &Key) -> Option<WarmShell> {
        let mut shells = self.lock();
        let place = shells.waiting.iter().position(|shell| shell.key == *key)?;
        Some(shells.waiting.remove(place))
    }

    fn put_back(&self, shell: WarmShell) {
        self.lock().waiting.insert(0, shell);
    }

    fn lock(&self) -> MutexGuard<'_, Shells> {
        self.shells.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Shells {
    fn has_started(&mut self, key: &Key) {
        if let Some(place) = self.starting.iter().position(|other| other == key) {
            self.starting.swap_remove(place);
        }
    }
}

impl WarmShell {
    /// Gives it its command, if it is still there and in this very directory. It is ended otherwise.
    fn run(self, command: &str, directory: &OpenDirectory) -> Option<Launched> {
        if place_of(directory) != Some(self.place) || self.launched.leader.exit().is_some() {
            return None;
        }
        // The shell reads to the NUL.
        let text = [command.as_bytes(), b"\0"].concat();
        write_at_once(&self.commands, &text).then_some(self.launched)
    }
}

fn place_of(directory: &OpenDirectory) -> Option<(u64, u64)> {
    let status = fstat(&directory.descriptor).ok()?;
    #[allow(
        clippy::unnecessary_cast,
        clippy::useless_conversion,
        clippy::cast_sign_loss,
        reason = "their types differ between systems"
    )]
    Some((status.st_dev as u64, status.st_ino as u64))
}
