//! One command inside of a shell, from its first line to its result.

use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use rustix::process::Signal;
use tokio::task::yield_now;
use tokio::time::{sleep, sleep_until};

use super::command::Command;
use super::directory::{INPUT, INPUT_PIPE, STDERR, STDOUT};
use super::flavor::{Flavor, Source};
use super::report::Report;
use super::shell::{Shell, new_token};
use super::stop::{Look, Stop};
use super::times::{Clock, Due};
use crate::job::Outcome;
use crate::job::Request;
use crate::job::discard_output;
use crate::job::io::input::Feeder;
use crate::job::io::observer::StreamName;
use crate::job::io::output::{Output, Sinks};
use crate::job::io::spill::{SpillFile, create_spill_file};
use crate::job::model::outcome::{Cause, End, InSession, SessionError};
use crate::job::model::plan::{self, Input};
use crate::job::warm::flavor::Flavor as Dialect;
use crate::job::warm::simple::is_simple;
use crate::process::pipe::PipeReader;
use crate::process::table::row::Process;
use crate::process::wait::Exit;
use crate::text::view::ViewBuilder;

/// How often a shell is asked again that waits for its next line though it has not reported. Then it is ended.
const MAX_ASKS: u32 = 3;

/// How long a shell may take to show that it has come back from a command that was broken off.
const BARRIER_DEADLINE: Duration = Duration::from_secs(5);

/// When those are looked at again that are left when the output has ended: a program closes its output some moments
/// before it is gone.
const LAST_MOMENTS: [Duration; 4] =
    [Duration::from_millis(1), Duration::from_millis(3), Duration::from_millis(6), Duration::from_millis(10)];

/// A command that runs.
#[derive(Debug)]
#[allow(clippy::struct_excessive_bools, reason = "they are facts that come about one by one, in any order")]
pub(super) struct Frame {
    pub(super) command: Command,
    token: String,
    /// The token of a report that shows that no signal of ours is on its way any longer.
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
}

/// How far a command is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// It has not reported, and the shell lives.
    Running,
    /// It has ended, and others may hold its output.
    Draining,
    /// There is nothing to wait for.
    Over,
}

/// What woke the frame.
#[derive(Debug)]
pub(super) enum Woken {
    Report,
    Time,
    Look,
    Room,
    Input,
    Output(StreamName),
}

