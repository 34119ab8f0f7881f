//! A running command of a session, from its first line to its result.
//!
//! The life of the command is that of any other, an [`Execution`]. The session's own part is here: the lines
//! to the shell, the wait for its report, the stop of a list in a shell that lives on, and the files.

mod asking;
mod ending;
mod finish;
mod prepare;

use std::io;
use std::sync::Arc;
use std::time::Instant;

use tokio::time::sleep_until;

use self::asking::FramePrompts;
use self::ending::send_to_processes;
use self::prepare::{PreparedStreams, is_quoted, prepare};
use super::report::ShellReport;
use super::report_wait::{ReportDue, ReportWait};
use super::session_command::{CommandRecord, SessionCommand};
use super::shell::place::ShellPlace;
use super::shell::{LiveShell, new_token};
use super::stop::Stop;
use crate::engine::engine;
use crate::job::execution::Execution;
use crate::job::execution::streams::{CommandStreams, Ready};
use crate::job::io::input::Feeder;
use crate::job::io::spill::create_spill_file;
use crate::job::life::{Life, Step, Terms};
use crate::job::model::outcome::InSession;
use crate::job::sandbox::RunningSandbox;
use crate::job::state::{CommandState, described};
use crate::job::{JobHandle, JobRequest, Outcome, never};
use crate::process::identity::Pid;
use crate::process::signal::Signal;
use crate::sandbox::network::ask::ConnectEvent;
use crate::session::shell::files::INPUT_PIPE;
use crate::session::shell::lines::command_line::{CommandInput, LineParts};
use crate::target::remote_command::RemoteCommand;

/// A running command.
#[derive(Debug)]
pub(super) struct CommandFrame {
    pub(super) record: CommandRecord,
    execution: Execution,
    report_wait: ReportWait,
    stop: Option<Stop>,
    prompts: FramePrompts,
    input: CommandInput,
    /// Drops the output on a target that is left after the command.
    _hold: Option<RemoteCommand>,
    report: Option<ShellReport>,
    shell_end: Option<Box<Outcome>>,
    in_session: InSession,
    /// Whether the command and its output have ended.
    pub(super) is_over: bool,
}

/// The cause of a wake-up.
#[derive(Debug)]
pub(super) enum FrameWake {
    Report,
    Time,
    CheckStop,
    Inspection,
    Stream(Ready),
}

impl CommandFrame {
    /// Makes the shell run a command.
    ///
    /// # Errors
    ///
    /// The command, and the system's error when its files can't be made; `NotConnected` for a lost target.
    pub(super) async fn begin(
        shell: &mut LiveShell,
        mut command: SessionCommand,
        restarted: bool,
    ) -> Result<Self, Box<(SessionCommand, io::Error)>> {
        let token = new_token();
        let started_at = Instant::now();
        if let Some(sandbox) = shell.handle.sandbox() {
            sandbox.refresh().await;
        }
        let prepared = prepare(shell, &command, &token).await.and_then(|prepared| {
            let PreparedStreams { input, stdin, outputs, hold } = prepared;
            let awaits_shell = input == CommandInput::Named(INPUT_PIPE) && stdin.is_none();
            Ok((
                input,
                awaits_shell,
                Feeder::new(Arc::clone(&command.record.shared.input), stdin)?,
                outputs,
                hold,
            ))
        });
        let (input, awaits_shell, feeder, outputs, hold) = match prepared {
            Ok(prepared) => prepared,
            Err(error) => return Err(Box::new((command, error))),
        };
        let output = &command.plan.output;
        let spill = output.spill.as_ref().map(create_spill_file);
        let mut streams =
            CommandStreams::new(outputs, feeder, spill, output, Arc::clone(&command.record.shared.flow));
        // A command that ends soon wakes the engine once, by its report.
        streams.wakes_on_output = false;
        shell.forget_reports();
        shell.take_own_output();
        let command_line = LineParts {
            text: command.text(),
            is_quoted: is_quoted(&command, shell),
            input,
            is_merged: output.is_merged,
            status: shell.status,
            tracing: shell.tracing,
            hides_hooks: shell.hides_hooks,
        };
        let (flavor, directory) = (shell.flavor, shell.directory());
        let lines = flavor.command_line(directory, shell.own_streams, command_line)
            + &flavor.report_line(directory, &token, shell.own_streams);
        shell.send(&lines);
        command.record.begin(shell.pid());
        JobHandle::share_sandbox(&command.record.shared, &shell.handle);
        let life = Life::new(Terms::of_list(&command.plan), false);
        Ok(Self {
            record: command.record,
            execution: Execution::new(command.plan, command.end, started_at, streams, life),
            report_wait: ReportWait::new(token, awaits_shell),
            stop: None,
            prompts: FramePrompts::default(),
            input,
            _hold: hold,
            report: None,
            shell_end: None,
            in_session: InSession { restarted, ..InSession::default() },
            is_over: false,
        })
    }

