//! Shells that were started ahead and wait for their one command.
//!
//! A shell reads its start files before it runs anything, and that can take longer than the command. One that waits has
//! done so: it gets its command through a descriptor, runs it, and ends with it, like any other. Another one takes its
//! place in the background. It fits a command only if all that a shell can see of its start is the same; see `Key`.
//!
//! * [`simple`] says which commands it can be given, and `shell` which shells can wait and what they are told.

pub mod shell;
pub mod simple;

use std::io::Read;
use std::os::unix::net::UnixStream;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

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
    host: HostState,
}

/// What a process of the host begins with, and the host can change.
#[derive(Clone, Debug, PartialEq, Eq)]
struct HostState {
    users: (u32, u32),
    groups: (u32, u32, Vec<u32>),
    /// Its line in the host's status; `None` where that can't be read.
    umask: Option<String>,
}

impl HostState {
    fn now() -> Self {
        let groups = rustix::process::getgroups().unwrap_or_default();
        Self {
            users: (rustix::process::getuid().as_raw(), rustix::process::geteuid().as_raw()),
            groups: (
                rustix::process::getgid().as_raw(),
                rustix::process::getegid().as_raw(),
                groups.into_iter().map(rustix::fs::Gid::as_raw).collect(),
            ),
            umask: umask(),
        }
    }
}

/// To ask the kernel for it is to change it, and other threads may be making files.
fn umask() -> Option<String> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    status.lines().find(|line| line.starts_with("Umask:")).map(str::to_owned)
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
            host: HostState::now(),
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
        if !is_simple(command, Dialect::of(&plan.invocation)?) {
            return None;
        }
        let shell = self.first_ready(key)?;
        // If it is not to be had, the usual way says why.
        let directory = open_directory(&plan.directory).ok()?;
        shell.run(command, &directory)
    }

    /// Notes that shells of this kind are about to be started, so that `wanted` of them wait or will. How many those are.
    pub fn plan_for(&self, key: &Key, wanted: usize) -> usize {
        let mut shells = self.lock();
        if shells.hopeless.contains(key) {
            return 0;
        }
        let count = wanted.min(MOST_SHELLS).saturating_sub(shells.count(key));
        shells.starting.extend(std::iter::repeat_n(key, count).cloned());
        count
    }

    /// How many of this kind wait, or are about to.
    #[must_use]
    pub fn count(&self, key: &Key) -> usize {
        self.lock().count(key)
    }

    /// One that was planned could not be started.
    pub fn give_up(&self, key: &Key) {
        self.lock().has_started(key);
    }

    /// One that was planned waits now. Its number, and the oldest one if there are too many.
    pub fn add(&self, key: Key, launched: Launched, commands: UnixStream) -> (u64, Option<WarmShell>) {
        let mut shells = self.lock();
        shells.has_started(&key);
        shells.last_number += 1;
        let number = shells.last_number;
        shells.waiting.push(WarmShell { number, key, launched, commands, is_ready: false });
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
        let mut shells = self.lock();
        shells.hopeless.retain(|key| key.owner != *owner);
        shells.waiting.extract_if(.., |shell| shell.key.owner == *owner).collect()
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
            } else if shell.is_ready() {
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
    fn has_ended(&mut self) -> bool {
        self.is_ready();
        self.launched.leader.exit().is_some()
    }

    /// Whether it has said that it waits.
    fn is_ready(&mut self) -> bool {
        // It says one byte; the socket does not block.
        self.is_ready = self.is_ready || matches!(self.commands.read(&mut [0]), Ok(1));
        self.is_ready
    }

    /// Gives it its command, if it is in this very directory, by this very name. It is ended otherwise.
    fn run(self, command: &str, directory: &OpenDirectory) -> Option<Launched> {
        let Self { launched, commands, .. } = self;
        if launched.directory != directory.real_path || launched.place != directory.place() {
            return None;
        }
        // The shell reads to the NUL.
        let text = [command.as_bytes(), b"\0"].concat();
        write_at_once(&commands, &text).then_some(launched)
    }
}
