//! The states of a job, without a system call.
//!
//! ```text
//!            LeaderExited               OutputEnded, DrainOver               Left(nobody)
//! Running ───────────────────▶ Draining ───────────────────────▶ (Count) ───────────────────▶ settled
//!    │                            │                                 │ Left(somebody): Keep ──▶ settled
//!    │ Stop(gently)               │ Stop(gently)                    ├─ Kill ──▶ Terminating
//!    ▼                            ▼                                 └─ Adopt ─▶ Adopted
//! Terminating  (the kill signal was sent) ──────── all is over ──────────────────────────────▶ settled
//!    │ GraceOver, Survivors, Stop(at once)
//!    ▼
//! Killing      (SIGKILL was sent) ──────────────── all is over ──────────────────────────────▶ settled
//!    └─ LookAgain: whatever is left, again; after the last look ────────────────────────────▶ settled
//!
//! Adopted      (the leader has exited, others are the job now) ─ all is over, Left(nobody) ──▶ settled
//!    └─ Stop(gently) ─▶ Terminating
//! ```
//!
//! Stop(at once) leads to Killing from every other state.
//!
//! A process's exit and the end of its output are two events, in either order: what it has started may hold its
//! pipes long after it is gone, and it may close them long before.
//!
//! Whether a job has moved to the background is no state: a job goes on there as before.

pub mod clock;

use crate::job::model::outcome::Cause;
use crate::job::model::plan::Leftovers;

/// How often to look for survivors after SIGKILL before settling without them. They are in the kernel's hands
/// then (an uninterruptible sleep), or another user's.
pub const LAST_LOOK: u32 = 20;

/// Where a job is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// The process runs.
    Running,
    /// The process has exited; something may still hold its output.
    Draining,
    /// The process has exited; those that it has left are the job.
    Adopted,
    /// The kill signal has been sent to all that belongs to the job.
    Terminating,
    /// SIGKILL has been sent; so many looks for survivors have been taken.
    Killing(u32),
}

/// What can happen to a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// The process has exited.
    LeaderExited,
    /// Both streams have ended.
    OutputEnded,
    /// Output that others hold open was waited for long enough.
    DrainOver,
    /// The job's processes have been counted after the exit: whether there is one.
    Left(bool),
    /// None of the members (the signalled processes, or the adopted ones) is left.
    MembersGone,
    /// End the job: the kill signal first, SIGKILL after a grace.
    StopGently(Cause),
    /// End the job: SIGKILL.
    StopAtOnce(Cause),
    /// The grace after the kill signal is over.
    GraceOver,
    /// Time to look for survivors of SIGKILL.
    LookAgain,
    /// All that were asked to end have ended, and others are still there.
    Survivors,
}

/// What to do next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Wait for the next event.
    Wait,
    /// Count the processes of the job that are left, and tell with [`Event::Left`].
    Count,
    /// Go on in the background with those that are left.
    Adopt,
    /// Send the kill signal to all that belongs to the job.
    Terminate,
    /// Send SIGKILL to all that belongs to the job.
    Kill,
    /// The job is over.
    Settle,
}

/// A job's state.
#[derive(Debug)]
pub struct Life {
    phase: Phase,
    leftovers: Option<Leftovers>,
    cause: Option<Cause>,
    leader_exited: bool,
    output_ended: bool,
    members_gone: bool,
}

impl Life {
    /// A process that has just been started. What it leaves is dealt with so; `None` when nobody asks.
    #[must_use]
    pub const fn new(leftovers: Option<Leftovers>) -> Self {
        Self {
            phase: Phase::Running,
            leftovers,
            cause: None,
            leader_exited: false,
            output_ended: false,
            members_gone: true,
        }
    }

    /// Where the job is.
    #[must_use]
    pub const fn phase(&self) -> Phase {
        self.phase
    }

    /// Why it was ended, if it was.
    #[must_use]
    pub const fn cause(&self) -> Option<Cause> {
        self.cause
    }

    /// Whether the process has exited.
    #[must_use]
    pub const fn leader_exited(&self) -> bool {
        self.leader_exited
    }

    /// Whether the job is being ended.
    #[must_use]
    pub const fn is_stopping(&self) -> bool {
        matches!(self.phase, Phase::Terminating | Phase::Killing(_))
    }

    /// Whether members have yet to be seen gone.
    #[must_use]
    pub const fn waits_for_members(&self) -> bool {
        !self.members_gone
    }

    /// Takes an event in and says what to do.
    pub fn apply(&mut self, event: Event) -> Step {
        match (event, self.phase) {
            (Event::LeaderExited, _) => self.leader_exited = true,
            (Event::OutputEnded, _) => self.output_ended = true,
            (Event::MembersGone, _) => self.members_gone = true,
            (Event::DrainOver, Phase::Draining) => return self.drained(),
            (Event::Left(false), Phase::Draining | Phase::Adopted)
            | (Event::LookAgain, Phase::Killing(LAST_LOOK)) => return Step::Settle,
            (Event::Left(true), Phase::Draining) => return self.deal_with_leftovers(),
            (Event::Left(true), Phase::Adopted) => self.members_gone = false,
            (Event::StopGently(cause), Phase::Running | Phase::Draining | Phase::Adopted) => {
                self.cause = Some(cause);
                return self.terminate();
            }
            (Event::StopAtOnce(cause), Phase::Killing(_)) => {
                self.cause.get_or_insert(cause);
            }
            (Event::StopAtOnce(cause), _) => {
                self.cause.get_or_insert(cause);
                return self.kill(0);
            }
            (Event::GraceOver | Event::Survivors, Phase::Terminating) => return self.kill(0),
            (Event::LookAgain, Phase::Killing(looks)) => return self.kill(looks + 1),
            // Too late, or too early: it is being ended already, or the timer fired for nothing.
            (
                Event::DrainOver
                | Event::Left(_)
                | Event::StopGently(_)
                | Event::GraceOver
                | Event::LookAgain
                | Event::Survivors,
                _,
            ) => {}
        }
        self.next()
    }

    fn next(&mut self) -> Step {
        if self.phase == Phase::Running && self.leader_exited {
            self.phase = Phase::Draining;
        }
        match self.phase {
            Phase::Draining if self.output_ended => self.drained(),
            Phase::Adopted if self.output_ended && self.members_gone => Step::Count,
            Phase::Terminating | Phase::Killing(_) if self.is_over() => Step::Settle,
            _ => Step::Wait,
        }
    }

    const fn is_over(&self) -> bool {
        self.leader_exited && self.output_ended && self.members_gone
    }

    const fn drained(&self) -> Step {
        if self.leftovers.is_some() { Step::Count } else { Step::Settle }
    }

    fn deal_with_leftovers(&mut self) -> Step {
        match self.leftovers {
            None | Some(Leftovers::Keep) => Step::Settle,
            Some(Leftovers::Kill) => self.terminate(),
            Some(Leftovers::Adopt) => {
                self.phase = Phase::Adopted;
                self.members_gone = false;
                Step::Adopt
            }
        }
    }

    fn terminate(&mut self) -> Step {
        self.phase = Phase::Terminating;
        self.members_gone = false;
        Step::Terminate
    }

    fn kill(&mut self, looks: u32) -> Step {
        self.phase = Phase::Killing(looks);
        self.members_gone = false;
        Step::Kill
    }
}

#[cfg(test)]
mod fake_child;
#[cfg(test)]
mod tests;
