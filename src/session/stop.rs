//! Ends a command completely, while its shell keeps its state.
//!
//! The danger is the rest of the list: if only the `sleep` of `sleep 100; rm -r build` is ended, the shell
//! goes on with `rm`. So the engine first stops the shell (SIGSTOP), and then ends the command's processes.
//! The engine sends the shell the signal of its *stop trap*, which makes the shell end the list
//! ([`super::shell::flavor`]), and lets it continue (SIGCONT). The next line that the shell reads makes it
//! report.
//!
//! When a stop begins, how long its grace is and what follows from its end is decided by
//! [`life`](crate::job::life), as for any job. The steps between are not those of
//! [`JobProcesses`](crate::job::processes::JobProcesses): the shell's job also has the shell itself and the
//! processes of earlier commands, which live on, and a stopped shell has to be continued whatever dies.

use std::collections::HashSet;
use std::time::Duration;

use tokio::time::Instant;

use super::report::ShellReport;
use super::shell::LiveShell;
use super::shell::place::BelowShell;
use crate::process::identity::Identity;
use crate::process::signal::Signal;
use crate::process::signal::by_number;

/// The longest time that a shell may take to stop: a system call that can't be interrupted may delay it.
const STOP_DEADLINE: Duration = Duration::from_millis(100);

/// The first and the longest pause between two checks of a stop, and the number of the first pauses: most
/// programs die within some milliseconds of their signal, and a doubled pause would delay the answer by up to
/// as long again.
const MIN_CHECK_INTERVAL: Duration = Duration::from_millis(1);
const MAX_CHECK_INTERVAL: Duration = Duration::from_millis(10);
const MIN_CHECKS: u32 = 8;

/// The longest wait for the death of killed processes: one in an uninterruptible sleep may never die.
const DEATH_DEADLINE: Duration = Duration::from_secs(1);

/// The time in which a shell must report after the stop trap. After that it is stopped again, and the next
/// attempt adds SIGINT: a shell that waits in `read`, or until it can open a named pipe, runs no trap, but
/// reacts to SIGINT. Each attempt has this time more than the one before, up to a limit, because a signal
/// also breaks off the report of a slow shell.
const REPORT_DEADLINE: Duration = Duration::from_millis(20);
const MAX_REPORT_DEADLINE: Duration = Duration::from_millis(200);

/// The number of attempts, and the shortest time for all of them, after which the shell is given up: it is
/// busy with something that no signal interrupts, such as the expansion of a million words. (At a load of 90
/// on 2 processors, 1 s was too short for 14 of 17,000 shells.)
const MIN_ATTEMPTS: u32 = 20;
const MIN_ATTEMPT_TIME: Duration = Duration::from_secs(3);

/// The result of a check.
#[derive(Debug)]
pub(super) enum StopProgress {
    Wait,
    Reported(ShellReport),
    /// The processes are gone, and the shell ran no list.
    Gone,
    /// The shell does not react, and must be killed.
    Failed,
}

/// A stop of a command that is under way. Its grace is that of any command, kept by
/// [`Clock`](crate::job::life::clock::Clock).
#[derive(Debug)]
pub(super) struct Stop {
    phase: StopPhase,
    signal: Signal,
    /// The time from which on the signal is SIGKILL.
    forced_at: Option<Instant>,
    signalled: HashSet<Identity>,
    /// The subshells that have got the signal while they had a handler for it.
    handling: HashSet<Identity>,
    attempt: u32,
    begun_at: Instant,
    pause: Duration,
    /// The number of checks of the phase so far.
    checks: u32,
    next_check: Instant,
    /// Whether the list has ended already, so that the shell itself needs no stop.
    has_no_list: bool,
    /// Whether the shell would not end its list at a signal.
    misses_signals: bool,
}

#[derive(Clone, Copy, Debug)]
enum StopPhase {
    /// The shell was sent SIGSTOP; the time is the deadline.
    Stopping(Instant),
    /// The processes were sent the signal that ends them.
    Ending,
    /// The shell continues with the signal that ends its list. Without a report by this time, it is stopped
    /// again.
    Continuing(Instant),
}

impl Stop {
    /// Starts to stop the list of a shell by this signal.
    pub(super) fn of_list(shell: &LiveShell, signal: Signal) -> Self {
        let misses_signals = shell.misses_signals();
        shell.signal(Signal::STOP);
        Self {
            misses_signals,
            ..Self::new(StopPhase::Stopping(Instant::now() + STOP_DEADLINE + shell.latency()), signal, false)
        }
    }

    /// Starts to end the processes that a finished command has left.
    pub(super) fn of_processes(signal: Signal) -> Self {
        Self::new(StopPhase::Ending, signal, true)
    }

    fn new(phase: StopPhase, signal: Signal, has_no_list: bool) -> Self {
        let now = Instant::now();
        Self {
            phase,
            signal,
            forced_at: (signal == Signal::KILL).then_some(now),
            signalled: HashSet::new(),
            handling: HashSet::new(),
            attempt: 0,
            begun_at: now,
            pause: MIN_CHECK_INTERVAL,
            checks: 0,
            next_check: now,
            has_no_list,
            misses_signals: false,
        }
    }

    pub(super) const fn next_check(&self) -> Instant {
        self.next_check
    }

