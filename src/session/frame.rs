//! A running command of a session, from its first line to its result.

mod ending;
mod finish;
mod inspect;
mod prepare;

use std::io;
use std::sync::Arc;
use std::time::Instant;

use rustix::process::Signal;
use tokio::task::yield_now;
use tokio::time::sleep_until;

use self::ending::send_to_processes;
use self::inspect::Inspection;
pub use self::prepare::has_sure_pipe;
use self::prepare::{is_quoted, prepare};
use super::command::Command;
use super::report::Report;
use super::shell::{Shell, new_token};
use super::stop::Stop;
use super::times::{Clock, Due};
use crate::job::Outcome;
use crate::job::Request;
use crate::job::io::input::Feeder;
use crate::job::io::observer::StreamName;
use crate::job::io::output::{Output, Sinks};
use crate::job::io::spill::{SpillFile, create_spill_file};
use crate::job::model::outcome::{Cause, InSession};
use crate::session::shell::files::INPUT_PIPE;
use crate::session::shell::flavor::{CommandLine, Source};
use crate::text::view::ViewBuilder;

/// A running command.
#[derive(Debug)]
#[allow(clippy::struct_excessive_bools, reason = "they are facts that come about one by one, in any order")]
pub(super) struct Frame {
    pub(super) command: Command,
    token: String,
    /// The token of an extra report after a stop. When it arrives, no signal of the stop can still reach the shell.
    barrier: Option<String>,
    barrier_since: Option<Instant>,
    needs_barrier: bool,
    stdout: Output,
    stderr: Output,
    feeder: Feeder,
    spill: Option<SpillFile>,
    view: Option<ViewBuilder>,
    clock: Clock,
    started_at: Instant,
    is_watched: bool,
    source: Source,
    report: Option<Report>,
    stop: Option<Stop>,
    cause: Option<Cause>,
    asks: u32,
    was_idle: bool,
    was_held: bool,
    shell_end: Option<Box<Outcome>>,
    phase: Phase,
    facts: InSession,
    inspection: Inspection,
}

/// The progress of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// The shell runs the command.
    Running,
    /// The command has ended; other processes may hold its output open.
    Draining,
    /// The command and its output have ended.
    Over,
}

/// The cause of a wake-up.
#[derive(Debug)]
pub(super) enum Woken {
    Report,
    Time,
    CheckStop,
    Room,
    Inspection,
    Input,
    Output(StreamName),
}

impl Frame {
    /// Makes the shell run a command.
    ///
    /// # Errors
    ///
    /// The command, and the system's error when its files can't be made.
    pub(super) fn begin(
        shell: &mut Shell,
        mut command: Command,
        restarted: bool,
    ) -> Result<Self, Box<(Command, io::Error)>> {
        let token = new_token();
        let started_at = Instant::now();
        let (source, streams) = match prepare(shell, &mut command, &token) {
            Ok(prepared) => prepared,
            Err(error) => return Err(Box::new((command, error))),
        };
        let [stdout, stderr] = streams;
        let feeder = match Feeder::new(Arc::clone(&command.input), None) {
            Ok(feeder) => feeder,
            Err(error) => return Err(Box::new((command, error))),
        };
        let is_merged = command.plan.output.is_merged;
        let spill = command.plan.output.spill.as_ref().map(create_spill_file);
        let view = command.plan.output.view.as_ref().map(ViewBuilder::new);
        let clock = Clock::new(&command.plan.times, source == Source::Named(INPUT_PIPE));
        shell.forget_reports();
        shell.take_own_output();
        let (flavor, directory) = (shell.flavor, shell.directory.text());
        let is_quoted = is_quoted(&command, shell);
        let line = CommandLine {
            text: command.text(),
            is_quoted,
            source,
            is_merged,
            status: shell.status,
            tracing: shell.tracing,
        };
        let lines =
            flavor.command_line(directory, line) + &flavor.report_line(directory, &token, shell.own_streams);
        shell.tell(&lines);
        if let Some(pid) = shell.pid() {
            command.pid.store(pid, std::sync::atomic::Ordering::Release);
        }
        command.is_running = true;
        command.status.has_begun();
        Ok(Self {
            token,
            barrier: None,
            barrier_since: None,
            needs_barrier: false,
            stdout,
            stderr,
            feeder,
            spill,
            view,
            clock,
            started_at,
            is_watched: false,
            source,
            report: None,
            stop: None,
            cause: None,
            asks: 0,
            was_idle: false,
            was_held: false,
            shell_end: None,
            phase: Phase::Running,
            facts: InSession { restarted, ..InSession::default() },
            inspection: Inspection::new(command.plan.on_waiting),
            command,
        })
    }

    /// Returns whether the command and its output have ended.
    pub(super) fn is_over(&self) -> bool {
        self.phase == Phase::Over
    }

    /// Waits for the next event.
    pub(super) async fn next(&mut self, shell: &mut Shell) -> Woken {
        let may_read = self.may_read();
        let check = self.stop.as_ref().map_or_else(crate::job::never, Stop::next_check);
        let waits_for_report = self.phase == Phase::Running;
        let is_watched = self.is_watched;
        tokio::select! {
            biased;
            () = shell.reported(), if waits_for_report => Woken::Report,
            () = sleep_until(check), if self.stop.is_some() => Woken::CheckStop,
            () = sleep_until(self.clock.next()) => Woken::Time,
            () = self.inspection.due(), if waits_for_report => Woken::Inspection,
            () = room(&self.command, self.spill.as_ref()), if !may_read => Woken::Room,
            woken = any_stream(&mut self.stdout, &mut self.stderr, &mut self.feeder, is_watched && may_read) => woken,
        }
    }

