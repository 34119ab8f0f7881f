//! Ends of a command: by the report of its shell, by a stop, or by a shell that does not answer.

use std::time::{Duration, Instant};

use rustix::process::Signal;

use super::{Frame, Phase};
use crate::job::Outcome;
use crate::job::model::outcome::{Cause, SessionError};
use crate::session::report::Report;
use crate::session::shell::{Shell, new_token};
use crate::session::stop::{Look, Stop};

/// The most questions to a shell that waits for its next line and has not reported. Then the session ends the shell.
const MAX_ASKS: u32 = 3;

/// The time in which a shell has to answer after a command that was broken off.
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
            if stop.is_waking() {
                self.needs_barrier = true;
            } else {
                shell.signal(Signal::CONT);
            }
        }
        self.facts.pipe_status.clone_from(&report.pipe_status);
        self.report = Some(report);
        if self.needs_barrier {
            let token = new_token();
            shell.ask_for_report(&token);
            self.barrier = Some(token);
            self.barrier_since = Some(Instant::now());
            self.clock.look_soon();
        } else {
            self.has_ended();
        }
    }

    /// The shell has shown that no signal of ours is on its way to it any longer.
    pub(super) fn is_back(&mut self, shell: &Shell) {
        self.has_ended();
        if self.cause.is_some() && !shell.processes().is_empty() {
            // The shell may have been about to start a program when it was told to give up.
            self.phase = Phase::Draining;
            self.stop =
                Some(Stop::of_processes(self.command.plan.ending.signal, self.command.plan.ending.grace));
        }
    }

    /// The shell has left the command.
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

    /// The shell has ended.
    pub(in crate::session) fn shell_ended(&mut self, outcome: Box<Outcome>) {
        self.shell_end = Some(outcome);
        self.facts.shell_ended = true;
        self.barrier = None;
        self.has_ended();
    }

    /// A shell that waits for its next line has left the command, whether it has reported or not: it throws away the lines
    /// that it has read ahead when an error comes (dash), or it can't reach its files.
    pub(super) fn look_at_shell(&mut self, shell: &mut Shell) {
        if self.phase != Phase::Running || self.stop.is_some() {
            return;
        }
        let token = self.barrier.as_ref().unwrap_or(&self.token).clone();
        if self.barrier_since.is_some_and(|since| since.elapsed() > BARRIER_DEADLINE) {
            return self.lose(shell);
        }
        let was_idle = std::mem::replace(&mut self.was_idle, shell.is_idle());
        if !self.was_idle {
            return self.clock.look_later();
        }
        if !was_idle {
            return self.clock.look_soon();
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
        self.clock.look_soon();
    }

    pub(super) fn look_at_stop(&mut self, shell: &mut Shell) {
        let Some(stop) = &mut self.stop else { return };
        match stop.look(shell, &self.token) {
            Look::Wait => {}
            Look::Reported(report) => self.reported(report, shell),
            Look::Gone => {
                self.stop = None;
                self.read_all();
                self.phase = Phase::Over;
            }
            Look::Hopeless => {
                self.stop = None;
                shell.kill();
            }
        }
    }

    /// The shell does not answer.
    pub(super) fn lose(&mut self, shell: &Shell) {
        self.facts.error = Some(SessionError::Lost);
        shell.kill();
        self.clock.look_later();
    }

    /// Sends a signal to the command's processes and to the shell, as a terminal does.
    pub(in crate::session) fn interrupt(&mut self, signal: Signal, shell: &mut Shell) {
        if self.phase != Phase::Running || self.stop.is_some() {
            return;
        }
        self.needs_barrier = true;
        // First the shell: bash takes a SIGINT that comes after the end of the program for none of its own.
        shell.signal(signal);
        send_to_processes(shell, signal);
        self.clock.look_soon();
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
