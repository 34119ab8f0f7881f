//! The deadlines of a job: its timeouts, the grace between the kill signal and SIGKILL, and the drain.

use std::time::Duration;

use tokio::time::Instant;

use crate::job::model::plan::{Drain, Plan};

/// The time between two rounds of SIGKILL to survivors: the kernel takes some milliseconds to end a process.
const KILL_RECHECK_INTERVAL: Duration = Duration::from_millis(25);

/// The meaning of a deadline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Due {
    Timeout,
    /// The idle timeout: no output for so long.
    Idle,
    /// The drain has seen no output for long enough.
    DrainIdle,
    /// The drain has taken as long as it may.
    DrainEnd,
    /// The grace after the kill signal.
    Grace,
    /// Survivors of SIGKILL are killed again.
    Recheck,
}

/// A reason for which the timeouts stand still.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pause {
    /// A person is asked about a host.
    Connection,
    /// A person is asked by a program.
    Prompt,
}

/// The deadlines of one job.
#[derive(Debug)]
pub(crate) struct Clock {
    is_without_time: bool,
    /// Whether the timeout ends the command, and does not move it to the background.
    ends: bool,
    /// The time since which the timeout that ends the command, and the idle timeout, stand still.
    paused_at: Option<Instant>,
    pauses: Vec<Pause>,
    timeout: Option<Instant>,
    idle_limit: Option<Duration>,
    idle: Option<Instant>,
    drain_limit: Option<Duration>,
    drain_idle: Option<Instant>,
    drain_end: Option<Instant>,
    grace: Option<Instant>,
    recheck: Option<Instant>,
}

impl Clock {
    /// Returns the deadlines of a process that has just been started.
    pub(crate) fn new(plan: &Plan, started_at: std::time::Instant) -> Self {
        Self {
            is_without_time: plan.times.timeout == Some(Duration::ZERO),
            ends: !plan.times.moves_to_background,
            paused_at: None,
            pauses: Vec::new(),
            timeout: timeout(plan, started_at),
            idle_limit: plan.times.idle,
            idle: after(plan.times.idle),
            drain_limit: None,
            drain_idle: None,
            drain_end: None,
            grace: None,
            recheck: None,
        }
    }

    /// Returns whether the timeout is 0, so that it is over before anything else can happen.
    pub(crate) fn is_due_at_once(&self) -> bool {
        self.is_without_time
    }

    pub(crate) fn next(&self) -> Instant {
        let timeout = self.timeout.filter(|_| !self.is_timeout_paused());
        let idle = self.idle.filter(|_| self.paused_at.is_none());
        let times = [timeout, idle, self.drain_idle, self.drain_end, self.grace, self.recheck];
        times.into_iter().flatten().min().unwrap_or_else(never)
    }

    /// Takes a deadline out that has passed.
    pub(crate) fn take_due(&mut self) -> Option<Due> {
        let now = Instant::now();
        let (is_timeout_paused, is_idle_paused) = (self.is_timeout_paused(), self.paused_at.is_some());
        let times = [
            (&mut self.timeout, Due::Timeout, is_timeout_paused),
            (&mut self.idle, Due::Idle, is_idle_paused),
            (&mut self.drain_end, Due::DrainEnd, false),
            (&mut self.drain_idle, Due::DrainIdle, false),
            (&mut self.grace, Due::Grace, false),
            (&mut self.recheck, Due::Recheck, false),
        ];
        times
            .into_iter()
            .find_map(|(time, due, is_paused)| time.take_if(|time| !is_paused && *time <= now).map(|_| due))
    }

    /// Stops the timeout that ends the command, and the idle timeout. Idempotent.
    pub(crate) fn pause(&mut self, reason: Pause) {
        if !self.pauses.contains(&reason) {
            self.pauses.push(reason);
        }
        self.paused_at.get_or_insert_with(Instant::now);
    }