    /// Handles an event.
    pub(super) async fn take(&mut self, woken: Woken, shell: &mut Shell) {
        match woken {
            Woken::Report => self.read_report(shell),
            Woken::Time => self.time_is_up(shell).await,
            Woken::CheckStop => self.check_stop(shell),
            Woken::Room => {}
            Woken::Inspection => self.inspect(shell).await,
            Woken::Input => {
                self.inspection.fed();
                if self.feeder.feed(self.command.end.observer()) {
                    yield_now().await;
                }
            }
            Woken::Output(name) => self.read(name).await,
        }
    }

    /// Returns whether the consumer and the file can take more. The output of a command that is being ended is read
    /// in any case.
    fn may_read(&self) -> bool {
        (self.stop.is_some() || self.command.flow.has_room())
            && self.spill.as_ref().is_none_or(SpillFile::has_room)
    }

    async fn read(&mut self, name: StreamName) {
        let turn =
            self.with_sinks(|outputs, sinks| outputs[usize::from(name == StreamName::Stderr)].read(sinks));
        if turn.has_read {
            self.clock.not_idle();
            self.inspection.activity();
        }
        if turn.is_full {
            yield_now().await;
        }
        if self.phase == Phase::Draining && self.stop.is_none() && self.output_has_ended() {
            self.phase = Phase::Over;
        }
    }

    /// Reads the data in the pipes. Returns whether there was any.
    fn read_all(&mut self) -> bool {
        let mut has_read = false;
        // After a full turn the pipe may hold more. The number of turns is bounded, because a process may go on
        // writing.
        for _ in 0..MAX_TURNS {
            let turns = self.with_sinks(|outputs, sinks| outputs.map(|output| output.read(sinks)));
            has_read |= turns.iter().any(|turn| turn.has_read);
            if !turns.iter().any(|turn| turn.is_full) {
                break;
            }
        }
        has_read
    }

    fn output_has_ended(&self) -> bool {
        self.stdout.has_ended() && self.stderr.has_ended()
    }

    async fn time_is_up(&mut self, shell: &mut Shell) {
        match self.clock.take_due() {
            Some(Due::Timeout) => self.stop_because(Cause::Timeout, None, shell),
            Some(Due::Idle) if !self.may_read() => self.clock.not_idle(),
            Some(Due::Idle) => match self.ready_stream().await {
                // Output may be unread if this process was stopped, or did not run for a while.
                Some(name) => self.read(name).await,
                None => self.stop_because(Cause::IdleTimeout, None, shell),
            },
            Some(Due::DrainOver) => {
                self.read_all();
                self.phase = Phase::Over;
            }
            Some(Due::Watch) => self.is_watched = true,
            Some(Due::CheckShell) => self.check_shell(shell),
            Some(Due::OpenInput) => self.open_input(shell),
            None => {}
        }
    }

    /// Returns a stream that can be read now; `None` if there is none.
    async fn ready_stream(&mut self) -> Option<StreamName> {
        tokio::select! {
            biased;
            () = self.stdout.ready(), if self.is_watched => Some(StreamName::Stdout),
            () = self.stderr.ready(), if self.is_watched => Some(StreamName::Stderr),
            () = std::future::ready(()) => None,
        }
    }

    /// Handles a request to the command.
    pub(super) fn ask(&mut self, request: Request, shell: &mut Shell) {
        match request {
            Request::Stop(cause, signal) => self.stop_because(cause, signal, shell),
            Request::StopAtOnce(cause) => {
                self.stop_because(cause, Some(Signal::KILL), shell);
                if let Some(stop) = &mut self.stop {
                    stop.kill_at_once();
                }
            }
            Request::Forward(Signal::INT) => self.interrupt(Signal::INT, shell),
            Request::Forward(signal) => send_to_processes(shell, signal),
            Request::ReportSpawn => {
                if let Some(pid) = shell.pid() {
                    self.command.end.observer().spawned(pid);
                }
            }
            Request::FollowWaits(is_followed) => self.inspection.follow_waits(is_followed),
            Request::CheckInput => self.inspection.ask(),
            Request::FollowPorts(is_followed) => self.inspection.follow_ports(is_followed),
            // A command of a session has no terminal.
            Request::Resize(_) => {}
        }
    }

    fn open_input(&mut self, shell: &Shell) {
        let Some(writer) = shell.directory.open_writer(INPUT_PIPE) else {
            return self.clock.open_input_later();
        };
        if let Ok(feeder) = Feeder::new(Arc::clone(&self.command.input), Some(writer)) {
            self.feeder = feeder;
        }
    }

    /// Borrows the two outputs and their destinations side by side.
    fn with_sinks<T>(&mut self, act: impl FnOnce([&mut Output; 2], &mut Sinks<'_>) -> T) -> T {
        let mut sinks = Sinks {
            flow: &self.command.flow,
            observer: self.command.end.observer(),
            ring: None,
            spill: self.spill.as_mut(),
            view: self.view.as_mut(),
            screen: None,
        };
        act([&mut self.stdout, &mut self.stderr], &mut sinks)
    }
}

/// The most turns of one read: one empties a pipe, unless a process goes on writing.
const MAX_TURNS: u32 = 4;

/// Waits until there may be room for more output.
async fn room(command: &Command, spill: Option<&SpillFile>) {
    match spill {
        Some(spill) if !spill.has_room() => spill.room().await,
        _ => command.flow.room().await,
    }
}

/// Waits for any of the streams, without a priority among them.
async fn any_stream(stdout: &mut Output, stderr: &mut Output, feeder: &mut Feeder, may_read: bool) -> Woken {
    tokio::select! {
        () = stdout.ready(), if may_read => Woken::Output(StreamName::Stdout),
        () = stderr.ready(), if may_read => Woken::Output(StreamName::Stderr),
        () = feeder.ready() => Woken::Input,
    }
}
