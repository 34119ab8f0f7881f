//! The time limits of a durable job, which hold without any host: pure.

use std::time::Duration;

use crate::helper::durable::record::end::EndCause;

/// The grace of a job at its deadline, or without hosts, whose plan has none: no job may stay for ever.
pub const GRACE_AT_DEADLINE: Duration = Duration::from_secs(5);

/// The action that a deadline asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeadlineAction {
    /// The job is to be ended, for this reason.
    Stop(EndCause),
    /// The grace is over: SIGKILL.
    Kill,
}

/// The limits of a job. All times are since the boot of the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Deadlines {
    /// The end of the longest run.
    pub ends_at: Duration,
    /// The longest time without a host, and since when there is none.
    pub unattended: Duration,
    pub alone_since: Option<Duration>,
    /// The command's own time limit.
    pub timeout: Option<Duration>,
    /// The longest silence of the command, and its last output.
    pub idle: Option<Duration>,
    pub active_at: Duration,
    stop: Option<StopUnderWay>,
}

/// A stop under way: the first cause counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct StopUnderWay {
    cause: EndCause,
    /// When SIGKILL follows.
    kill_at: Option<Duration>,
    is_killed: bool,
}

impl Deadlines {
    /// Creates the limits of a job that starts now.
    #[must_use]
    pub const fn new(now: Duration, deadline: Duration, unattended: Duration) -> Self {
        Self {
            ends_at: now.saturating_add(deadline),
            unattended,
            alone_since: None,
            timeout: None,
            idle: None,
            active_at: now,
            stop: None,
        }
    }

    /// Returns why the job is being ended, if it is.
    #[must_use]
    pub fn cause(&self) -> Option<EndCause> {
        self.stop.map(|stop| stop.cause)
    }

    /// Notes that the job is being ended. SIGKILL follows after the grace; without one, at the end of the
    /// longest run. An earlier time stays; after an earlier SIGKILL there is another one, which may reach
    /// more.
    pub fn stop(&mut self, now: Duration, cause: EndCause, grace: Option<Duration>) {
        let is_last = matches!(cause, EndCause::Deadline | EndCause::Unattended);
        let grace = grace.or(is_last.then_some(GRACE_AT_DEADLINE));
        let kill_at = grace.map(|grace| now.saturating_add(grace));
        let stop = self.stop.get_or_insert(StopUnderWay { cause, kill_at: None, is_killed: false });
        let earlier = stop.kill_at.filter(|_| !stop.is_killed);
        stop.is_killed &= kill_at.is_none();
        stop.kill_at = [earlier, kill_at].into_iter().flatten().min();
    }

    /// Notes the number of attached hosts.
    pub fn attend(&mut self, now: Duration, hosts: usize) {
        self.alone_since = if hosts > 0 { None } else { self.alone_since.or(Some(now)) };
    }

    /// Returns the time of the next deadline.
    #[must_use]
    pub fn next(&self) -> Option<Duration> {
        if let Some(stop) = self.stop {
            return (!stop.is_killed).then_some(stop.kill_at.unwrap_or(self.ends_at));
        }
        self.limits().into_iter().flatten().map(|(at, _)| at).min()
    }

    /// Returns what is due now. A kill is due once.
    pub fn take_due(&mut self, now: Duration) -> Option<DeadlineAction> {
        if let Some(stop) = &mut self.stop {
            let is_due = !stop.is_killed && stop.kill_at.unwrap_or(self.ends_at) <= now;
            stop.is_killed |= is_due;
            return is_due.then_some(DeadlineAction::Kill);
        }
        let due = self.limits().into_iter().flatten().filter(|(at, _)| *at <= now).min_by_key(|(at, _)| *at);
        due.map(|(_, cause)| DeadlineAction::Stop(cause))
    }

    fn limits(&self) -> [Option<(Duration, EndCause)>; 4] {
        [
            Some((self.ends_at, EndCause::Deadline)),
            self.timeout.map(|at| (at, EndCause::Timeout)),
            self.idle.map(|limit| (self.active_at.saturating_add(limit), EndCause::Idle)),
            self.alone_since.map(|since| (since.saturating_add(self.unattended), EndCause::Unattended)),
        ]
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{DeadlineAction, Deadlines, EndCause};

    const fn at(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    fn limits() -> Deadlines {
        Deadlines::new(at(100), at(50), at(20))
    }

    #[test]
    fn the_longest_run_ends_a_job() {
        let mut limits = limits();
        assert_eq!((limits.next(), limits.take_due(at(149))), (Some(at(150)), None));
        assert_eq!(limits.take_due(at(150)), Some(DeadlineAction::Stop(EndCause::Deadline)));
    }

    #[test]
    fn a_job_without_a_host_ends_after_a_while_and_a_host_keeps_it() {
        let mut limits = limits();
        limits.attend(at(110), 0);
        limits.attend(at(115), 0);
        assert_eq!(limits.next(), Some(at(130)));
        limits.attend(at(120), 1);
        assert_eq!(limits.next(), Some(at(150)));
        limits.attend(at(121), 0);
        assert_eq!(limits.take_due(at(141)), Some(DeadlineAction::Stop(EndCause::Unattended)));
    }

    #[test]
    fn silence_is_counted_from_the_last_output() {
        let mut limits = Deadlines { idle: Some(at(5)), timeout: Some(at(112)), ..limits() };
        assert_eq!(limits.take_due(at(105)), Some(DeadlineAction::Stop(EndCause::Idle)));
        limits.active_at = at(109);
        assert_eq!(limits.next(), Some(at(112)));
        assert_eq!(limits.take_due(at(112)), Some(DeadlineAction::Stop(EndCause::Timeout)));
    }

    #[test]
    fn a_job_without_a_grace_is_killed_at_the_end_of_its_longest_run_at_the_latest() {
        for cause in [EndCause::Kill, EndCause::Timeout, EndCause::Idle] {
            let mut limits = limits();
            limits.stop(at(101), cause, None);
            assert_eq!(limits.take_due(at(150)), Some(DeadlineAction::Kill));
            assert_eq!(limits.cause(), Some(cause));
        }
        for cause in [EndCause::Deadline, EndCause::Unattended] {
            let mut limits = limits();
            limits.stop(at(101), cause, None);
            assert_eq!(limits.next(), Some(at(101) + super::GRACE_AT_DEADLINE));
        }
    }

    #[test]
    fn a_kill_follows_once_after_the_shortest_grace_and_the_first_cause_counts() {
        let mut limits = limits();
        limits.stop(at(101), EndCause::Kill, None);
        assert_eq!((limits.next(), limits.take_due(at(149))), (Some(at(150)), None));
        limits.stop(at(102), EndCause::Timeout, Some(at(9)));
        limits.stop(at(103), EndCause::Timeout, Some(at(5)));
        limits.stop(at(104), EndCause::Timeout, Some(at(50)));
        assert_eq!((limits.cause(), limits.next()), (Some(EndCause::Kill), Some(at(108))));
        assert_eq!(limits.take_due(at(107)), None);
        assert_eq!(limits.take_due(at(108)), Some(DeadlineAction::Kill));
        assert_eq!((limits.take_due(at(109)), limits.next()), (None, None));
        limits.stop(at(110), EndCause::Kill, Some(at(0)));
        assert_eq!(limits.take_due(at(110)), Some(DeadlineAction::Kill));
    }
}