    /// Lets the timeouts go on that were stopped, if no other reason is left: the time since then does not
    /// count.
    pub(crate) fn resume(&mut self, reason: Pause) {
        self.pauses.retain(|other| *other != reason);
        if !self.pauses.is_empty() {
            return;
        }
        let is_timeout_paused = self.is_timeout_paused();
        let Some(paused_at) = self.paused_at.take() else { return };
        if is_timeout_paused {
            self.timeout = self.timeout.and_then(|timeout| timeout.checked_add(paused_at.elapsed()));
        }
        self.idle = self.idle.and(after(self.idle_limit));
    }

    const fn is_timeout_paused(&self) -> bool {
        self.ends && self.paused_at.is_some()
    }

    /// Restarts the idle limits, after output and while the consumer keeps the engine from reading.
    pub(crate) fn restart_idle(&mut self) {
        if self.idle_limit.is_some() {
            self.idle = after(self.idle_limit);
        }
        if self.drain_end.is_some() {
            self.drain_idle = after(self.drain_limit);
        }
    }

    /// Begins the drain after the exit. Drops the command's timeout and idle timeout, which it has met; keeps
    /// the limit of a job in the background.
    pub(crate) fn drain(&mut self, drain: Drain, is_in_background: bool) {
        if !is_in_background {
            self.timeout = None;
        }
        self.no_idle_limit();
        self.drain_limit = Some(drain.idle);
        self.drain_idle = after(self.drain_limit);
        // A deadline that `Instant` can't hold never passes.
        self.drain_end = after(Some(drain.most)).or_else(|| Some(never()));
    }

    /// Ends the drain.
    pub(crate) fn drained(&mut self) {
        self.drain_idle = None;
        self.drain_end = None;
    }

    /// Replaces the timeout by the limit of a job in the background.
    pub(crate) fn move_to_background(&mut self, limit: Option<Duration>) {
        self.timeout = after(limit);
        self.ends = true;
        self.paused_at = self.paused_at.map(|_| Instant::now());
    }

    /// Starts the grace between the first kill signal and SIGKILL, and drops all other deadlines.
    pub(crate) fn terminate(&mut self, grace: Option<Duration>) {
        let running = self.grace;
        self.stop();
        self.grace = running.or_else(|| after(grace));
    }

    /// Schedules the next round of SIGKILL, and drops all other deadlines.
    pub(crate) fn kill(&mut self) {
        self.stop();
        self.recheck = Some(Instant::now() + KILL_RECHECK_INTERVAL);
    }

    /// Drops all deadlines.
    pub(crate) fn stop(&mut self) {
        self.timeout = None;
        self.grace = None;
        self.no_idle_limit();
        self.drained();
    }

    fn no_idle_limit(&mut self) {
        self.idle_limit = None;
        self.idle = None;
    }
}

/// Returns the end of a command's timeout, or `None` for a timeout that `Instant` can't hold.
pub(crate) fn timeout(plan: &Plan, started_at: std::time::Instant) -> Option<Instant> {
    Instant::from_std(started_at).checked_add(plan.times.timeout?)
}

/// Returns a time so far away that it never passes.
pub(crate) fn never() -> Instant {
    const LONG: Duration = Duration::from_secs(365 * 24 * 60 * 60);
    Instant::now() + LONG
}

fn after(limit: Option<Duration>) -> Option<Instant> {
    Instant::now().checked_add(limit?)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{Clock, Due, Pause};
    use crate::job::model::plan::{Invocation, Plan, Surroundings, Times};

    #[test]
    fn a_timeout_stands_still_until_the_last_reason_is_gone() {
        let invocation = Invocation::Line("true".to_owned());
        let times = Times { timeout: Some(Duration::from_millis(1)), ..Times::default() };
        let plan = Plan { times, ..Plan::new(invocation, Surroundings::default()) };
        let long_ago = std::time::Instant::now().checked_sub(Duration::from_secs(1)).expect("a time");
        let mut clock = Clock::new(&plan, long_ago);
        clock.pause(Pause::Prompt);
        clock.pause(Pause::Connection);
        clock.pause(Pause::Connection);
        assert_eq!(clock.take_due(), None);
        clock.resume(Pause::Connection);
        assert_eq!(clock.take_due(), None);
        clock.resume(Pause::Prompt);
        assert_eq!(clock.take_due(), Some(Due::Timeout));
    }
}
