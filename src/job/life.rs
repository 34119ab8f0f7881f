//! The states of a job, without a system call.
//!
//! ```text
//!            LeaderExited                    OutputEnded
//! Running ───────────────────▶ Draining ───────────────────▶ settled
//!    │                            │
//!    │ Stop(gently)               │ Stop(gently)
//!    ▼                            ▼
//! Terminating  (SIGTERM was sent) ───── all is over ───────▶ settled
//!    │ GraceOver, Survivors, Stop(at once)
//!    ▼
//! Killing      (SIGKILL was sent) ───── all is over ───────▶ settled
//!    └─ LookAgain: whatever is left, again; after the last look ▶ settled
//! ```
//!
//! Stop(at once) leads to Killing from every other state.
//!
//! A process's exit and the end of its output are two events, in either order: what it has started may hold its
//! pipes long after it is gone, and it may close them long before.

use super::outcome::Cause;

/// How often to look for survivors after SIGKILL before settling without them. They are in the kernel's hands
/// then (an uninterruptible sleep), or another user's.
pub const LAST_LOOK: u32 = 20;

/// Where a job is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// The process runs.
    Running,
    /// The process has exited; something still holds its output.
    Draining,
    /// SIGTERM has been sent to all that belongs to the job.
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
    /// None of the signalled processes is left.
    MembersGone,
    /// End the job: SIGTERM first, SIGKILL after a grace.
    StopGently(Cause),
    /// End the job: SIGKILL.
    StopAtOnce(Cause),
    /// The grace after SIGTERM is over.
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
    /// Send SIGTERM to all that belongs to the job.
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
    cause: Option<Cause>,
    leader_exited: bool,
    output_ended: bool,
    members_gone: bool,
}

impl Default for Life {
    /// A process that has just been started.
    fn default() -> Self {
        Self {
            phase: Phase::Running,
            cause: None,
            leader_exited: false,
            output_ended: false,
            members_gone: true,
        }
    }
}

impl Life {
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

