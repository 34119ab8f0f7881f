//! The states of a job, and of a command of a session: a state machine without system calls. [`Life`] decides
//! what follows from an exit, the end of output, a timeout and a stop. Its callers carry out the steps, and
//! decide how processes are found and signalled: `job/task.rs` with [`crate::job::processes`], and
//! [`crate::session`] with its shell.
//!
//! ```text
//!            LeaderExited               OutputEnded, DrainOver               Left(none)
//! Running ───────────────────▶ Draining ───────────────────────▶ (Count) ───────────────────▶ settled
//!    │                            │                                 │ Left(some): Keep ────▶ settled
//!    │ StopGently                 │ StopGently                      ├─ Kill ──▶ Terminating
//!    ▼                            ▼                                 └─ Adopt ─▶ Adopted
//! Terminating  (the kill signal was sent) ──────── all is over, no survivors ────────────────▶ settled
//!    │ GraceOver, Survivors(some), StopAtOnce
//!    ▼
//! Killing      (SIGKILL was sent) ──────────────── all is over ──────────────────────────────▶ settled
//!    └─ RecheckDue: SIGKILL to the rest, again; after the last round ────────────────────────▶ settled
//!
//! Adopted      (the leader has exited, others are the job now) ─ all is over, Left(none) ────▶ settled
//!    └─ StopGently ─▶ Terminating
//! ```
//!
//! `StopAtOnce` leads to Killing from every other state. A timeout stops gently, or answers and goes on in
//! the background. A list of a session's shell ([`CommandForm::List`]) has no leader of its own: its report
//! counts as the exit, its end by force waits for no output, and survivors of that are terminated in their
//! turn.
//!
//! The exit of a process and the end of its output are two events, in either order: its children may hold its
//! pipes long after the exit, and a process may close them long before.
//!
//! Background is no state, because nothing changes for the process. The caller has its answer, so an abort of
//! the call no longer ends the job.

pub mod clock;

use crate::job::model::outcome::Cause;
use crate::job::model::plan::{Leftovers, Plan};

/// The number of rounds of SIGKILL after the first one. Then the job settles without its survivors: they are
/// in an uninterruptible sleep, or belong to another user. 20 rounds take half a second.
pub const LAST_ROUND: u32 = 20;

/// The state of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// The process runs.
    Running,
    /// The process has exited; something may still hold its output.
    Draining,
    /// The process has exited; the processes that it left are the job.
    Adopted,
    /// The kill signal has been sent to all processes of the job.
    Terminating,
    /// SIGKILL has been sent, and sent again this many times.
    Killing(u32),
}

/// An event in the life of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// The process has exited, or the list has ended.
    LeaderExited,
    /// The list had ended before its stop reached a process, so the stop is not its cause. The exit is
    /// reported next.
    ExitedBeforeStop,
    /// Both streams have ended.
    OutputEnded,
    /// Output that other processes hold open was waited for long enough.
    DrainOver,
    /// The job's processes have been counted after the exit: whether any is left.
    Left(bool),
    /// None of the members (the signalled processes, or the adopted ones) is left.
    MembersGone,
    /// The timeout is over.
    TimeUp,
    /// End the job: the kill signal first, SIGKILL after a grace.
    StopGently(Cause),
    /// End the job as by [`Event::StopGently`], but by a signal that the caller has chosen.
    StopBySignal(Cause),
    /// End the job: SIGKILL.
    StopAtOnce(Cause),
    /// The grace after the kill signal is over.
    GraceOver,
    /// Survivors of SIGKILL are due to be killed again.
    RecheckDue,
    /// The job's processes have been counted after all that were signalled have ended: whether any is left.
    Survivors(bool),
}

/// The next step of the task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Wait for the next event.
    Wait,
    /// Count the processes of the job that are left, and report [`Event::Left`].
    Count,
    /// Count the processes of the job once more, and report [`Event::Survivors`].
    CountSurvivors,
    /// Answer with the outcome so far: the process runs on in the background.
    MoveToBackground,
    /// Answer with the exit: the processes that are left go on in the background.
    Adopt,
    /// Send the kill signal to all processes of the job: to those outside of the leader's tree that hold its
    /// output only if the leader has exited.
    Terminate,
    /// Send the chosen signal once more: the caller has repeated its request.
    SignalAgain,
    /// Send SIGKILL to all processes of the job.
    Kill,
    /// Report the outcome, and release the leader. No step follows.
    Settle,
}

/// The form in which a command runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CommandForm {
    /// A process of its own: the leader of a job.
    #[default]
    Process,
    /// A list of commands in the shell of a session, which lives on.
    ///
    /// The list's streams are replaced after a stop, because processes of earlier commands may hold them: so
    /// nothing waits for their end. A shell that gives its list up may start one more program, which gets the
    /// kill signal too, even where SIGKILL never follows.
    List,
}

