//! Waits for the shell's report about one command, and asks for another report where the shell is idle
//! without one.

use std::time::Duration;

use tokio::time::Instant;

use super::report::ShellReport;
use super::shell::{LiveShell, new_token};

/// The time from the start of a command until its streams are watched. A command that ends earlier wakes the
/// engine once, by its report, and not by each line of output.
const WATCH_DELAY: Duration = Duration::from_millis(1);

/// The delay of the first check whether the shell waits for its next line and has not reported, and the
/// longest pause between two checks.
const MIN_CHECK_INTERVAL: Duration = Duration::from_millis(50);
const MAX_CHECK_INTERVAL: Duration = Duration::from_secs(1);

/// The delay before the engine requests another report of an idle shell, and before an interrupted shell is
/// checked.
const RECHECK_DELAY: Duration = Duration::from_millis(2);

/// The pause between attempts to open the input pipe of a command, which fails until the shell has opened its
/// end.
const OPEN_INPUT_INTERVAL: Duration = Duration::from_millis(1);

/// The most requests for a report to a shell that waits for its next line. After that the session ends the
/// shell.
const MAX_ASKS: u32 = 3;

/// The factor by which the wait for an answer grows with each request. On a busy machine the lines may stay
/// for a while in the queue of the shell's input, and the shell seems to have ignored them.
const ASK_BACKOFF: u32 = 10;

/// The longest time that a shell may take to report after a stopped command.
const BARRIER_DEADLINE: Duration = Duration::from_secs(5);

/// The meaning of a deadline of the exchange with the shell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ReportDue {
    WatchStreams,
    CheckShell,
    OpenInput,
}

/// The answer of the shell.
#[derive(Debug)]
pub(super) enum ReportEvent {
    /// The command has ended.
    Reported(ShellReport),
    /// The shell has reported once more, so no earlier signal can still reach it.
    Confirmed,
    /// The shell does not report, and must be ended.
    Lost,
}

/// The wait for the report about one command.
#[derive(Debug)]
pub(super) struct ReportWait {
    token: String,
    /// The token and the time of the request for an extra report after signals to the shell. When that report
    /// arrives, no such signal can still reach the shell.
    barrier: Option<(String, Instant)>,
    /// Whether the report must be followed by an extra one.
    needs_barrier: bool,
    asks: u32,
    was_idle: bool,
    watch: Option<Instant>,
    check: Option<Instant>,
    pause: Duration,
    open_input: Option<Instant>,
}

impl ReportWait {
    /// Begins to wait for the report with this token. `has_open_input`: whether a pipe for the
    /// input must be opened.
    pub(super) fn new(token: String, has_open_input: bool) -> Self {
        let now = Instant::now();
        Self {
            token,
            barrier: None,
            needs_barrier: false,
            asks: 0,
            was_idle: false,
            watch: Some(now + WATCH_DELAY),
            check: Some(now + MIN_CHECK_INTERVAL),
            pause: MIN_CHECK_INTERVAL,
            open_input: has_open_input.then_some(now),
        }
    }

    pub(super) fn token(&self) -> &str {
        &self.token
    }

    pub(super) fn next(&self) -> Option<Instant> {
        [self.watch, self.check, self.open_input].into_iter().flatten().min()
    }

    /// Takes a deadline out that has passed.
    pub(super) fn take_due(&mut self) -> Option<ReportDue> {
        let now = Instant::now();
        let times = [
            (&mut self.watch, ReportDue::WatchStreams),
            (&mut self.check, ReportDue::CheckShell),
            (&mut self.open_input, ReportDue::OpenInput),
        ];
        times.into_iter().find_map(|(time, due)| time.take_if(|time| *time <= now).map(|_| due))
    }

    pub(super) fn open_input_later(&mut self) {
        self.open_input = Some(Instant::now() + OPEN_INPUT_INTERVAL);
    }

    /// Drops the attempts to open the input and the checks, for a command that is being stopped.
    pub(super) fn pause(&mut self) {
        self.check = None;
        self.open_input = None;
    }

    pub(super) fn end(&mut self) {
        self.pause();
        self.watch = None;
        self.barrier = None;
        self.needs_barrier = false;
    }

    /// Requires an extra report after the next one, because signals are on their way to the shell.
    pub(super) fn require_confirmation(&mut self) {
        self.needs_barrier = true;
    }

    /// Returns whether the command has ended and the extra report is awaited.
    pub(super) const fn is_confirming(&self) -> bool {
        self.barrier.is_some()
    }

    /// Requests the extra report, if one is required. Returns whether it is.
    pub(super) fn confirm(&mut self, shell: &LiveShell) -> bool {
        if self.needs_barrier {
            let token = new_token();
            shell.ask_for_report(&token);
            self.barrier = Some((token, Instant::now()));
            self.check_soon();
        }
        self.needs_barrier
    }

    /// Reads the control pipe. Returns the answer, once the expected report is complete.
    pub(super) fn read(&mut self, shell: &mut LiveShell) -> Option<ReportEvent> {
        let report = shell.report(self.expected())?;
        Some(if self.barrier.take().is_some() {
            ReportEvent::Confirmed
        } else {
            ReportEvent::Reported(report)
        })
    }

    /// Checks whether the shell waits for its next line, which means that it has finished the command, even
    /// without a report: dash drops the lines that it has read ahead when an error occurs, and a shell may
    /// have lost access to its files.
    pub(super) async fn check(&mut self, shell: &mut LiveShell) -> Option<ReportEvent> {
        if self.barrier.as_ref().is_some_and(|(_, since)| since.elapsed() > BARRIER_DEADLINE) {
            return Some(self.lose());
        }
        shell.refresh().await;
        let was_idle = std::mem::replace(&mut self.was_idle, shell.is_idle());
        if !self.was_idle {
            self.check_later();
            return None;
        }
        if !was_idle {
            self.check_soon();
            return None;
        }
        if let Some(answer) = self.read(shell) {
            return Some(answer);
        }
        self.asks += 1;
        self.was_idle = false;
        if self.asks > MAX_ASKS || shell.repair().await.is_err() {
            return Some(self.lose());
        }
        shell.ask_for_report(self.expected());
        self.pause = (RECHECK_DELAY * ASK_BACKOFF.pow(self.asks)).min(MAX_CHECK_INTERVAL);
        self.check_later();
        None
    }

    /// Schedules a check in a short time.
    pub(super) fn check_soon(&mut self) {
        self.pause = RECHECK_DELAY;
        self.check = Some(Instant::now() + RECHECK_DELAY);
    }

    /// Schedules the next check, after a pause twice as long as the last one.
    fn check_later(&mut self) {
        self.check = Some(Instant::now() + self.pause);
        self.pause = (self.pause * 2).min(MAX_CHECK_INTERVAL);
    }

    fn lose(&mut self) -> ReportEvent {
        self.check_later();
        ReportEvent::Lost
    }

    fn expected(&self) -> &str {
        self.barrier.as_ref().map_or(&self.token, |(token, _)| token)
    }
}