    /// Whether signalled processes have yet to be seen gone.
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
            (Event::StopGently(cause), Phase::Running | Phase::Draining) => {
                return self.stop(cause, Phase::Terminating, Step::Terminate);
            }
            (Event::StopAtOnce(cause), Phase::Running | Phase::Draining | Phase::Terminating) => {
                return self.stop(cause, Phase::Killing(0), Step::Kill);
            }
            (Event::GraceOver | Event::Survivors, Phase::Terminating) => return self.kill(0),
            (Event::LookAgain, Phase::Killing(LAST_LOOK)) => return Step::Settle,
            (Event::LookAgain, Phase::Killing(looks)) => return self.kill(looks + 1),
            // Too late: it is being ended already, or the timer fired for nothing.
            (
                Event::StopGently(_)
                | Event::StopAtOnce(_)
                | Event::GraceOver
                | Event::LookAgain
                | Event::Survivors,
                _,
            ) => {}
        }
        if self.phase == Phase::Running && self.leader_exited {
            self.phase = Phase::Draining;
        }
        if self.leader_exited && self.output_ended && self.members_gone { Step::Settle } else { Step::Wait }
    }

    fn stop(&mut self, cause: Cause, phase: Phase, step: Step) -> Step {
        self.cause.get_or_insert(cause);
        self.phase = phase;
        self.members_gone = false;
        step
    }

    fn kill(&mut self, looks: u32) -> Step {
        self.phase = Phase::Killing(looks);
        self.members_gone = false;
        Step::Kill
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{Cause, Event, LAST_LOOK, Life, Phase, Step};

    fn steps(events: &[Event]) -> (Life, Vec<Step>) {
        let mut life = Life::default();
        let steps = events.iter().map(|&event| life.apply(event)).collect();
        (life, steps)
    }

    #[test]
    fn settles_when_the_process_has_exited_and_the_output_has_ended() {
        let (life, steps) = steps(&[Event::OutputEnded, Event::LeaderExited]);
        assert_eq!(steps, [Step::Wait, Step::Settle]);
        assert_eq!(life.cause(), None);
    }

    #[test]
    fn an_exit_with_held_output_drains() {
        let (life, steps) = steps(&[Event::LeaderExited]);
        assert_eq!((life.phase(), steps), (Phase::Draining, vec![Step::Wait]));
    }

    #[test]
    fn a_drained_job_settles() {
        assert_eq!(steps(&[Event::LeaderExited, Event::OutputEnded]).1, [Step::Wait, Step::Settle]);
    }

    #[test]
    fn a_stop_while_running_terminates() {
        let (life, steps) = steps(&[Event::StopGently(Cause::Timeout)]);
        assert_eq!((life.phase(), steps), (Phase::Terminating, vec![Step::Terminate]));
        assert_eq!(life.cause(), Some(Cause::Timeout));
    }

    #[test]
    fn a_stop_while_draining_terminates_the_holders() {
        let (_, steps) = steps(&[Event::LeaderExited, Event::StopGently(Cause::Timeout)]);
        assert_eq!(steps, [Step::Wait, Step::Terminate]);
    }

    #[test]
    fn a_terminated_job_settles_only_when_its_members_are_gone_too() {
        let (_, steps) = steps(&[
            Event::StopGently(Cause::Timeout),
            Event::LeaderExited,
            Event::OutputEnded,
            Event::MembersGone,
        ]);
        assert_eq!(steps, [Step::Terminate, Step::Wait, Step::Wait, Step::Settle]);
    }

    #[test]
    fn the_kill_follows_the_grace() {
        let (life, steps) = steps(&[Event::StopGently(Cause::Timeout), Event::GraceOver]);
        assert_eq!((life.phase(), steps), (Phase::Killing(0), vec![Step::Terminate, Step::Kill]));
    }

    #[test]
    fn survivors_of_a_gentle_end_are_killed() {
        let (_, steps) = steps(&[Event::StopGently(Cause::Timeout), Event::Survivors]);
        assert_eq!(steps, [Step::Terminate, Step::Kill]);
    }

    #[test]
    fn a_stop_at_once_does_not_wait_for_the_grace() {
        let (life, steps) = steps(&[Event::StopGently(Cause::Timeout), Event::StopAtOnce(Cause::OwnerGone)]);
        assert_eq!(steps, [Step::Terminate, Step::Kill]);
        assert_eq!(life.cause(), Some(Cause::Timeout), "the first cause counts");
    }

    #[test]
    fn a_second_gentle_stop_changes_nothing() {
        let (life, steps) = steps(&[Event::StopGently(Cause::Aborted), Event::StopGently(Cause::Timeout)]);
        assert_eq!(steps, [Step::Terminate, Step::Wait]);
        assert_eq!(life.cause(), Some(Cause::Aborted));
    }

    #[test]
    fn a_late_grace_changes_nothing() {
        assert_eq!(steps(&[Event::GraceOver]).1, [Step::Wait]);
    }

    #[test]
    fn survivors_are_killed_again_and_the_last_look_settles() {
        let mut life = Life::default();
        assert_eq!(life.apply(Event::StopAtOnce(Cause::Killed)), Step::Kill);
        for _ in 0..LAST_LOOK {
            assert_eq!(life.apply(Event::LookAgain), Step::Kill);
        }
        assert_eq!(life.apply(Event::LookAgain), Step::Settle);
    }

    fn any_event() -> impl Strategy<Value = Event> {
        prop_oneof![
            Just(Event::LeaderExited),
            Just(Event::OutputEnded),
            Just(Event::MembersGone),
            Just(Event::StopGently(Cause::Timeout)),
            Just(Event::StopAtOnce(Cause::OwnerGone)),
            Just(Event::GraceOver),
            Just(Event::LookAgain),
            Just(Event::Survivors),
        ]
    }

    proptest! {
        /// Whatever has happened: after a stop, a grace and all the looks, the job is over.
        #[test]
        fn every_life_can_be_ended(events in prop::collection::vec(any_event(), 0..30)) {
            let mut life = Life::default();
            if events.iter().any(|&event| life.apply(event) == Step::Settle) {
                return Ok(());
            }
            let end = [Event::StopGently(Cause::Timeout), Event::GraceOver];
            let looks = std::iter::repeat_n(Event::LookAgain, LAST_LOOK as usize + 1);
            prop_assert!(end.into_iter().chain(looks).any(|event| life.apply(event) == Step::Settle));
        }
    }
}
