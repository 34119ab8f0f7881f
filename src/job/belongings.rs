//! Which processes belong to a job, and how to signal all of them.
//!
//! * The leader's process group and session.
//! * Every descendant, also in other groups and sessions. While the leader lives, orphans below it become its
//!   children (it is their *subreaper*), so repeated walks down from it find them all. Those that have left the group are
//!   noted from time to time, and whenever they are signalled, since they are handed to init when the leader ends.
//! * Whoever holds the job's output open for writing.
//! * Whoever carries the job's tag, if it has one: that is inherited wherever a process goes.
//!
//! Never: this process, the leaders of other jobs, and processes that are older than the job.

use std::collections::{HashMap, HashSet};
use std::time::Duration;

use rustix::process::{Pid, Signal};
use tokio::time::{Instant, sleep, timeout};

use super::engine::Engine;
use super::leader::Leader;
use super::looker::elsewhere;
use crate::process::identity::Identity;
use crate::process::memory::peak_of;
use crate::process::pidfd;
use crate::process::registry::{Owner, Registration, Registry};
use crate::process::spare;
use crate::process::tag::Tag;
use crate::process::tree::{self, Moment, Process, close_over_children, holds_any_pipe, pid_number};
use crate::process::wait::PidfdWatch;

/// So many members are watched by a descriptor each; the others are looked at from time to time.
const MOST_DESCRIPTORS: usize = 256;

/// How often (for those).
const LOOK: Duration = Duration::from_millis(10);

/// How long the processes below a leader that is being killed may take to die each time, and all in all; and how long to
/// wait when there are none, but the leader has not stopped yet.
const DEATH: Duration = Duration::from_millis(40);
const LONGEST_KILL: Duration = Duration::from_millis(400);
const REST: Duration = Duration::from_millis(1);

/// So many process numbers are looked at on the I/O thread; more are left to another thread.
const FEW_NUMBERS: usize = 64;

/// To look at so many takes no longer than to walk down from a leader that has a child or two.
const FEWER_THAN_A_WALK: usize = 8;

/// The processes of a job.
#[derive(Debug)]
pub struct Belongings {
    leader: Identity,
    /// When the job began. All of it but the leader is younger.
    since: Option<Moment>,
    /// Whose it is, if it does not outlive that one.
    owner: Option<Owner>,
    tag: Option<Tag>,
    /// Known to have left the leader's group, with their places in the guardian's table, if they have one.
    escaped: HashMap<Identity, Option<Registration>>,
    /// Asked to end, and not yet seen to be gone.
    members: HashMap<Identity, Member>,
    /// The most memory that one of them was seen to have had (bytes).
    peak_memory: Option<u64>,
}

#[derive(Debug)]
enum Member {
    Watched(PidfdWatch),
    LookedAt,
}

impl Belongings {
    /// Those of the job that this process leads. Without an owner they are no concern of the guardian's.
    #[must_use]
    pub fn new(leader: Identity, owner: Option<Owner>, tag: Option<Tag>) -> Self {
        let (escaped, members) = (HashMap::new(), HashMap::new());
        Self { leader, since: Moment::start_of(leader), owner, tag, escaped, members, peak_memory: None }
    }

    /// They have begun at this moment, if it is known, though their leader is older.
    #[must_use]
    pub fn since(self, moment: Option<Moment>) -> Self {
        Self { since: moment.or(self.since), ..self }
    }

    /// The most memory that one of them was seen to have had (bytes).
    #[must_use]
    pub const fn peak_memory(&self) -> Option<u64> {
        self.peak_memory
    }

    /// Sees how much memory they have had so far.
    pub fn see_memory(&mut self, below: &[Process]) {
        let all = below.iter().map(|process| process.identity.pid).chain([self.leader.pid]);
        self.peak_memory = all.filter_map(peak_of).chain(self.peak_memory).max();
    }

    /// Who is left now that the leader has exited. Cheap when few processes were started meanwhile.
    pub async fn left(&mut self, engine: &'static Engine, pipes: Vec<u64>) -> Vec<Process> {
        let mut found = self.look_everywhere(engine, pipes).await;
        // What a process had open is closed some moments before it is gone.
        found.retain(|process| !process.is_exiting);
        self.note(&found, engine.registry());
        found
    }

    /// Watches these until they are gone, without a signal.
    pub fn adopt(&mut self, found: &[Process], registry: &Registry) {
        self.expect_end(found, registry);
    }

    /// The numbers of those that were asked to end and have not.
    #[must_use]
    pub fn survivors(&self) -> Vec<i32> {
        let alive = self.members.keys().filter(|identity| identity.is_alive());
        let mut numbers: Vec<i32> = alive.map(|identity| identity.pid.as_raw_nonzero().get()).collect();
        numbers.sort_unstable();
        numbers
    }