    /// Waits for the next event.
    pub(super) async fn next(&mut self, shell: &mut LiveShell) -> FrameWake {
        let execution = &mut self.execution;
        let may_read = execution.may_read();
        let is_running = !execution.life.leader_exited();
        let check = self.stop.as_ref().map_or_else(never, Stop::next_check);
        // The deadlines of a command that has ended wait for the confirmation of that.
        let deadline = if self.report_wait.is_confirming() { None } else { Some(execution.clock.next()) };
        let time = deadline.into_iter().chain(self.report_wait.next()).min().unwrap_or_else(never);
        tokio::select! {
            biased;
            () = shell.reported(), if is_running => FrameWake::Report,
            () = sleep_until(check), if self.stop.is_some() => FrameWake::CheckStop,
            () = sleep_until(time) => FrameWake::Time,
            () = execution.inspections.due(), if is_running => FrameWake::Inspection,
            ready = execution.streams.ready(may_read) => FrameWake::Stream(ready),
        }
    }

    pub(super) async fn handle_event(&mut self, woken: FrameWake, shell: &mut LiveShell) {
        let step = match woken {
            FrameWake::Report => self.read_report(shell),
            FrameWake::Time => self.handle_deadline(shell).await,
            FrameWake::CheckStop => self.check_stop(shell).await,
            FrameWake::Inspection => self.inspect(shell).await,
            FrameWake::Stream(Ready::Output(name)) => self.execution.read(name).await,
            FrameWake::Stream(Ready::Input) => self.execution.feed().await,
            FrameWake::Stream(Ready::Room) => Step::Wait,
        };
        self.follow(step, shell).await;
    }

    async fn handle_deadline(&mut self, shell: &mut LiveShell) -> Step {
        match self.report_wait.take_due() {
            Some(ReportDue::WatchStreams) => self.execution.streams.wakes_on_output = true,
            Some(ReportDue::CheckShell) => return self.check_shell(shell).await,
            Some(ReportDue::OpenInput) => self.open_input(shell),
            None if !self.report_wait.is_confirming() => return self.execution.handle_deadline(),
            None => {}
        }
        Step::Wait
    }

    /// Passes an event about a question of the sandbox's network on.
    pub(super) fn connecting(&self, event: ConnectEvent) {
        self.execution.end.observer().connecting(event);
    }

    /// Handles a request to the command.
    pub(super) async fn ask(&mut self, request: JobRequest, shell: &mut LiveShell) {
        if matches!(request, JobRequest::Stop(..) | JobRequest::StopAtOnce(_))
            && let Some(sandbox) = shell.handle.sandbox()
        {
            sandbox.refuse_questions();
        }
        match request {
            // The command has ended.
            JobRequest::Stop(..) | JobRequest::StopAtOnce(_) if self.report_wait.is_confirming() => {}
            JobRequest::Forward(Signal::INT) => self.interrupt(Signal::INT, shell).await,
            JobRequest::Forward(signal) => send_to_processes(shell, signal).await,
            JobRequest::ReportSpawn => {
                if let Some(pid) = shell.pid() {
                    self.execution.end.observer().spawned(pid);
                }
            }
            JobRequest::AnswerPrompt(number, answer) => self.answer_prompt(number, answer, shell),
            JobRequest::ReportState => {
                let Ok(engine) = engine() else { return };
                let processes = described(engine.scanner(), processes_of(shell)).await;
                let sandbox = shell.handle.sandbox();
                let refused = sandbox.map_or_else(Vec::new, RunningSandbox::refused_so_far);
                self.execution.end.observer().state(CommandState { processes, refused });
            }
            request => {
                let step = self.execution.handle_request(request);
                self.follow(step, shell).await;
            }
        }
    }

    /// Runs the inspections that are due.
    async fn inspect(&mut self, shell: &LiveShell) -> Step {
        let Ok(engine) = engine() else { return Step::Wait };
        if self.execution.inspections.are_ports_due() {
            self.execution.check_ports(engine.scanner(), processes_of(shell)).await;
        }
        if !self.execution.inspections.is_input_due() {
            return Step::Wait;
        }
        let is_ending = self.execution.life.is_stopping() || self.report_wait.is_confirming();
        let find = || if is_ending { Vec::new() } else { processes_of(shell) };
        self.execution.check_input(engine.scanner(), find).await
    }

    fn open_input(&mut self, shell: &LiveShell) {
        let ShellPlace::Local(here) = &shell.place else { return };
        let Some(writer) = here.directory.open_writer(INPUT_PIPE) else {
            return self.report_wait.open_input_later();
        };
        let feeder = &mut self.execution.streams.feeder;
        if let Ok(connected) = Feeder::new(Arc::clone(feeder.input()), Some(writer)) {
            *feeder = connected;
        }
    }
}

/// Returns the pids of the shell, which may read by itself, and of the command's processes. Those on a target
/// are none of this machine's.
fn processes_of(shell: &LiveShell) -> Vec<Pid> {
    if matches!(shell.place, ShellPlace::Target(_)) {
        return Vec::new();
    }
    let shell_itself = shell.pid().and_then(Pid::from_raw);
    shell_itself.into_iter().chain(shell.processes().iter().map(|process| process.identity.pid)).collect()
}
