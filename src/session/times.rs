//! The deadlines of a command in a session.

use std::time::Duration;

use tokio::time::Instant;

use crate::job::model::plan::{Drain, Times};
use crate::job::never;

/// The time from the start of a command until its streams are watched. A command that ends earlier wakes the engine
/// once, by its report, and not by each line of output.
const WATCH_DELAY: Duration = Duration::from_millis(1);

/// The delay of the first check whether the shell waits for its next line and has not reported, and the longest pause between
/// two checks.
const MIN_CHECK_INTERVAL: Duration = Duration::from_millis(50);
const MAX_CHECK_INTERVAL: Duration = Duration::from_secs(1);

/// The delay before the engine requests another report of an idle shell, and before an interrupted shell is checked.
const RECHECK_DELAY: Duration = Duration::from_millis(2);

/// The pause between attempts to open the input pipe of a command, which fails until the shell has opened its end.
const OPEN_INPUT_INTERVAL: Duration = Duration::from_millis(1);

/// The meaning of a deadline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Due {
    /// The timeout of the command has passed.
    Timeout,
    /// The command has written nothing for its idle timeout.
    Idle,
    /// The longest time of the drain has passed.
    DrainOver,
    /// The engine should watch the streams from now on.
    Watch,
    /// The engine should check whether the shell waits for its next line.
    CheckShell,
    /// The engine should try to open the input.
    OpenInput,
}

/// The deadlines of a command.
#[derive(Debug)]
pub(super) struct Clock {
    timeout: Option<Instant>,
    idle_limit: Option<Duration>,
    idle: Option<Instant>,
    drain_limit: Option<Duration>,
    drain_idle: Option<Instant>,
    drain_end: Option<Instant>,
    watch: Option<Instant>,
    check: Option<Instant>,
    pause: Duration,
    open_input: Option<Instant>,
}

impl Clock {
    /// Returns the deadlines of a command that is about to begin.
    pub(super) fn new(times: &Times, has_open_input: bool) -> Self {
        let now = Instant::now();
        Self {
            timeout: times.timeout.and_then(|limit| now.checked_add(limit)),
            idle_limit: times.idle,
            idle: times.idle.and_then(|limit| now.checked_add(limit)),
            drain_limit: None,
            drain_idle: None,
            drain_end: None,
            watch: Some(now + WATCH_DELAY),
            check: Some(now + MIN_CHECK_INTERVAL),
            pause: MIN_CHECK_INTERVAL,
            open_input: has_open_input.then_some(now),
        }
    }

    /// Returns the next deadline.
    pub(super) fn next(&self) -> Instant {
        let times = [
            self.timeout, self.idle, self.drain_idle, self.drain_end, self.watch, self.check, self.open_input,
        ];
        times.into_iter().flatten().min().unwrap_or_else(never)
    }

    /// Takes a deadline out that has passed.
    pub(super) fn take_due(&mut self) -> Option<Due> {
        let now = Instant::now();
        let times = [
            (&mut self.timeout, Due::Timeout),
            (&mut self.idle, Due::Idle),
            (&mut self.drain_end, Due::DrainOver),
            (&mut self.drain_idle, Due::DrainOver),
            (&mut self.watch, Due::Watch),
            (&mut self.check, Due::CheckShell),
            (&mut self.open_input, Due::OpenInput),
        ];
        times.into_iter().find_map(|(time, due)| time.take_if(|time| *time <= now).map(|_| due))
    }

    /// Restarts the idle timeout, after output and while the consumer keeps the engine from reading.
    pub(super) fn not_idle(&mut self) {
        let now = Instant::now();
        if self.idle.is_some() || self.idle_limit.is_some() {
            self.idle = self.idle_limit.and_then(|limit| now.checked_add(limit));
        }
        if self.drain_end.is_some() {
            self.drain_idle = self.drain_limit.and_then(|limit| now.checked_add(limit));
        }
    }

    /// Schedules the next check, after a pause twice as long as the last one.
    pub(super) fn check_later(&mut self) {
        self.check = Some(Instant::now() + self.pause);
        self.pause = (self.pause * 2).min(MAX_CHECK_INTERVAL);
    }

    /// Schedules a check in a short time.
    pub(super) fn check_soon(&mut self) {
        self.pause = RECHECK_DELAY;
        self.check = Some(Instant::now() + RECHECK_DELAY);
    }

    /// Schedules the next attempt to open the input.
    pub(super) fn open_input_later(&mut self) {
        self.open_input = Some(Instant::now() + OPEN_INPUT_INTERVAL);
    }

    /// Starts the drain after the shell's report. With a drain, the command's timeout and idle timeout are over.
    pub(super) fn drain(&mut self, drain: Option<Drain>) {
        self.no_more_checks();
        self.watch = None;
        if let Some(drain) = drain {
            self.stop();
            let now = Instant::now();
            self.drain_limit = Some(drain.idle);
            self.drain_idle = now.checked_add(drain.idle);
            self.drain_end = Some(now.checked_add(drain.most).unwrap_or_else(never));
        }
    }

    /// Drops all deadlines except those of the stop.
    pub(super) fn stop(&mut self) {
        self.timeout = None;
        self.idle_limit = None;
        self.idle = None;
        self.no_more_checks();
    }

    fn no_more_checks(&mut self) {
        self.check = None;
        self.open_input = None;
    }
}