    /// Notes who has left the group: below a living leader, or among all who hold these pipes when it is gone. All that
    /// were found.
    pub async fn note_escaped(
        &mut self,
        engine: &'static Engine,
        pipes: Vec<u64>,
        leader: &Leader,
    ) -> Vec<Process> {
        let found = self.find(engine, pipes, leader).await;
        self.note(&found, engine.registry());
        found
    }

    /// Sends a signal to all that can be reached, and expects nothing of it.
    pub async fn forward(
        &mut self,
        engine: &'static Engine,
        pipes: Vec<u64>,
        leader: &Leader,
        signal: Signal,
    ) {
        let found = self.find(engine, pipes, leader).await;
        self.note(&found, engine.registry());
        self.send(&found, leader, signal);
    }

    /// Asks all that can be reached to end.
    pub async fn terminate(
        &mut self,
        engine: &'static Engine,
        pipes: Vec<u64>,
        leader: &Leader,
        signal: Signal,
    ) {
        let found = self.find(engine, pipes, leader).await;
        self.expect_end(&found, engine.registry());
        self.send(&found, leader, signal);
        // A stopped process takes the signal when it goes on.
        self.send(&found, leader, Signal::CONT);
    }

    /// Kills a living leader and all that is below it. The leader goes last: while it lives, stopped as it may be,
    /// orphans below it come to it, and the next look finds them.
    pub async fn kill_tree(&mut self, engine: &'static Engine, leader: &Leader, is_patient: bool) {
        tree::stop(self.leader);
        let until = Instant::now() + if is_patient { LONGEST_KILL } else { Duration::ZERO };
        loop {
            // Before the look: what it starts comes before its rest.
            let is_at_rest = tree::is_at_rest(self.leader.pid);
            let below = tree::descendants(self.leader.pid);
            self.expect_end(&below, engine.registry());
            for process in &below {
                process.identity.send(Signal::KILL);
            }
            if (is_at_rest && below.is_empty()) || Instant::now() >= until {
                break;
            }
            if below.is_empty() {
                sleep(REST).await;
            } else {
                // Whoever does not die that soon is looked for again.
                let _ = timeout(DEATH, self.members_gone()).await;
            }
        }
        self.send(&[], leader, Signal::KILL);
    }

    /// Kills all that can be found in the whole process table.
    pub async fn kill_everywhere(&mut self, engine: &'static Engine, pipes: Vec<u64>, leader: &Leader) {
        let found = self.look_everywhere(engine, pipes).await;
        self.expect_end(&found, engine.registry());
        self.send(&found, leader, Signal::KILL);
    }

    /// Waits until all that were asked to end are gone. May be dropped and called again.
    pub async fn members_gone(&mut self) {
        while let Some((&identity, member)) = self.members.iter().next() {
            match member {
                Member::Watched(watch) => watch.exited().await,
                Member::LookedAt => {
                    while identity.is_alive() {
                        sleep(LOOK).await;
                    }
                }
            }
            self.members.remove(&identity);
        }
    }

    /// Kills what is left anywhere, of a job that was ended by force.
    pub async fn sweep(&self, engine: &'static Engine, leader: &Leader) {
        leader.signal_group(Signal::KILL);
        for process in self.look_everywhere(engine, Vec::new()).await {
            process.identity.send(Signal::KILL);
        }
    }

    /// Gives the places in the guardian's table back.
    pub fn release(&mut self, registry: &Registry) {
        for registration in self.escaped.drain().filter_map(|(_, registration)| registration) {
            registry.release(registration, || {});
        }
    }

    /// Among those that have come since, if they are few; else from the leader while it lives, and in the whole process
    /// table when it is gone.
    async fn find(&self, engine: &'static Engine, pipes: Vec<u64>, leader: &Leader) -> Vec<Process> {
        if leader.has_exited() {
            return self.look_everywhere(engine, pipes).await;
        }
        if tree::has_no_children(self.leader.pid) {
            return Vec::new();
        }
        self.look_among_few(engine, &self.wanted(pipes), FEWER_THAN_A_WALK)
            .unwrap_or_else(|| tree::descendants(self.leader.pid))
    }

    /// Among all who have come since the leader: here if they are few, and else on another thread.
    async fn look_everywhere(&self, engine: &'static Engine, pipes: Vec<u64>) -> Vec<Process> {
        let wanted = self.wanted(pipes);
        if let Some(found) = self.look_among_few(engine, &wanted, FEW_NUMBERS) {
            return found;
        }
        let since = self.since;
        let look = move || {
            let _loan = spare::borrow();
            wanted.among(tree::newer_than(since), engine.registry())
        };
        elsewhere(look).await.unwrap_or_default()
    }