impl Frame {
    /// Tells the shell to run a command.
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
        let lines = shell.flavor.command_line(shell.directory.text(), command.text(), source, is_merged)
            + &shell.flavor.report_line(shell.directory.text(), &token);
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
            command,
        })
    }

    /// Whether there is nothing to wait for any longer.
    pub(super) fn is_over(&self) -> bool {
        self.phase == Phase::Over
    }

    /// Waits for what comes next.
    pub(super) async fn next(&mut self, shell: &mut Shell) -> Woken {
        let may_read = self.may_read();
        let look = self.stop.as_ref().map_or_else(crate::job::never, Stop::next_look);
        let waits_for_report = self.phase == Phase::Running;
        let is_watched = self.is_watched;
        tokio::select! {
            biased;
            () = shell.reported(), if waits_for_report => Woken::Report,
            () = sleep_until(look), if self.stop.is_some() => Woken::Look,
            () = sleep_until(self.clock.next()) => Woken::Time,
            () = room(&self.command, self.spill.as_ref()), if !may_read => Woken::Room,
            woken = any_stream(&mut self.stdout, &mut self.stderr, &mut self.feeder, is_watched && may_read) => woken,
        }
    }

    /// Does what comes next.
    pub(super) async fn take(&mut self, woken: Woken, shell: &mut Shell) {
        match woken {
            Woken::Report => self.read_report(shell),
            Woken::Time => self.time_is_up(shell).await,
            Woken::Look => self.look_at_stop(shell),
            Woken::Room => {}
            Woken::Input => {
                if self.feeder.feed(self.command.end.observer()) {
                    yield_now().await;
                }
            }
            Woken::Output(name) => self.read(name).await,
        }
    }

    /// Whether the consumer and the file can take more. One that is being ended is read whatever the consumer does.
    fn may_read(&self) -> bool {
        (self.stop.is_some() || self.command.flow.has_room())
            && self.spill.as_ref().is_none_or(SpillFile::has_room)
    }

    async fn read(&mut self, name: StreamName) {
        let turn =
            self.with_sinks(|outputs, sinks| outputs[usize::from(name == StreamName::Stderr)].read(sinks));
        if turn.has_read {
            self.clock.not_idle();
        }
        if turn.is_full {
            yield_now().await;
        }
        if self.phase == Phase::Draining && self.stop.is_none() && self.output_has_ended() {
            self.phase = Phase::Over;
        }
    }

    fn read_all(&mut self) {
        // A turn that is full leaves something: whoever writes on writes for others.
        for _ in 0..MAX_TURNS {
            let turns = self.with_sinks(|outputs, sinks| outputs.map(|output| output.read(sinks)));
            if !turns.iter().any(|turn| turn.is_full) {
                break;
            }
        }
    }

    fn output_has_ended(&self) -> bool {
        self.stdout.has_ended() && self.stderr.has_ended()
    }

    fn read_report(&mut self, shell: &mut Shell) {
        let token = self.barrier.as_ref().unwrap_or(&self.token);
        let Some(report) = shell.report(token) else { return };
        if self.barrier.take().is_some() {
            return self.is_back(shell);
        }
        self.reported(report, shell);
    }

    fn reported(&mut self, report: Report, shell: &mut Shell) {
        if let Some(stop) = self.stop.take() {
            if stop.is_harmless() {
                // It was faster than we: what was asked of it has nothing to do with how it ended.
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
    fn is_back(&mut self, shell: &Shell) {
        self.has_ended();
        if self.cause.is_some() && !shell.processes().is_empty() {
            // The shell may have been about to start a program when it was told to give up.
            self.phase = Phase::Draining;
            self.stop =
                Some(Stop::of_processes(self.command.plan.ending.signal, self.command.plan.ending.grace));
        }
    }

    /// The shell has left the command.
    fn has_ended(&mut self) {
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
    pub(super) fn shell_ended(&mut self, outcome: Box<Outcome>) {
        self.shell_end = Some(outcome);
        self.facts.shell_ended = true;
        self.barrier = None;
        self.has_ended();
    }

    async fn time_is_up(&mut self, shell: &mut Shell) {
        match self.clock.take_due() {
            Some(Due::Timeout) => self.stop_because(Cause::Timeout, None, shell),
            Some(Due::Idle) if !self.may_read() => self.clock.not_idle(),
            Some(Due::Idle) => match self.ready_stream().await {
                // Nobody has read for a while if this process was stopped, or had no time.
                Some(name) => self.read(name).await,
                None => self.stop_because(Cause::IdleTimeout, None, shell),
            },
            Some(Due::DrainOver) => {
                self.read_all();
                self.phase = Phase::Over;
            }
            Some(Due::Watch) => self.is_watched = true,
            Some(Due::Look) => self.look_at_shell(shell),
            Some(Due::OpenInput) => self.open_input(shell),
            None => {}
        }
    }

    /// A stream that can be read now.
    async fn ready_stream(&mut self) -> Option<StreamName> {
        tokio::select! {
            biased;
            () = self.stdout.ready(), if self.is_watched => Some(StreamName::Stdout),
            () = self.stderr.ready(), if self.is_watched => Some(StreamName::Stderr),
            () = std::future::ready(()) => None,
        }
    }

    /// A shell that waits for its next line has left the command, whether it has reported or not: it throws away the lines
    /// that it has read ahead when an error comes (dash), or it can't reach its files.
    fn look_at_shell(&mut self, shell: &mut Shell) {
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

    fn look_at_stop(&mut self, shell: &mut Shell) {
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
    fn lose(&mut self, shell: &Shell) {
        self.facts.error = Some(SessionError::Lost);
        shell.kill();
        self.clock.look_later();
    }

    /// Does what is asked of the command.
    pub(super) fn ask(&mut self, request: Request, shell: &mut Shell) {
        match request {
            Request::Stop(cause, signal) => self.stop_because(cause, signal, shell),
            Request::StopAtOnce(cause) => {
                self.stop_because(cause, Some(Signal::KILL), shell);
                if let Some(stop) = &mut self.stop {
                    stop.hurry();
                }
            }
            Request::Forward(Signal::INT) => self.interrupt(Signal::INT, shell),
            Request::Forward(signal) => send_to_processes(shell, signal),
            // A command of a session has no terminal, and its shell is never reported as waiting.
            Request::FollowWaits(_)
            | Request::LookForInput
            | Request::FollowPorts(_)
            | Request::Resize(_) => {}
        }
    }

    /// Sends a signal to the command's processes and to the shell, as a terminal does.
    pub(super) fn interrupt(&mut self, signal: Signal, shell: &mut Shell) {
        if self.phase != Phase::Running || self.stop.is_some() {
            return;
        }
        self.needs_barrier = true;
        // First the shell: bash takes a SIGINT that comes after the end of the program for none of its own.
        shell.signal(signal);
        send_to_processes(shell, signal);
        self.clock.look_soon();
    }

    fn stop_because(&mut self, cause: Cause, signal: Option<Signal>, shell: &mut Shell) {
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

    fn open_input(&mut self, shell: &Shell) {
        let Some(writer) = shell.directory.open_writer(INPUT_PIPE) else {
            return self.clock.open_input_later();
        };
        if let Ok(feeder) = Feeder::new(Arc::clone(&self.command.input), Some(writer)) {
            self.feeder = feeder;
        }
    }

    /// What comes last: sees who is left, lets go of the streams, and settles the command.
    pub(super) async fn finish(mut self, shell: &mut Shell) {
        self.feeder.close(self.command.end.observer());
        let background_pids = self.count_left(shell).await;
        let usage = shell.take_usage();
        if self.shell_end.is_some() {
            self.add_own_output(shell);
        }
        self.let_go_of_streams(shell);
        shell.note_older();
        if let Some(spill) = &self.spill {
            spill.flush().await;
        }
        let (end, directory) = self.end_and_directory(shell);
        if let Some(directory) = &directory {
            self.command.status.is_in(directory);
        }
        let outcome = Outcome {
            end,
            cause: self.cause,
            pid: shell.pid(),
            background_pids,
            directory: directory.or_else(|| self.command.status.directory()),
            stdout: self.stdout.take_captured(),
            stderr: self.stderr.take_captured(),
            output_error: self.stdout.error().or(self.stderr.error()),
            cursor: None,
            spilled: self.spill.as_ref().map(SpillFile::spilled),
            view: self.view.take(),
            usage: usage.or_else(|| Some(shell.rest_of_usage(self.shell_end.as_ref()?.usage?))),
            in_session: Some(self.facts),
            duration: self.started_at.elapsed(),
        };
        self.command.settle(outcome);
    }

    async fn count_left(&self, shell: &Shell) -> Vec<i32> {
        if let Some(end) = &self.shell_end {
            return shell.new_among(end.background_pids.clone());
        }
        let left = || {
            let mut left = shell.processes();
            left.retain(|process| !process.is_exiting);
            left.iter().map(Process::pid).collect::<Vec<i32>>()
        };
        let mut found = left();
        if self.was_held && self.output_has_ended() {
            for moment in LAST_MOMENTS {
                if found.is_empty() {
                    break;
                }
                sleep(moment).await;
                found = left();
            }
        }
        found
    }

    fn end_and_directory(&mut self, shell: &Shell) -> (End, Option<String>) {
        if let Some(outcome) = &self.shell_end {
            let end = if self.facts.error.is_some() { End::BrokenOff } else { outcome.end.clone() };
            return (end, None);
        }
        let Some(report) = &self.report else { return (End::BrokenOff, None) };
        let end = if self.cause.is_some() { End::BrokenOff } else { End::Exit(Exit::Code(report.status)) };
        (end, Some(shell.true_directory(&report.directory)))
    }

    /// zsh and dash run an EXIT trap when the streams of the command are closed already.
    fn add_own_output(&mut self, shell: &Shell) {
        let own = shell.take_own_output();
        if own.stdout.is_empty() || shell.flavor == Flavor::Bash {
            return;
        }
        self.with_sinks(|[stdout, _], sinks| stdout.append(own.stdout.as_bytes(), sinks));
    }

    /// A stream that somebody holds is theirs from now on, and the next command gets a new one.
    fn let_go_of_streams(&mut self, shell: &mut Shell) {
        let streams = self.with_sinks(|outputs, sinks| outputs.map(|output| output.abandon(sinks)));
        for (name, stream) in [STDOUT, STDERR].into_iter().zip(streams) {
            if let Some(stream) = stream {
                tokio::spawn(discard_output(stream));
                // If it can't be made, the next command says why.
                let _ = shell.directory.renew_pipe(name);
            }
        }
        if let Source::Named(name) = self.source {
            shell.directory.remove(name);
        }
    }

    /// Borrows the two streams and where they go, side by side.
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

/// A turn empties any pipe; more are read only where others write on.
const MAX_TURNS: u32 = 4;

/// Makes the files of a command, and opens its streams.
fn prepare(shell: &mut Shell, command: &mut Command, token: &str) -> io::Result<(Source, [Output; 2])> {
    if !shell.directory.is_intact() {
        shell.repair()?;
    }
    prepare_once(shell, command, token).or_else(|_| {
        // A command may have removed files in the same tick of the clock in which they were made.
        shell.repair()?;
        prepare_once(shell, command, token)
    })
}

fn prepare_once(shell: &mut Shell, command: &Command, token: &str) -> io::Result<(Source, [Output; 2])> {
    let directory = &mut shell.directory;
    let statuses = if command.asks_pipe_status && has_sure_pipe(command.text(), shell.flavor) {
        shell.flavor.statuses_line(directory.text(), token)
    } else {
        None
    };
    match statuses {
        Some(line) => {
            directory.write(super::directory::COMMAND, (command.text().to_owned() + &line).as_bytes())?;
        }
        None => directory.write(super::directory::COMMAND, command.text().as_bytes())?,
    }
    let source = match (&command.bytes, &command.plan.input) {
        (Some(bytes), _) => {
            directory.write_for_once(INPUT, bytes)?;
            Source::Named(INPUT)
        }
        (None, Input::Open) => {
            directory.renew_pipe(INPUT_PIPE)?;
            Source::Named(INPUT_PIPE)
        }
        (None, _) => Source::Empty,
    };
    let plan = &command.plan.output;
    let open = |name, file| -> io::Result<Output> {
        let pipe = PipeReader::deregistered(directory.open_reader(file)?);
        Ok(Output::of_pipe(name, Some(pipe), &plan.keeping, plan.is_plain))
    };
    let stdout = open(StreamName::Stdout, STDOUT)?;
    let stderr = if plan.is_merged { ended_stream(plan) } else { open(StreamName::Stderr, STDERR)? };
    Ok((source, [stdout, stderr]))
}

fn ended_stream(plan: &plan::Output) -> Output {
    Output::of_pipe(StreamName::Stderr, None, &plan.keeping, plan.is_plain)
}

/// Whether a command has a pipe, and surely ends with its text: what follows is a line of its own then.
#[must_use]
pub fn has_sure_pipe(command: &str, flavor: Flavor) -> bool {
    let dialect = match flavor {
        Flavor::Bash => Dialect::Bash,
        Flavor::Zsh => Dialect::Zsh,
        Flavor::Posix => return false,
    };
    command.contains('|') && is_simple(command, dialect)
}

fn send_to_processes(shell: &Shell, signal: Signal) {
    for process in shell.processes() {
        process.identity.send(signal);
    }
}

/// Waits until there may be room for more output.
async fn room(command: &Command, spill: Option<&SpillFile>) {
    match spill {
        Some(spill) if !spill.has_room() => spill.room().await,
        _ => command.flow.room().await,
    }
}

/// Waits for any of the streams; none comes before another.
async fn any_stream(stdout: &mut Output, stderr: &mut Output, feeder: &mut Feeder, may_read: bool) -> Woken {
    tokio::select! {
        () = stdout.ready(), if may_read => Woken::Output(StreamName::Stdout),
        () = stderr.ready(), if may_read => Woken::Output(StreamName::Stderr),
        () = feeder.ready() => Woken::Input,
    }
}
