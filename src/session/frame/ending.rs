//! Handles the three ends of a command: its shell has reported, a stop has ended it, or its shell does not answer.

use std::time::{Duration, Instant};

use rustix::process::Signal;

use super::{Frame, Phase};
use crate::job::Outcome;
use crate::job::model::outcome::{Cause, SessionError};
use crate::session::report::Report;
use crate::session::shell::flavor::Tracing;
use crate::session::shell::{Shell, new_token};
use crate::session::stop::{Progress, Stop};

/// The most requests for a report to a shell that waits for its next line. After that the session ends the shell.
const MAX_ASKS: u32 = 3;

/// The longest time that a shell may take to report after a stopped command.
const BARRIER_DEADLINE: Duration = Duration::from_secs(5);

impl Frame {
    pub(super) fn read_report(&mut self, shell: &mut Shell) {
        let token = self.barrier.as_ref().unwrap_or(&self.token);
        let Some(report) = shell.report(token) else { return };
        if self.barrier.take().is_some() {
            return self.is_back(shell);
        }
        self.reported(report, shell);
    }

    pub(super) fn reported(&mut self, report: Report, shell: &mut Shell) {
        if let Some(stop) = self.stop.take() {
            if stop.is_harmless() {
                // The command ended before the stop began, so the stop did not cause its end.
                self.cause = None;
            }
            if stop.is_continuing() {
                self.needs_barrier = true;
            } else {
                shell.signal(Signal::CONT);
            }
        }
        self.facts.pipe_status.clone_from(&report.pipe_status);
        shell.status = report.status;
        shell.tracing = Tracing::of(&report.options);
        self.report = Some(report);
        if self.needs_barrier {
            let token = new_token();
            shell.ask_for_report(&token);
            self.barrier = Some(token);
            self.barrier_since = Some(Instant::now());
            self.clock.check_soon();
        } else {
            self.has_ended();
        }
    }

    /// Records that the shell has reported after a stop, so no signal of the stop can still reach it.
    pub(super) fn is_back(&mut self, shell: &Shell) {
        self.has_ended();
        if self.cause.is_some() && !shell.processes().is_empty() {
            // The shell may have started one more program just before it gave up its list.
            self.phase = Phase::Draining;
            self.stop =
                Some(Stop::of_processes(self.command.plan.ending.signal, self.command.plan.ending.grace));
        }
    }

    /// Records that the shell has finished the command.
    pub(super) fn has_ended(&mut self) {
        self.needs_barrier = false;
        self.stop = None;
        self.read_all();
        self.phase =
            if self.output_has_ended() || self.cause.is_some() { Phase::Over } else { Phase::Draining };
        self.was_held = self.phase == Phase::Draining;
        self.clock.drain(self.command.plan.drain);
        self.is_watched = true;
    }

    /// Records that the shell's process has ended.
    pub(in crate::session) fn shell_ended(&mut self, outcome: Box<Outcome>) {
        if self.report.is_none() && self.cause.is_none() && self.stdout.is_untouched() {
            // The shell has not begun the command, so its end is none of the command's.
            self.facts.error = Some(SessionError::Lost);
        }
        self.shell_end = Some(outcome);
        self.facts.shell_ended = true;
        self.barrier = None;
        self.has_ended();
    }

    /// Checks whether the shell waits for its next line, which means that it has finished the command, even without a
    /// report: dash drops the lines that it has read ahead when an error occurs, and a shell may have lost access to
    /// its files.
    pub(super) fn check_shell(&mut self, shell: &mut Shell) {
        if self.phase != Phase::Running || self.stop.is_some() {
            return;
        }
        let token = self.barrier.as_ref().unwrap_or(&self.token).clone();
        if self.barrier_since.is_some_and(|since| since.elapsed() > BARRIER_DEADLINE) {
            return self.lose(shell);
        }
        let was_idle = std::mem::replace(&mut self.was_idle, shell.is_idle());
        if !self.was_idle {
            return self.clock.check_later();
        }
        if !was_idle {
            return self.clock.check_soon();
        }
        if let Some(report) = shell.report(&token) {
            if self.barrier.take().is_some() {
                self.is_back(shell);
            } else {
                self.reported(report, shell);
            }
            return;
        }
        self.asks += 1;
        self.was_idle = false;
        if self.asks > MAX_ASKS || shell.repair().is_err() {
            return self.lose(shell);
        }
        shell.ask_for_report(&token);
        self.clock.check_soon();
    }

    pub(super) fn check_stop(&mut self, shell: &mut Shell) {
        let Some(stop) = &mut self.stop else { return };
        match stop.check(shell, &self.token) {
            Progress::Wait => {}
            Progress::Reported(report) => self.reported(report, shell),
            Progress::Gone => {
                self.stop = None;
                self.read_all();
                self.phase = Phase::Over;
            }
            Progress::Failed => {
                self.stop = None;
                shell.kill();
            }
        }
    }

    /// Ends a shell that does not answer.
    pub(super) fn lose(&mut self, shell: &Shell) {
        self.facts.error = Some(SessionError::Lost);
        shell.kill();
        self.clock.check_later();
    }

    /// Sends a signal to the command's processes and to the shell, as a terminal does.
    pub(in crate::session) fn interrupt(&mut self, signal: Signal, shell: &mut Shell) {
        if self.phase != Phase::Running || self.stop.is_some() {
            return;
        }
        self.needs_barrier = true;
        // The shell is signalled first: bash ignores a SIGINT that arrives after the end of the program that it
        // waited for.
        shell.signal(signal);
        send_to_processes(shell, signal);
        self.clock.check_soon();
    }

    pub(super) fn stop_because(&mut self, cause: Cause, signal: Option<Signal>, shell: &mut Shell) {
        if self.stop.is_some() || self.phase == Phase::Over || self.barrier.is_some() {
            return;
        }
        self.cause = Some(cause);
        self.clock.stop();
        let ending = self.command.plan.ending;
        let signal = signal.unwrap_or(ending.signal);
        self.stop = Some(if self.phase == Phase::Running {
            Stop::of_list(shell, signal, ending.grace)
        } else {
            Stop::of_processes(signal, ending.grace)
        });
    }
}

pub(super) fn send_to_processes(shell: &Shell, signal: Signal) {
    for process in shell.processes() {
        process.identity.send(signal);
    }
}
