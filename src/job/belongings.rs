//! Which processes belong to a job, and how to signal all of them.
//!
//! * The leader's process group and session.
//! * Every descendant, also in other groups and sessions. While the leader lives, orphans below it become its
//!   children (it is their *subreaper*), so walking down from it misses none. Those that have left the group are
//!   noted from time to time, since they are handed to init when the leader ends.
//! * Whoever holds the job's output open for writing.
//!
//! Never: this process, the leaders of other jobs, and processes that are older than the job.

use std::collections::HashSet;
use std::time::Duration;

use rustix::process::{Signal, kill_process_group};

use super::engine::Engine;
use crate::process::identity::Identity;
use crate::process::pidfd;
use crate::process::registry::{Owner, Registration, Registry};
use crate::process::tree::{self, Process, close_over_children, holds_any_pipe, pid_number};
use crate::process::wait::ExitWatch;

/// So many members are watched by a descriptor each; the others are looked at from time to time.
const MOST_DESCRIPTORS: usize = 256;

/// How often (for those).
const LOOK: Duration = Duration::from_millis(10);

/// The processes of a job.
#[derive(Debug)]
pub struct Belongings {
    leader: Identity,
    /// Known to have left the leader's group, with their places in the guardian's table.
    escaped: Vec<(Identity, Registration)>,
    /// Signalled, and not yet seen to be gone.
    members: Vec<Member>,
}

#[derive(Debug)]
enum Member {
    Watched(ExitWatch),
    LookedAt(Identity),
}

impl Belongings {
    /// Those of the job that this process leads. It must not be reaped before the job is over.
    #[must_use]
    pub const fn new(leader: Identity) -> Self {
        Self { leader, escaped: Vec::new(), members: Vec::new() }
    }

    /// Notes who has left the group, while the leader lives and can be asked.
    pub fn note_escaped(&mut self, registry: &Registry, owner: &Owner) {
        for process in tree::descendants(self.leader.pid) {
            self.note(process, registry, owner);
        }
    }

    /// Notes who has left the group, when the leader is gone and these pipes are still held.
    pub async fn note_holders(&mut self, engine: &'static Engine, owner: &Owner, pipes: Vec<u64>) {
        for process in self.look_everywhere(engine, pipes).await {
            self.note(process, engine.registry(), owner);
        }
    }

    fn note(&mut self, process: Process, registry: &Registry, owner: &Owner) {
        let is_known = self.escaped.iter().any(|(known, _)| *known == process.identity);
        if process.group != self.group()
            && !is_known
            && let Some(registration) = registry.register(process.identity, owner)
        {
            self.escaped.push((process.identity, registration));
        }
    }

    /// Signals all that can be reached from the living leader, at once.
    pub fn signal_tree(&mut self, signal: Signal) {
        let found = tree::descendants(self.leader.pid);
        self.signal(&found, signal);
    }

    /// Signals all that can be found in the whole process table.
    pub async fn signal_everywhere(&mut self, engine: &'static Engine, pipes: Vec<u64>, signal: Signal) {
        let found = self.look_everywhere(engine, pipes).await;
        self.signal(&found, signal);
    }

    fn signal(&mut self, found: &[Process], signal: Signal) {
        let outside: Vec<Identity> = found
            .iter()
            .filter(|process| process.group != self.group())
            .map(|process| process.identity)
            .chain(self.escaped.iter().map(|(identity, _)| *identity))
            .collect();
        self.members =
            found.iter().enumerate().filter_map(|(index, process)| watch(index, process)).collect();
        self.send(&outside, signal);
        if signal == Signal::TERM {
            // A stopped process takes the signal when it goes on.
            self.send(&outside, Signal::CONT);
        }
    }

    fn send(&self, outside: &[Identity], signal: Signal) {
        // The leader has not been reaped, so its number still names its group. The group may be empty.
        let _ = kill_process_group(self.leader.pid, signal);
        for identity in outside {
            identity.send(signal);
        }
    }

    /// Waits until all that were signalled are gone.
    pub async fn members_gone(&mut self) {
        while let Some(member) = self.members.last_mut() {
            match member {
                Member::Watched(watch) => watch.exited().await,
                Member::LookedAt(identity) => {
                    while identity.is_alive() {
                        tokio::time::sleep(LOOK).await;
                    }
                }
            }
            self.members.pop();
        }
    }

    /// Gives the places in the guardian's table back.
    pub fn release(&mut self, registry: &Registry) {
        for (_, registration) in self.escaped.drain(..) {
            registry.release(registration, || {});
        }
    }

    /// Reads the whole process table, on a thread of its own.
    async fn look_everywhere(&self, engine: &'static Engine, pipes: Vec<u64>) -> Vec<Process> {
        let leader = self.leader;
        let escaped: Vec<Identity> = self.escaped.iter().map(|(identity, _)| *identity).collect();
        let look = move || find_all(leader, &escaped, &pipes, engine.registry());
        // Without a thread to look there is still the leader's group.
        tokio::task::spawn_blocking(look).await.unwrap_or_default()
    }

    const fn group(&self) -> i32 {
        self.leader.pid.as_raw_nonzero().get()
    }
}

fn watch(index: usize, process: &Process) -> Option<Member> {
    let identity = process.identity;
    if index >= MOST_DESCRIPTORS {
        return Some(Member::LookedAt(identity));
    }
    let pinned = pidfd::open(identity.pid);
    // The number was looked up before the pidfd pinned it.
    if !identity.is_alive() {
        return None;
    }
    let watch = pinned.and_then(|pidfd| ExitWatch::new(identity.pid, Some(pidfd)));
    Some(watch.map_or(Member::LookedAt(identity), Member::Watched))
}

/// All living processes of the job but its leader.
fn find_all(leader: Identity, escaped: &[Identity], pipes: &[u64], registry: &Registry) -> Vec<Process> {
    let own = rustix::process::getpid();
    let number = leader.pid.as_raw_nonzero().get();
    let candidates: Vec<Process> = tree::snapshot()
        .into_iter()
        .filter(|process| {
            let identity = process.identity;
            let is_other_job = !escaped.contains(&identity) && registry.leads_a_job(identity);
            !process.is_zombie
                && identity != leader
                && identity.pid != own
                && identity.start >= leader.start
                && !is_other_job
        })
        .collect();
    let mut known: HashSet<i32> = candidates
        .iter()
        .filter(|process| {
            process.group == number || process.session == number || escaped.contains(&process.identity)
        })
        .map(pid_number)
        .chain([number])
        .collect();
    close_over_children(&candidates, &mut known);
    if !pipes.is_empty() {
        let holders: Vec<i32> = candidates
            .iter()
            .filter(|process| !known.contains(&pid_number(process)))
            .filter(|process| holds_any_pipe(process.identity.pid, pipes))
            .map(pid_number)
            .collect();
        known.extend(holders);
        close_over_children(&candidates, &mut known);
    }
    candidates.into_iter().filter(|process| known.contains(&pid_number(process))).collect()
}

/// Kills what a finished job has left in its session, when the job was ended by force. Its leader has been reaped, so
/// single processes are signalled, each by its identity.
pub fn sweep(leader: Identity, registry: &Registry) {
    for process in find_all(leader, &[], &[], registry) {
        process.identity.send(Signal::KILL);
    }
}
