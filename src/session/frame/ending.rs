//! Handles the three ends of a command: its shell has reported, a stop has ended it, or its shell does not
//! answer.

use crate::process::signal::Signal;

use super::CommandFrame;
use crate::job::Outcome;
use crate::job::execution::Execution;
use crate::job::life::{Event, Step};
use crate::job::model::outcome::{End, SessionError};
use crate::session::report::ShellReport;
use crate::session::report_wait::ReportEvent;
use crate::session::shell::LiveShell;
use crate::session::shell::lines::command_line::Tracing;
use crate::session::stop::{Stop, StopProgress};

impl CommandFrame {
    /// Carries out a step.
    pub(super) async fn follow(&mut self, mut step: Step, shell: &mut LiveShell) {
        if step == Step::CountSurvivors {
            let has_survivors = self.has_survivors(shell).await;
            step = self.execution.life.apply(Event::Survivors(has_survivors));
        }
        match step {
            Step::Terminate => {
                self.execution.clock.terminate(self.execution.plan.ending.grace);
                self.begin_stop(self.execution.stop_signal, shell).await;
            }
            Step::Kill => {
                self.execution.clock.stop();
                match &mut self.stop {
                    Some(current) => current.force(),
                    None => self.begin_stop(Signal::KILL, shell).await,
                }
            }
            Step::Settle => self.is_over = true,
            // A repeated signal changes nothing: all processes have it. The terms of a list ask for no other
            // step.
            _ => {}
        }
        if self.execution.life.is_stopping() {
            // After the shell was stopped: one whose program gets no answer would go on with its list.
            self.refuse_prompts(shell);
        }
    }

    async fn begin_stop(&mut self, signal: Signal, shell: &mut LiveShell) {
        self.report_wait.pause();
        self.stop = Some(if self.execution.life.leader_exited() {
            Stop::of_processes(signal)
        } else {
            shell.refresh().await;
            Stop::of_list(shell, signal)
        });
    }

    /// Returns whether the shell has started one more program just before it gave up its list.
    async fn has_survivors(&mut self, shell: &mut LiveShell) -> bool {
        // After a stop of processes alone there was no list that could start more.
        let had_list = self.stop.take().is_none();
        if !had_list || self.shell_end.is_some() {
            return false;
        }
        shell.refresh().await;
        !shell.processes().is_empty()
    }

    pub(super) fn read_report(&mut self, shell: &mut LiveShell) -> Step {
        self.report_wait.read(shell).map_or(Step::Wait, |answer| self.answered(answer, shell))
    }

    pub(super) async fn check_shell(&mut self, shell: &mut LiveShell) -> Step {
        if self.execution.life.leader_exited() || self.stop.is_some() {
            return Step::Wait;
        }
        self.report_wait.check(shell).await.map_or(Step::Wait, |answer| self.answered(answer, shell))
    }

    fn answered(&mut self, answer: ReportEvent, shell: &mut LiveShell) -> Step {
        match answer {
            ReportEvent::Reported(report) => self.reported(report, shell),
            ReportEvent::Confirmed => self.command_ended(),
            ReportEvent::Lost => {
                self.in_session.error = Some(SessionError::Lost);
                shell.kill();
                Step::Wait
            }
        }
    }

    fn reported(&mut self, report: ShellReport, shell: &mut LiveShell) -> Step {
        if let Some(stop) = self.stop.take() {
            if stop.is_harmless() {
                self.execution.life.apply(Event::ExitedBeforeStop);
            }
            if stop.is_continuing() {
                self.report_wait.require_confirmation();
            } else {
                shell.signal(Signal::CONT);
            }
        }
        self.in_session.pipe_status.clone_from(&report.pipe_status);
        shell.status = report.status;
        shell.tracing = Tracing::of(&report.options);
        self.report = Some(report);
        if self.report_wait.confirm(shell) { Step::Wait } else { self.command_ended() }
    }

    /// Records that the shell has finished the command, and that no signal of a stop can still reach the
    /// shell.
    fn command_ended(&mut self) -> Step {
        self.stop = None;
        self.report_wait.end();
        self.execution.streams.wakes_on_output = true;
        self.execution.life.apply(Event::MembersGone);
        self.execution.leader_exited()
    }

    /// Records that the shell's process has ended.
    pub(in crate::session) async fn shell_ended(&mut self, outcome: Box<Outcome>, shell: &mut LiveShell) {
        let Execution { life, streams, .. } = &self.execution;
        let is_lost = matches!(outcome.end, End::Lost(_));
        if is_lost || (self.report.is_none() && life.cause().is_none() && streams.stdout.is_untouched()) {
            // The target is lost, or the shell has not begun the command, so its end is none of the
            // command's.
            self.in_session.error = Some(SessionError::Lost);
        }
        self.shell_end = Some(outcome);
        self.in_session.shell_ended = true;
        let step = self.command_ended();
        self.follow(step, shell).await;
    }

    pub(super) async fn check_stop(&mut self, shell: &mut LiveShell) -> Step {
        shell.refresh().await;
        let Some(stop) = &mut self.stop else { return Step::Wait };
        match stop.check(shell, self.report_wait.token()) {
            StopProgress::Wait => Step::Wait,
            StopProgress::Reported(report) => self.reported(report, shell),
            StopProgress::Gone => {
                self.execution.read_all();
                self.execution.life.apply(Event::MembersGone)
            }
            StopProgress::Failed => {
                self.stop = None;
                self.execution.clock.stop();
                shell.kill();
                Step::Wait
            }
        }
    }

    /// Sends a signal to the command's processes and to the shell, as a terminal does.
    pub(in crate::session) async fn interrupt(&mut self, signal: Signal, shell: &mut LiveShell) {
        if self.execution.life.leader_exited() || self.stop.is_some() {
            return;
        }
        self.report_wait.require_confirmation();
        // The shell is signalled first: bash ignores a SIGINT that arrives after the end of the program that
        // it waited for.
        shell.signal(signal);
        send_to_processes(shell, signal).await;
        self.report_wait.check_soon();
    }
}

pub(super) async fn send_to_processes(shell: &mut LiveShell, signal: Signal) {
    shell.refresh().await;
    let identities: Vec<_> = shell.processes().iter().map(|process| process.identity).collect();
    shell.signal_each(signal, &identities);
}