/// The part of a plan that decides the life of its job.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Terms {
    /// The treatment of processes that are left after the exit; `None` when no caller asks about them.
    pub leftovers: Option<Leftovers>,
    /// Whether the job goes on in the background at its timeout.
    pub moves_to_background: bool,
    /// Whether the kill signal is SIGKILL.
    pub kills_at_once: bool,
    /// Whether SIGKILL follows the kill signal. Then processes that outlive the signalled ones are killed
    /// too.
    pub is_forced: bool,
    pub runs: CommandForm,
}

impl Terms {
    /// Returns the terms of a plan.
    #[must_use]
    pub fn of(plan: &Plan) -> Self {
        Self {
            leftovers: plan.leftovers,
            moves_to_background: plan.times.moves_to_background,
            kills_at_once: plan.ending.is_at_once(),
            is_forced: plan.ending.grace.is_some(),
            runs: CommandForm::Process,
        }
    }

    /// Returns the terms of a plan for a command of a session: it never goes on in the background, and the
    /// session itself counts the processes that are left.
    #[must_use]
    pub fn of_list(plan: &Plan) -> Self {
        Self { leftovers: None, moves_to_background: false, runs: CommandForm::List, ..Self::of(plan) }
    }
}

/// A job's state.
#[derive(Debug)]
pub struct Life {
    terms: Terms,
    phase: Phase,
    cause: Option<Cause>,
    is_in_background: bool,
    seen: ReportedEnds,
    /// Whether the kill signal has been sent to processes outside of the leader's tree that hold the output.
    has_signalled_holders: bool,
    has_no_survivors: bool,
}

/// The ends that the task has reported.
#[derive(Debug)]
struct ReportedEnds {
    leader_exited: bool,
    output_ended: bool,
    /// Whether all members are gone; true while the job has none.
    members_gone: bool,
}

impl Life {
    /// Returns the state of a process that has just been started. It is in the background if the launch took
    /// so long that the caller has its answer already.
    #[must_use]
    pub const fn new(terms: Terms, is_in_background: bool) -> Self {
        Self {
            terms,
            phase: Phase::Running,
            cause: None,
            is_in_background,
            seen: ReportedEnds { leader_exited: false, output_ended: false, members_gone: true },
            has_signalled_holders: false,
            has_no_survivors: false,
        }
    }

    /// Returns the state.
    #[must_use]
    pub const fn phase(&self) -> Phase {
        self.phase
    }

    /// Returns why the job was ended, if it was. The first cause counts.
    #[must_use]
    pub const fn cause(&self) -> Option<Cause> {
        self.cause
    }

    /// Returns whether the job has answered and goes on.
    #[must_use]
    pub const fn is_in_background(&self) -> bool {
        self.is_in_background
    }

    /// Returns whether the process has exited.
    #[must_use]
    pub const fn leader_exited(&self) -> bool {
        self.seen.leader_exited
    }

    /// Returns whether the job is being ended.
    #[must_use]
    pub const fn is_stopping(&self) -> bool {
        matches!(self.phase, Phase::Terminating | Phase::Killing(_))
    }

    /// Returns whether the job waits for the exit of members.
    #[must_use]
    pub const fn waits_for_members(&self) -> bool {
        !self.seen.members_gone
    }

    /// Returns whether the last count of a job that was ended found no process: then none is left that could
    /// start another one.
    #[must_use]
    pub const fn has_no_survivors(&self) -> bool {
        self.has_no_survivors
    }

