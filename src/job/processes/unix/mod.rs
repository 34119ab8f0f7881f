//! The processes of a job on Unix, and how to signal all of them.
//!
//! The processes of a job are
//!
//! * its leader's process group and session;
//! * every descendant, also in other groups and sessions. While the leader lives, orphans below it become its
//!   children (it is their *subreaper*);
//! * each process that holds the job's output open for writing, if it is no older than the job;
//! * each process that carries the job's tag, if the job has one: children inherit the tag in any group and
//!   session.
//!
//! Never: this process, the leaders of other jobs, and processes that are older than the job.
//!
//! Start with [`JobProcesses`]. Its leader is the process that the engine spawned, `members` are the
//! processes whose exit the job waits for. [`crate::engine::scan`] finds them.
//!
//! `local` is a command on this machine, `remote` one on a [target](crate::target), `durable` one that
//! outlives the host.

#[cfg(target_os = "linux")]
pub(in crate::job) mod durable;
pub(in crate::job) mod local;
mod members;
pub(in crate::job) mod remote;

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::{Instant, sleep, timeout};

use self::members::Members;
use crate::engine::leader::Leader;
use crate::engine::scan::{Scanner, TrackedJob};
use crate::engine::slices;
use crate::job::sandbox::SandboxPids;
use crate::process::cgroup::tree::LimitedTree;
use crate::process::identity::Identity;
use crate::process::identity::Pid;
use crate::process::signal::Signal;
use crate::process::table;
use crate::process::table::row::Process;
use crate::process::tree;
use crate::process::wait::{ProcessWatch, reap};

/// The longest time that one round of a kill waits for the death of the leader's descendants.
const ROUND_DEADLINE: Duration = Duration::from_millis(40);

/// The longest time of all rounds of a kill.
const KILL_DEADLINE: Duration = Duration::from_millis(400);

/// The time that a round without descendants waits for the leader to stop.
const LEADER_STOP_DELAY: Duration = Duration::from_millis(1);

/// The number of processes of a large tree that are signalled at once: the kernel takes about 0.1 ms of
/// processor time to end each.
const BATCH: usize = 4;

/// The longest wait for the death of a batch.
const BATCH_DEATH_DEADLINE: Duration = Duration::from_millis(20);

/// The pause after a batch whose death can't be waited for, and after each batch once a process has ignored
/// the signal.
const BATCH_PAUSE: Duration = Duration::from_millis(2);

#[derive(Debug)]
pub struct JobProcesses {
    /// The processes that were signalled or adopted, and have not exited yet.
    members: Members,
    scanner: Arc<Scanner>,
    // Dropped before the leader: the kernel may reuse its pid once it is reaped.
    tracked: TrackedJob,
    leader: Leader,
    of_sandbox: SandboxPids,
    /// The limits of all processes together, which know each process of the command.
    tree: Option<Arc<LimitedTree>>,
}

impl JobProcesses {
    /// Returns the processes of a tracked job.
    #[must_use]
    pub fn new(
        leader: Leader,
        tracked: TrackedJob,
        of_sandbox: SandboxPids,
        tree: Option<Arc<LimitedTree>>,
    ) -> Self {
        let scanner = Arc::clone(tracked.scanner());
        Self { members: Members::default(), scanner, tracked, leader, of_sandbox, tree }
    }

    /// Returns the limits of all processes together, if there are any.
    pub(in crate::job) fn tree(&self) -> Option<&LimitedTree> {
        self.tree.as_deref()
    }

    /// Returns the process that the engine spawned.
    #[must_use]
    pub const fn leader(&self) -> &Leader {
        &self.leader
    }

    /// Returns the leader's pid, which names its process group and its session too.
    #[must_use]
    pub const fn pid(&self) -> Pid {
        self.leader.identity().pid
    }

    /// Returns the pid of the command, which is the leader without a sandbox.
    #[must_use]
    pub fn command(&self) -> i32 {
        self.of_sandbox.command.unwrap_or_else(|| self.pid().as_raw_nonzero().get())
    }

    /// Returns the living processes without the leader, and without those that are exiting.
    pub async fn left(&self, pipes: Vec<u64>) -> Vec<Process> {
        let mut found = self.find(pipes).await;
        // An exiting process closes its descriptors before it is gone.
        found.retain(|process| !process.is_exiting && Some(process.pid()) != self.of_sandbox.init);
        found
    }

    /// Returns the pids of all processes, the leader first.
    pub async fn pids(&self) -> Vec<Pid> {
        let found = self.find(Vec::new()).await;
        std::iter::once(self.pid()).chain(found.iter().map(|process| process.identity.pid)).collect()
    }