    /// Returns whether the shell has got the signal that ends its list.
    pub(super) const fn is_continuing(&self) -> bool {
        matches!(self.phase, StopPhase::Continuing(_))
    }

    /// Returns whether no process has been signalled yet.
    pub(super) fn is_harmless(&self) -> bool {
        self.signalled.is_empty()
            && self.handling.is_empty()
            && matches!(self.phase, StopPhase::Stopping(_))
            && self.attempt == 0
    }

    /// Ends the grace: SIGKILL is sent at once.
    pub(super) fn force(&mut self) {
        let now = Instant::now();
        self.signal = Signal::KILL;
        self.forced_at.get_or_insert(now);
        self.next_check = now;
    }

    /// Checks the progress of the stop, and takes the next step.
    pub(super) fn check(&mut self, shell: &mut LiveShell, token: &str) -> StopProgress {
        if let StopPhase::Stopping(until) = self.phase {
            if !shell.is_stopped() && Instant::now() < until {
                return self.wait(MIN_CHECK_INTERVAL);
            }
            // The shell may have finished the list before it stopped.
            if self.attempt == 0
                && let Some(report) = shell.report(token)
            {
                return StopProgress::Reported(report);
            }
            self.enter(StopPhase::Ending);
        }
        match self.phase {
            StopPhase::Ending => self.end_processes(shell),
            StopPhase::Continuing(until) if Instant::now() >= until => self.try_again(shell),
            StopPhase::Stopping(_) | StopPhase::Continuing(_) => {
                if shell.is_idle() {
                    // A report that is read here must be returned: the pipe does not become readable for it
                    // again.
                    if let Some(report) = shell.report(token) {
                        return StopProgress::Reported(report);
                    }
                    shell.ask_for_report(token);
                }
                self.wait_longer()
            }
        }
    }

    fn end_processes(&mut self, shell: &LiveShell) -> StopProgress {
        let processes = shell.processes();
        let is_too_long = self.forced_at.is_some_and(|time| time.elapsed() > DEATH_DEADLINE);
        if processes.is_empty() || is_too_long {
            if self.has_no_list {
                return StopProgress::Gone;
            }
            if self.misses_signals || shell.ignores_stop() {
                return StopProgress::Failed;
            }
            self.resume(shell);
            return self.wait(MIN_CHECK_INTERVAL);
        }
        if self.forced_at.is_some() {
            let all: Vec<_> = processes.iter().map(|process| process.identity).collect();
            shell.signal_each(Signal::KILL, &all);
            return self.wait_longer();
        }
        let new: Vec<_> = processes
            .iter()
            .filter(|process| self.has_to_signal(process))
            .map(|process| process.identity)
            .collect();
        shell.signal_each(self.signal, &new);
        // A stopped process handles the signal only when it continues.
        shell.signal_each(Signal::CONT, &new);
        self.wait_longer()
    }

    /// Returns whether a process has to get the signal, and records that it gets it.
    ///
    /// A new subshell has the dispositions of its shell until it has reset them. An interactive shell ignores
    /// SIGTERM, or handles it (bash 4.3 and newer), and a subshell of bash 4.3 to 5.0 forgets a signal that
    /// it handles so. In both cases the subshell gets the signal again: otherwise it would go on with its
    /// list after its program has died.
    fn has_to_signal(&mut self, process: &BelowShell) -> bool {
        if self.signalled.contains(&process.identity) {
            return false;
        }
        if process.may_inherit_handler(self.signal) {
            return self.handling.insert(process.identity);
        }
        if !process.ignores(self.signal) {
            self.signalled.insert(process.identity);
        }
        true
    }

    fn resume(&mut self, shell: &LiveShell) {
        self.attempt += 1;
        if let Some(signal) = by_number(shell.flavor.stop_signal()) {
            shell.signal(signal);
        }
        if self.attempt > 1 {
            shell.signal(Signal::INT);
        }
        shell.signal(Signal::CONT);
        let time = (REPORT_DEADLINE * self.attempt).min(MAX_REPORT_DEADLINE);
        self.enter(StopPhase::Continuing(Instant::now() + time + 2 * shell.latency()));
    }

    fn try_again(&mut self, shell: &LiveShell) -> StopProgress {
        if self.attempt >= MIN_ATTEMPTS && self.begun_at.elapsed() > MIN_ATTEMPT_TIME {
            return StopProgress::Failed;
        }
        self.misses_signals = shell.misses_signals();
        shell.signal(Signal::STOP);
        self.enter(StopPhase::Stopping(Instant::now() + STOP_DEADLINE + shell.latency()));
        self.wait(Duration::ZERO)
    }

    fn enter(&mut self, phase: StopPhase) {
        self.phase = phase;
        self.pause = MIN_CHECK_INTERVAL;
        self.checks = 0;
    }

    fn wait(&mut self, pause: Duration) -> StopProgress {
        self.next_check = Instant::now() + pause;
        StopProgress::Wait
    }

    fn wait_longer(&mut self) -> StopProgress {
        let pause = self.pause;
        self.checks += 1;
        if self.checks >= MIN_CHECKS {
            self.pause = (pause * 2).min(MAX_CHECK_INTERVAL);
        }
        self.wait(pause)
    }
}