    /// Applies an event, and returns the next step of the task.
    pub fn apply(&mut self, event: Event) -> Step {
        match (event, self.phase) {
            (Event::LeaderExited, _) => self.seen.leader_exited = true,
            (Event::ExitedBeforeStop, _) => {
                self.phase = Phase::Running;
                self.cause = None;
                self.seen.members_gone = true;
            }
            (Event::OutputEnded, _) => self.seen.output_ended = true,
            (Event::MembersGone, _) => self.seen.members_gone = true,
            (Event::DrainOver, Phase::Draining) => return self.drained(),
            (Event::Left(false), Phase::Draining | Phase::Adopted)
            | (Event::RecheckDue, Phase::Killing(LAST_ROUND)) => return Step::Settle,
            (Event::Left(true), Phase::Draining) => return self.deal_with_leftovers(),
            (Event::Left(true), Phase::Adopted) => self.seen.members_gone = false,
            (Event::TimeUp, Phase::Running | Phase::Draining | Phase::Adopted) => {
                return self.handle_timeout();
            }
            // The caller has its answer already.
            (
                Event::StopGently(Cause::Aborted)
                | Event::StopBySignal(Cause::Aborted)
                | Event::StopAtOnce(Cause::Aborted),
                _,
            ) if self.is_in_background => {}
            (
                Event::StopGently(cause) | Event::StopBySignal(cause),
                Phase::Running | Phase::Draining | Phase::Adopted,
            ) => {
                self.cause = Some(cause);
                return self.terminate();
            }
            (Event::StopBySignal(_), Phase::Terminating | Phase::Killing(_)) => return Step::SignalAgain,
            (Event::StopAtOnce(cause), Phase::Killing(_)) => {
                self.cause.get_or_insert(cause);
            }
            (Event::StopAtOnce(cause), _) => {
                self.cause.get_or_insert(cause);
                return self.kill(0);
            }
            (Event::Survivors(false), Phase::Terminating | Phase::Killing(_)) => {
                self.has_no_survivors = true;
                return Step::Settle;
            }
            (Event::Survivors(true), Phase::Terminating) if self.terms.runs == CommandForm::List => {
                return self.terminate();
            }
            (Event::GraceOver | Event::Survivors(true), Phase::Terminating)
            | (Event::Survivors(true), Phase::Killing(_)) => return self.kill(0),
            (Event::RecheckDue, Phase::Killing(rounds)) => return self.kill(rounds + 1),
            // Events without an effect: the job is being ended already, or a timer has fired late.
            (
                Event::DrainOver
                | Event::Left(_)
                | Event::TimeUp
                | Event::StopGently(_)
                | Event::GraceOver
                | Event::RecheckDue
                | Event::Survivors(_),
                _,
            ) => {}
        }
        self.next()
    }

    fn next(&mut self) -> Step {
        if self.phase == Phase::Running && self.seen.leader_exited {
            self.phase = Phase::Draining;
        }
        match self.phase {
            Phase::Draining if self.seen.output_ended => self.drained(),
            Phase::Adopted if self.seen.output_ended && self.seen.members_gone => Step::Count,
            Phase::Terminating | Phase::Killing(_) if self.is_over() && self.counts_survivors() => {
                Step::CountSurvivors
            }
            Phase::Terminating | Phase::Killing(_) if self.is_over() => Step::Settle,
            Phase::Terminating if self.are_holders_due() => self.terminate(),
            _ => Step::Wait,
        }
    }

    /// Returns whether the processes are counted after an end by force: a leader may start some between the
    /// kill signal and its exit, and a shell may start one after all others have died.
    fn counts_survivors(&self) -> bool {
        match self.terms.runs {
            CommandForm::Process => self.phase == Phase::Terminating && self.terms.is_forced,
            CommandForm::List => true,
        }
    }

    fn is_over(&self) -> bool {
        let has_output = !self.seen.output_ended && self.terms.runs == CommandForm::Process;
        self.seen.leader_exited && self.seen.members_gone && !has_output
    }

    /// Returns whether somebody outside of the leader's tree holds the output of a job that is being ended,
    /// and has not been sent the kill signal. Holders are searched only after the leader's exit: the search
    /// takes long on a busy machine, and the tree, which can be listed at once, rarely leaves one.
    fn are_holders_due(&self) -> bool {
        let seen = &self.seen;
        let is_held = seen.leader_exited && seen.members_gone && !seen.output_ended;
        is_held && !self.has_signalled_holders && self.terms.runs == CommandForm::Process
    }

    const fn drained(&self) -> Step {
        if self.terms.leftovers.is_some() { Step::Count } else { Step::Settle }
    }

    fn handle_timeout(&mut self) -> Step {
        if self.terms.moves_to_background && !self.is_in_background {
            self.is_in_background = true;
            return Step::MoveToBackground;
        }
        self.cause = Some(Cause::Timeout);
        if self.terms.kills_at_once { self.kill(0) } else { self.terminate() }
    }

    fn deal_with_leftovers(&mut self) -> Step {
        match self.terms.leftovers {
            None | Some(Leftovers::Keep) => Step::Settle,
            Some(Leftovers::Kill) => self.terminate(),
            Some(Leftovers::Adopt) => {
                self.phase = Phase::Adopted;
                self.seen.members_gone = false;
                let has_answered = std::mem::replace(&mut self.is_in_background, true);
                if has_answered { Step::Wait } else { Step::Adopt }
            }
        }
    }

    fn terminate(&mut self) -> Step {
        self.phase = Phase::Terminating;
        self.seen.members_gone = false;
        self.has_signalled_holders = self.seen.leader_exited;
        Step::Terminate
    }

    fn kill(&mut self, rounds: u32) -> Step {
        self.phase = Phase::Killing(rounds);
        self.seen.members_gone = false;
        Step::Kill
    }
}

#[cfg(test)]
mod fake_child;
#[cfg(test)]
mod tests;
