//! The times at which something is due in a job's life.

use std::time::Duration;

use tokio::time::Instant;

use crate::job::model::plan::{Drain, Plan};

/// How often survivors of SIGKILL are killed again: the kernel takes some milliseconds to end a process.
const KILL_RECHECK_INTERVAL: Duration = Duration::from_millis(25);

/// What is due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::job) enum Due {
    /// The job has taken as long as it may.
    Timeout,
    /// It has been silent for as long as it may.
    Idle,
    /// Output that others hold has not come for long enough.
    DrainIdle,
    /// It was waited for long enough in all.
    DrainEnd,
    /// SIGKILL follows.
    Grace,
    /// Survivors of SIGKILL are killed again.
    Recheck,
}

/// The times.
#[derive(Debug)]
pub(in crate::job) struct Clock {
    is_without_time: bool,
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
    /// The times of a process that has just been started.
    pub(in crate::job) fn new(plan: &Plan, started_at: std::time::Instant) -> Self {
        Self {
            is_without_time: plan.times.timeout == Some(Duration::ZERO),
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

    /// Tells whether the timeout is over before anything else can happen.
    pub(in crate::job) fn is_due_at_once(&self) -> bool {
        self.is_without_time
    }

    /// When the next thing is due.
    pub(in crate::job) fn next(&self) -> Instant {
        let times = [self.timeout, self.idle, self.drain_idle, self.drain_end, self.grace, self.recheck];
        times.into_iter().flatten().min().unwrap_or_else(never)
    }

    /// What is due now, if anything. It is due once.
    pub(in crate::job) fn take_due(&mut self) -> Option<Due> {
        let now = Instant::now();
        let times = [
            (&mut self.timeout, Due::Timeout),
            (&mut self.idle, Due::Idle),
            (&mut self.drain_end, Due::DrainEnd),
            (&mut self.drain_idle, Due::DrainIdle),
            (&mut self.grace, Due::Grace),
            (&mut self.recheck, Due::Recheck),
        ];
        times.into_iter().find_map(|(time, due)| time.take_if(|time| *time <= now).map(|_| due))
    }

    /// The command has said something, or nobody would have heard it.
    pub(in crate::job) fn not_idle(&mut self) {
        if self.idle_limit.is_some() {
            self.idle = after(self.idle_limit);
        }
        if self.drain_end.is_some() {
            self.drain_idle = after(self.drain_limit);
        }
    }

    /// The process has exited, and output that others hold is waited for. Its own limits of time are met then, but not
    /// that of a job in the background.
    pub(in crate::job) fn drain(&mut self, drain: Drain, is_in_background: bool) {
        if !is_in_background {
            self.timeout = None;
        }
        self.no_idle_limit();
        self.drain_limit = Some(drain.idle);
        self.drain_idle = after(self.drain_limit);
        // One that lies beyond all times is one that does not come.
        self.drain_end = after(Some(drain.most)).or_else(|| Some(never()));
    }

    /// What was waited for is there, or is not waited for any longer.
    pub(in crate::job) fn drained(&mut self) {
        self.drain_idle = None;
        self.drain_end = None;
    }

    /// The job goes on in the background, for so long.
    pub(in crate::job) fn move_to_background(&mut self, limit: Option<Duration>) {
        self.timeout = after(limit);
    }

    /// The job is being ended: SIGKILL follows, if it is to.
    pub(in crate::job) fn terminate(&mut self, grace: Option<Duration>) {
        self.stop();
        self.grace = after(grace);
    }

    /// SIGKILL was sent.
    pub(in crate::job) fn kill(&mut self) {
        self.stop();
        self.recheck = Some(Instant::now() + KILL_RECHECK_INTERVAL);
    }

    fn stop(&mut self) {
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

/// When a command's time is up, if ever: a timeout may lie beyond all times there are.
pub(in crate::job) fn timeout(plan: &Plan, started_at: std::time::Instant) -> Option<Instant> {
    Instant::from_std(started_at).checked_add(plan.times.timeout?)
}

/// A time that does not come.
pub(crate) fn never() -> Instant {
    const LONG: Duration = Duration::from_secs(365 * 24 * 60 * 60);
    Instant::now() + LONG
}

fn after(limit: Option<Duration>) -> Option<Instant> {
    Instant::now().checked_add(limit?)
}