    /// Returns the processes that a living leader does not wait for. A shell without job control makes its
    /// background commands ignore SIGINT and SIGQUIT (POSIX), and a process in another session is on its own.
    pub async fn in_background(&self) -> Vec<Process> {
        let found = self.left(Vec::new()).await;
        let session = self.command();
        let is_in_background =
            |process: &Process| process.session != session || table::ignores_interrupts(process.identity.pid);
        slices::filter(found, is_in_background).await
    }

    /// Adds processes to those that [`Self::members_gone`] waits for, without a signal.
    pub fn adopt(&mut self, found: &[Process]) {
        for process in found {
            self.members.add(process.identity);
        }
    }

    /// Returns the pids of the members that are still alive.
    pub async fn survivors(&self) -> Vec<i32> {
        self.members.alive().await
    }

    /// Sends a signal to all processes, and waits for none of them.
    pub async fn forward(&self, pipes: Vec<u64>, signal: Signal) {
        let mut found = self.find_with_descendants(pipes).await;
        tree::sort_by_age(&mut found);
        self.leader.signal_group(signal);
        let outside = self.outside_group(&found);
        slices::for_each(&outside, |process| send_to(process.identity, &[signal])).await;
    }

    /// Sends the kill signal to all processes, which are members from then on.
    pub async fn terminate(&mut self, pipes: Vec<u64>, signal: Signal) {
        let found = self.find_with_descendants(pipes).await;
        self.adopt(&found);
        // SIGCONT is sent too, because a stopped process handles the signal only when it runs again.
        self.end(found, &[signal, Signal::CONT]).await;
    }

    /// Sends SIGHUP to the leader and its descendants where they ignore `signal`, as a closed terminal does:
    /// an interactive shell ignores SIGTERM, but exits on SIGHUP.
    pub fn hang_up(&self, signal: Signal) {
        if self.leader.exit().is_none() && table::ignores(self.pid(), signal) {
            self.leader.identity().send(Signal::HUP);
        }
        for process in tree::descendants_up_to(self.pid(), slices::SIZE).unwrap_or_default() {
            if table::ignores(process.identity.pid, signal) {
                process.identity.send(Signal::HUP);
            }
        }
    }

    /// Kills a living leader and all its descendants. The leader dies last: while it lives, though stopped,
    /// orphans below it become its children, and the next walk finds them.
    pub async fn kill_tree(&mut self, waits_for_death: bool) {
        self.kill_below_leader(waits_for_death).await;
        self.kill_limited();
    }

    async fn kill_below_leader(&mut self, waits_for_death: bool) {
        if self.of_sandbox.is_namespace {
            // No process inside can escape. The monitor is spared at first: the init dies when the
            // monitor has reaped the command, and so does the monitor.
            let mut found = self.find_with_descendants(Vec::new()).await;
            self.adopt(&found);
            // The oldest first: a shell whose child dies before it would run its next command.
            tree::sort_by_age(&mut found);
            send_to_each(&found, &[Signal::KILL]);
            if !waits_for_death {
                self.leader.signal_group(Signal::KILL);
            }
            return;
        }
        tree::stop(self.leader.identity());
        let until = Instant::now() + if waits_for_death { KILL_DEADLINE } else { Duration::ZERO };
        loop {
            // Checked before the walk: a leader that has not stopped yet may start further processes during
            // it.
            let has_stopped = table::is_stopped_or_gone(self.pid());
            let killed = self.kill_below().await;
            self.adopt(&killed);
            if (has_stopped && killed.is_empty()) || Instant::now() >= until {
                break;
            }
            if killed.is_empty() {
                sleep(LEADER_STOP_DELAY).await;
            } else {
                // The next walk finds processes that take longer to die.
                let _ = timeout(ROUND_DEADLINE, self.members_gone()).await;
            }
        }
        self.leader.signal_group(Signal::KILL);
    }

    /// Kills all descendants of the leader.
    async fn kill_below(&self) -> Vec<Process> {
        let below = self.descendants().await;
        if below.len() <= slices::SIZE {
            send_to_each(&below, &[Signal::KILL]);
        } else {
            end_in_batches(&below, &[Signal::KILL]).await;
        }
        below
    }

    /// Kills all processes of the job, whether the leader lives or not.
    pub async fn kill_everywhere(&mut self, pipes: Vec<u64>) {
        let found = self.find(pipes).await;
        self.adopt(&found);
        self.end(found, &[Signal::KILL]).await;
        self.leader.signal_group(Signal::KILL);
        self.kill_limited();
    }

    /// Kills what is left in the cgroup, such as processes of another user. In a namespace, the kernel kills
    /// all processes with the init, and the remover must live on.
    fn kill_limited(&self) {
        if let Some(tree) = &self.tree
            && !self.of_sandbox.is_namespace
            && self.of_sandbox.remover.is_none()
        {
            tree.kill();
        }
    }

    /// Waits until all members have exited. Cancel-safe.
    pub async fn members_gone(&mut self) {
        self.members.gone().await;
    }

