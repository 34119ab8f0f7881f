//! The trait by which the task of a job finds and signals the processes of its command, on this machine or on
//! a target.

use crate::process::signal::Signal;

use crate::job::execution::Execution;
use crate::job::life::Step;
use crate::job::model::outcome::{End, Outcome};
use crate::job::state::CommandState;
use crate::process::pty::WindowSize;
use crate::sandbox::network::ask::ConnectEvent;

/// An event that a job waits for, besides those of its streams.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::job) enum ProcessEvent {
    /// The leader has exited.
    Exit,
    /// All members have exited.
    MembersGone,
    /// A connection of a process waits for an answer of a person, or does no longer.
    Connect(ConnectEvent),
}

/// The events that a job waits for.
#[derive(Clone, Copy, Debug)]
pub(in crate::job) struct AwaitedEvents {
    pub(in crate::job) exit: bool,
    pub(in crate::job) members_gone: bool,
}

impl AwaitedEvents {
    /// Waits for the first wanted event of a command whose reaper reports both. `changed` waits for the exit
    /// of the leader, or with true until no process is left. As cancel-safe as `changed`.
    pub(in crate::job) async fn of_reaper(self, changed: impl AsyncFnOnce(bool)) -> ProcessEvent {
        if self.exit {
            changed(false).await;
            return ProcessEvent::Exit;
        }
        if !self.members_gone {
            std::future::pending::<()>().await;
        }
        changed(true).await;
        ProcessEvent::MembersGone
    }
}

/// The processes of a command. The state machine ([`crate::job::life`]) decides what is done with them.
///
/// `pipes` are the inodes of the job's open outputs, whose other holders count as its processes too.
pub(in crate::job) trait CommandProcesses {
    /// Returns the command's pid.
    fn pid(&self) -> i32;

    /// Returns how the leader ended; `None` while it runs.
    fn end(&self) -> Option<End>;

    /// Waits for the first of the wanted events. Cancel-safe.
    async fn next(&mut self, wanted: AwaitedEvents) -> ProcessEvent;

    /// Returns the pids of the living processes without the leader.
    async fn left(&mut self, pipes: Vec<u64>) -> Vec<i32>;

    /// Makes those that [`Self::left`] has found last members, whose exit the job waits for.
    fn adopt(&mut self);

    /// Returns the pids of the processes that a living leader does not wait for.
    async fn in_background(&mut self) -> Vec<i32>;

    /// Returns the pids of the members that are still alive.
    async fn survivors(&mut self) -> Vec<i32>;

    /// Sends a signal to all processes, and waits for none of them.
    async fn forward(&mut self, pipes: Vec<u64>, signal: Signal);

    /// Sends the kill signal to all processes, which are members from then on.
    async fn terminate(&mut self, pipes: Vec<u64>, signal: Signal, has_terminal: bool);

    /// Kills a living leader and everything below it.
    async fn kill_tree(&mut self, waits_for_death: bool);

    /// Kills all processes, whether the leader lives or not.
    async fn kill_everywhere(&mut self, pipes: Vec<u64>);

    /// Returns whether the processes have a supervisor that sends SIGKILL after the grace, and again, by
    /// itself.
    fn owns_life(&self) -> bool {
        false
    }

    /// Lets the processes go, which run on, when they have the queued input. `last_input` writes it, and
    /// tells whether that was all of it. Returns whether they can do so.
    async fn detach(&mut self, _last_input: impl Future<Output = bool>) -> bool {
        false
    }

    /// Changes the size of a terminal that is not on this machine.
    fn resize(&self, size: WindowSize);

    /// Runs the inspections that are due.
    async fn inspect(&mut self, execution: &mut Execution) -> Step;

    /// Describes the processes, and what the sandbox has refused. Nothing is known of a target.
    async fn state(&self) -> CommandState;

    /// Notes what the command has changed in an overlay, before its end is reported.
    async fn record_changes(&self);

    /// Adds to an outcome what is known of the processes. Must be called before [`Self::finish`].
    fn describe(&mut self, outcome: &mut Outcome);

    /// Kills the rest of a job that was ended by force.
    async fn sweep(&mut self);

    /// Lets the leader go. What is left of the processes lives on.
    fn finish(self);
}