    /// `None` when too many have come since.
    fn look_among_few(&self, engine: &'static Engine, wanted: &Wanted, most: usize) -> Option<Vec<Process>> {
        let _loan = spare::borrow();
        tree::few_newer_than(self.since, most).map(|few| wanted.among(few, engine.registry()))
    }

    fn wanted(&self, pipes: Vec<u64>) -> Wanted {
        Wanted { leader: self.leader, escaped: self.escaped.keys().copied().collect(), pipes, tag: self.tag }
    }

    fn note(&mut self, found: &[Process], registry: &Registry) {
        self.forget_the_dead(registry);
        for process in found.iter().filter(|process| process.group != self.leader.pid.as_raw_nonzero().get())
        {
            self.escaped
                .entry(process.identity)
                .or_insert_with(|| registry.note(process.identity, self.owner.as_ref()?));
        }
    }

    fn forget_the_dead(&mut self, registry: &Registry) {
        for (_, registration) in self.escaped.extract_if(|identity, _| !identity.is_alive()) {
            if let Some(registration) = registration {
                registry.release(registration, || {});
            }
        }
    }

    fn expect_end(&mut self, found: &[Process], registry: &Registry) {
        self.note(found, registry);
        for process in found {
            if !self.members.contains_key(&process.identity)
                && let Some(member) = watch(process.identity, self.members.len())
            {
                self.members.insert(process.identity, member);
            }
        }
    }

    /// To the leader's group, and to those outside of it, one by one.
    fn send(&self, found: &[Process], leader: &Leader, signal: Signal) {
        let outside = found
            .iter()
            .filter(|process| process.group != self.leader.pid.as_raw_nonzero().get())
            .map(|process| process.identity);
        let outside: HashSet<Identity> = outside.chain(self.escaped.keys().copied()).collect();
        leader.signal_group(signal);
        for identity in outside {
            identity.send(signal);
        }
    }
}

fn watch(identity: Identity, watched: usize) -> Option<Member> {
    if watched >= MOST_DESCRIPTORS {
        return Some(Member::LookedAt);
    }
    let pinned = pidfd::open(identity.pid);
    // The number was looked up before the pidfd pinned it.
    if !identity.is_alive() {
        return None;
    }
    let watch = pinned.and_then(PidfdWatch::new);
    Some(watch.map_or(Member::LookedAt, Member::Watched))
}

/// A child of ours that has not executed yet has a copy of all our descriptors, writing ends of pipes among them.
fn is_being_spawned(process: &Process, own: Pid, escaped: &HashSet<Identity>) -> bool {
    // To the first process of a container orphans come like its own children.
    own.as_raw_nonzero().get() != 1
        && process.parent == own.as_raw_nonzero().get()
        && !escaped.contains(&process.identity)
}

/// How a job's processes are known among all others.
struct Wanted {
    leader: Identity,
    escaped: HashSet<Identity>,
    pipes: Vec<u64>,
    tag: Option<Tag>,
}

impl Wanted {
    /// All living processes of the job but its leader.
    fn among(&self, table: Vec<Process>, registry: &Registry) -> Vec<Process> {
        let own = rustix::process::getpid();
        let number = self.leader.pid.as_raw_nonzero().get();
        let leaders = registry.leaders();
        let candidates: Vec<Process> = table
            .into_iter()
            .filter(|process| {
                let identity = process.identity;
                !process.is_zombie
                    && identity.pid != self.leader.pid
                    && identity.pid != own
                    && identity.start >= self.leader.start
                    && !leaders.contains(&identity)
            })
            .collect();
        let mut known: HashSet<i32> = candidates
            .iter()
            .filter(|process| {
                process.group == number
                    || process.session == number
                    || self.escaped.contains(&process.identity)
            })
            .map(pid_number)
            .chain([number])
            .collect();
        close_over_children(&candidates, &mut known);
        let strangers: Vec<i32> = candidates
            .iter()
            .filter(|process| !known.contains(&pid_number(process)))
            .filter(|process| self.is_known_by_itself(process, own))
            .map(pid_number)
            .collect();
        if !strangers.is_empty() {
            known.extend(strangers);
            close_over_children(&candidates, &mut known);
        }
        candidates.into_iter().filter(|process| known.contains(&pid_number(process))).collect()
    }

    fn is_known_by_itself(&self, process: &Process, own: Pid) -> bool {
        let pid = process.identity.pid;
        let has_tag = self.tag.is_some() && tree::tag_of(pid) == self.tag.map(Tag::number);
        has_tag
            || (!self.pipes.is_empty()
                && !is_being_spawned(process, own, &self.escaped)
                && holds_any_pipe(pid, &self.pipes))
    }
}