    /// Kills the rest of a job that was ended by force.
    pub async fn sweep(&self) {
        let found = self.find(Vec::new()).await;
        self.end(found, &[Signal::KILL]).await;
        self.leader.signal_group(Signal::KILL);
        self.kill_limited();
    }

    /// Ends the tracking of the job's processes, and reaps the leader. Members that are children of this
    /// process are reaped when they exit.
    pub fn finish(self) {
        let Self { tracked, leader, tree, .. } = self;
        if let Some(tree) = tree {
            tree.leave();
        }
        for child in tracked.children_of_host() {
            tokio::spawn(reap_later(child));
        }
        drop(tracked);
        leader.finish();
    }

    async fn find(&self, pipes: Vec<u64>) -> Vec<Process> {
        let mut found = self.scanner.find_members(self.pid().as_raw_nonzero().get(), pipes).await;
        self.add_limited(&mut found);
        found.retain(|process| Some(process.pid()) != self.of_sandbox.remover);
        found
    }

    /// Adds the processes of the cgroup that a scan does not find: those that have removed their tag.
    fn add_limited(&self, found: &mut Vec<Process>) {
        let Some(tree) = self.tree.as_ref().filter(|_| !self.of_sandbox.is_namespace) else { return };
        let known: HashSet<Pid> =
            found.iter().map(|process| process.identity.pid).chain([self.pid()]).collect();
        let new = tree.pids().into_iter().filter(|pid| !known.contains(pid)).filter_map(table::inspect);
        found.extend(new.filter(|process| !process.is_zombie));
    }

    async fn descendants(&self) -> Vec<Process> {
        let leader = self.pid();
        match slices::descendants(leader).await {
            Some(found) => found,
            None => self.scanner.run_blocking(move || tree::descendants(leader)).await.unwrap_or_default(),
        }
    }

    /// Finds all processes of the job. While the leader lives, it also walks down from the leader, because a
    /// walk sees a new process at once.
    async fn find_with_descendants(&self, pipes: Vec<u64>) -> Vec<Process> {
        let mut found = self.find(pipes).await;
        if self.leader.exit().is_some() {
            return found;
        }
        let root = self.pid();
        let below = self.descendants().await;
        let known: HashSet<Identity> = found.iter().map(|process| process.identity).collect();
        let new: Vec<Process> =
            below.into_iter().filter(|process| !known.contains(&process.identity)).collect();
        self.scanner.assign(root.as_raw_nonzero().get(), &new);
        found.extend(new);
        found
    }

    /// Sends signals that end most programs to the leader and to these processes: to the leader's whole group
    /// at once if they are few, and in batches if they are many.
    async fn end(&self, mut found: Vec<Process>, signals: &[Signal]) {
        // A parent gets the signals first, so that no shell goes on with its next command.
        tree::sort_by_age(&mut found);
        if found.len() > slices::SIZE {
            send_to(self.leader.identity(), signals);
            return end_in_batches(&found, signals).await;
        }
        for &signal in signals {
            self.leader.signal_group(signal);
        }
        send_to_each(&self.outside_group(&found), signals);
    }

    fn outside_group(&self, found: &[Process]) -> Vec<Process> {
        let group = self.pid().as_raw_nonzero().get();
        found.iter().filter(|process| process.group != group).copied().collect()
    }
}

fn send_to_each(processes: &[Process], signals: &[Signal]) {
    for process in processes {
        send_to(process.identity, signals);
    }
}

fn send_to(process: Identity, signals: &[Signal]) {
    for &signal in signals {
        process.send(signal);
    }
}

/// Sends signals that end most programs to many processes, in this order.
///
/// The kernel needs a processor for the end of each. Thousands at once would delay all other processes of the
/// machine by 200 ms, so each batch waits until the last process of the batch before has died.
async fn end_in_batches(processes: &[Process], signals: &[Signal]) {
    let mut limit = BATCH_DEATH_DEADLINE;
    for batch in processes.chunks(BATCH) {
        let last = batch.last().and_then(|process| ProcessWatch::open(process.identity.pid).ok());
        send_to_each(batch, signals);
        let Some(last) = last else {
            // The process has exited, or can't be watched.
            sleep(BATCH_PAUSE).await;
            continue;
        };
        if timeout(limit, last.exited()).await.is_err() {
            // The process ignores the signal, and the others may do so too.
            limit = BATCH_PAUSE;
        }
    }
}

/// Reaps a child of this process that it did not start itself (`CLONE_PARENT`).
async fn reap_later(child: Identity) {
    let watch = ProcessWatch::open(child.pid);
    if Identity::of(child.pid) != Some(child) {
        return;
    }
    if let Ok(watch) = watch {
        watch.exited().await;
        reap(child.pid);
    }
}

#[must_use]
pub fn pids_of(processes: &[Process]) -> Vec<i32> {
    processes.iter().map(Process::pid).collect()
}
