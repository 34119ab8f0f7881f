//! The supervisor's side of a running command: its pipes, their credit, and its reaper.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::io::{Errno, ioctl_fionread, read, write};

use super::outbox::Outbox;
use super::reaper::{Reaper, ReaperParts};
use super::shell::{SupervisedShell, SupervisedStreams};
use super::start::{CommandEnds, StartFailure};
use crate::helper::supervisor::protocol::credit::{Allowance, Grants, Overrun};
use crate::helper::supervisor::protocol::enums::{FailedStep, OutputPipe};
use crate::helper::supervisor::protocol::frame::MAX_PAYLOAD;
use crate::helper::supervisor::protocol::message::{STDERR, STDOUT, ToClient};
use crate::helper::supervisor::protocol::plan::{InShell, RemotePlan, Role};
use crate::process::fd::above_standard_streams;
use crate::process::pipe::{empty_input, input_pipe, pipe};
use crate::process::pty::{Pty, WindowSize, set_size};

/// The byte that a terminal reads as the end of input (Ctrl-D).
const TYPED_END: u8 = 4;

/// A command from its start to the end of its last process and output.
#[derive(Debug)]
#[allow(clippy::struct_excessive_bools, reason = "they are independent of each other")]
pub(super) struct SupervisedCommand {
    pub(super) reaper: Option<Reaper>,
    pub(super) has_started: bool,
    /// The supervisor's end of the input, while it is open.
    stdin: Option<OwnedFd>,
    input: VecDeque<u8>,
    is_input_ended: bool,
    grants: Grants,
    outputs: [SupervisedOutput; 3],
    /// The command's ends of its terminal or named pipes, until it has ended: so the output does not end when
    /// the command closes what it may open again.
    peers: Vec<OwnedFd>,
    /// The private directory, if the command is the shell of a session.
    shell: Option<SupervisedShell>,
    /// The id of the shell that runs the command, if one does.
    in_shell: Option<u32>,
    /// Whether the shell has not opened the input yet.
    awaits_reader: bool,
    has_terminal: bool,
    /// The frame with the exit, until the earlier output has been queued.
    exit: Option<Vec<u8>>,
    has_exited: bool,
    /// Whether output is read and dropped, because the host wants no more.
    drops_output: bool,
}

/// A pipe that the supervisor reads, and what it may still read of it.
#[derive(Debug, Default)]
struct SupervisedOutput {
    pipe: Option<OwnedFd>,
    allowance: Allowance,
    /// The unread bytes among those that were in the pipe when the leader exited.
    before_exit: usize,
}

impl SupervisedCommand {
    /// Opens the pipes or the terminal, and forks the reaper.
    pub(super) fn start(
        id: u32,
        plan: &RemotePlan,
        own: &[(OsString, OsString)],
    ) -> Result<Self, StartFailure> {
        let failed =
            |step| move |error: io::Error| StartFailure::new(step, error.raw_os_error().unwrap_or(libc::EIO));
        let (ends, stdin, outputs) = match plan.terminal {
            Some(size) => terminal(size).map_err(failed(FailedStep::Terminal))?,
            None => pipes(plan).map_err(failed(FailedStep::Pipe))?,
        };
        let shell = if plan.role == Role::Shell { Some(SupervisedShell::new()) } else { None };
        let shell = shell.transpose().map_err(failed(FailedStep::Pipe))?;
        let control = shell
            .as_ref()
            .map(SupervisedShell::open_control)
            .transpose()
            .map_err(failed(FailedStep::Pipe))?;
        let (control, writer) = control.map(<(OwnedFd, OwnedFd)>::from).unzip();
        let private = shell.as_ref().map(SupervisedShell::path);
        let reaper = Reaper::fork(id, plan, own, &ends, ReaperParts { private, ..ReaperParts::default() })
            .map_err(failed(FailedStep::Fork))?;
        let has_terminal = plan.terminal.is_some();
        let [stdout, stderr] = outputs;
        Ok(Self {
            reaper: Some(reaper),
            stdin,
            peers: has_terminal.then_some(ends.stdin).into_iter().chain(writer).collect(),
            shell,
            has_terminal,
            ..Self::with_outputs([stdout, stderr, control])
        })
    }

    fn with_outputs(outputs: [Option<OwnedFd>; 3]) -> Self {
        Self {
            reaper: None,
            has_started: false,
            stdin: None,
            input: VecDeque::new(),
            is_input_ended: false,
            grants: Grants::default(),
            outputs: outputs.map(|pipe| SupervisedOutput { pipe, ..SupervisedOutput::default() }),
            peers: Vec::new(),
            shell: None,
            in_shell: None,
            awaits_reader: false,
            has_terminal: false,
            exit: None,
            has_exited: false,
            drops_output: false,
        }
    }

    /// Makes the files and streams of a command that this command, a shell, runs.
    pub(super) fn prepare(&mut self, plan: &RemotePlan, part: &InShell) -> Result<Self, StartFailure> {
        let gone = || StartFailure::new(FailedStep::Lost, libc::ESRCH);
        let failed =
            |error: io::Error| StartFailure::new(FailedStep::Pipe, error.raw_os_error().unwrap_or(libc::EIO));
        let shell = self.shell.as_ref().filter(|_| !self.has_exited).ok_or_else(gone)?;
        if shell.lacks_control() {
            // A command may have removed the whole directory, which is made again.
            let [control, writer] = shell.open_control().map_err(failed)?;
            self.outputs[index(OutputPipe::Control)].pipe = Some(control);
            self.peers.push(writer);
        }
        let SupervisedStreams { outputs: [stdout, stderr], writers } =
            shell.prepare(plan, part).map_err(failed)?;
        Ok(Self {
            has_started: true,
            peers: writers,
            in_shell: Some(part.shell),
            awaits_reader: part.has_streams && plan.has_input,
            ..Self::with_outputs([stdout, stderr, None])
        })
    }

    /// Returns whether the command runs in this shell, which has not reported its end.
    pub(super) fn runs_in(&self, shell: u32) -> bool {
        self.in_shell == Some(shell) && !self.has_exited
    }

    /// Returns whether a report of this shell belongs behind the output of the command.
    pub(super) fn awaits_report_of(&self, shell: u32) -> bool {
        self.in_shell == Some(shell) && (!self.has_exited || self.exit.is_some())
    }

    /// Notes a frame with a report of the shell: the command's end, or one more part of it.
    pub(super) fn record_report(&mut self, frame: &[u8]) {
        match &mut self.exit {
            Some(exit) => exit.extend_from_slice(frame),
            None => self.record_exit(frame),
        }
    }

    /// Returns the id of the shell whose opening of the input is awaited.
    pub(super) fn awaited_reader(&self) -> Option<u32> {
        self.in_shell.filter(|_| self.awaits_reader)
    }

    /// Opens the input of a command in this shell.
    pub(super) fn open_input(&self) -> Option<OwnedFd> {
        self.shell.as_ref()?.open_input()
    }

    /// Takes the open input, and writes what has come for it.
    pub(super) fn connect_input(&mut self, id: u32, stdin: OwnedFd, outbox: &mut Outbox) {
        self.awaits_reader = false;
        self.stdin = Some(stdin);
        self.write_input(id, outbox);
    }

    /// Takes lines for the shell, beside the input and its credit.
    pub(super) fn take_lines(&mut self, bytes: &[u8]) {
        if self.stdin.is_some() {
            self.input.extend(bytes);
        }
    }

    /// Reads what the shell has reported.
    pub(super) fn read_control(&mut self, id: u32) -> Vec<u8> {
        let SupervisedOutput { pipe, allowance, .. } = &mut self.outputs[index(OutputPipe::Control)];
        let mut buffer = vec![0; allowance.left().min(MAX_PAYLOAD)];
        let mut frame = Vec::new();
        match pipe.as_ref().map(|pipe| read(pipe, &mut buffer)) {
            Some(Ok(count)) if count > 0 => {
                allowance.spend(count);
                ToClient::Output(OutputPipe::Control, &buffer[..count]).put(id, &mut frame);
            }
            None | Some(Err(Errno::INTR | Errno::AGAIN)) => {}
            Some(_) => {
                *pipe = None;
                ToClient::End(OutputPipe::Control).put(id, &mut frame);
            }
        }
        frame
    }

    /// Returns the descriptor to wait for writing on, while input waits; `Err` with the descriptor whose
    /// closing is of interest while none does. The report of the start comes first.
    pub(super) fn input(&self) -> Option<Result<BorrowedFd<'_>, BorrowedFd<'_>>> {
        let stdin = self.stdin.as_ref().filter(|_| self.has_started)?.as_fd();
        Some(if self.input.is_empty() { Err(stdin) } else { Ok(stdin) })
    }

    /// Returns the descriptor of an output that may be read now. The command may have written before its
    /// reaper has reported the start, which comes first.
    pub(super) fn readable(&self, output: OutputPipe) -> Option<BorrowedFd<'_>> {
        let SupervisedOutput { pipe, allowance, .. } = &self.outputs[index(output)];
        let may_read = self.has_started && (self.drops_output || allowance.left() > 0);
        pipe.as_ref().filter(|_| may_read).map(AsFd::as_fd)
    }

    /// Takes input from the host.
    pub(super) fn take_input(&mut self, bytes: &[u8]) -> Result<(), Overrun> {
        self.grants.receive(bytes.len())?;
        if self.stdin.is_some() || self.awaits_reader {
            self.input.extend(bytes);
        }
        Ok(())
    }

    pub(super) fn end_input(&mut self) {
        if self.has_terminal {
            self.input.push_back(TYPED_END);
        } else {
            self.is_input_ended = true;
            if self.input.is_empty() {
                self.stdin = None;
            }
        }
    }

    /// Writes input to the command, and grants more.
    pub(super) fn write_input(&mut self, id: u32, outbox: &mut Outbox) {
        let mut written = 0;
        while let Some(stdin) = &self.stdin
            && self.has_started
            && !self.input.is_empty()
        {
            match write(stdin, self.input.as_slices().0) {
                Ok(count) => {
                    self.input.drain(..count);
                    written += count;
                }
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => break,
                Err(_) => self.close_input(id, outbox),
            }
        }
        if let Some(count) = self.grants.pass(written) {
            outbox.push(id, &ToClient::Credit { count });
        }
        if self.is_input_ended && self.input.is_empty() {
            self.stdin = None;
        }
    }

    /// Grants a larger window for input that the command takes as fast as it arrives.
    pub(super) fn grow_input(&mut self, id: u32, outbox: &mut Outbox) {
        if self.stdin.is_some()
            && self.input.is_empty()
            && let Some(count) = self.grants.grow()
        {
            outbox.push(id, &ToClient::Credit { count });
        }
    }

    /// Returns whether the window of the input was enlarged.
    pub(super) const fn has_large_input(&self) -> bool {
        self.grants.is_enlarged()
    }

    /// Drops the input, which the command has closed.
    pub(super) fn close_input(&mut self, id: u32, outbox: &mut Outbox) {
        if self.stdin.take().is_some() {
            self.input.clear();
            outbox.push(id, &ToClient::StdinGone);
        }
    }

    pub(super) fn add_credit(&mut self, output: OutputPipe, count: u32) {
        self.outputs[index(output)].allowance.add(count);
    }

    pub(super) fn drop_output(&mut self) {
        self.drops_output = true;
    }

    pub(super) fn resize(&self, size: WindowSize) {
        if let (true, Some(terminal)) = (self.has_terminal, &self.outputs[0].pipe) {
            let _ = set_size(terminal, size);
        }
    }

    /// Reads an output into the next frame, or drops it.
    pub(super) fn read_output(&mut self, id: u32, output: OutputPipe, outbox: &mut Outbox) {
        let drops = self.drops_output;
        let SupervisedOutput { pipe, allowance, before_exit } = &mut self.outputs[index(output)];
        let Some(descriptor) = pipe else { return };
        let result = if drops {
            read(&*descriptor, &mut vec![0; MAX_PAYLOAD])
        } else {
            let kind = if output == OutputPipe::Stdout { STDOUT } else { STDERR };
            outbox.read_into_frame(kind, id, allowance.left(), |buffer| read(&*descriptor, buffer))
        };
        match result {
            Ok(count) if count > 0 => {
                allowance.spend(count);
                *before_exit = before_exit.saturating_sub(count);
            }
            Err(Errno::INTR | Errno::AGAIN) => *before_exit = 0,
            // A terminal without a program fails with EIO.
            Ok(_) | Err(_) => {
                *pipe = None;
                outbox.push(id, &ToClient::End(output));
            }
        }
    }

    /// Notes the exit, which is reported behind the output that was written before it. The exit of a command
    /// in a shell is what the shell reports.
    pub(super) fn record_exit(&mut self, frame: &[u8]) {
        self.peers.clear();
        self.awaits_reader = false;
        self.has_exited = true;
        for output in &mut self.outputs {
            let waiting = output.pipe.as_ref().and_then(|pipe| ioctl_fionread(pipe).ok());
            output.before_exit = waiting.and_then(|count| usize::try_from(count).ok()).unwrap_or(0);
        }
        self.exit = Some(frame.to_vec());
    }

    /// Reports the exit, once it is due. Output without credit does not keep it.
    pub(super) fn report_exit(&mut self, outbox: &mut Outbox) {
        let is_behind = |output: &SupervisedOutput| {
            output.pipe.is_some() && output.before_exit > 0 && output.allowance.left() > 0
        };
        if !self.outputs.iter().any(is_behind)
            && let Some(frame) = self.exit.take()
        {
            outbox.pass_on(&frame);
        }
    }

    /// Handles the end of the reaper. Returns whether the leader's exit is known.
    pub(super) fn reaper_gone(&mut self) -> bool {
        self.reaper = None;
        self.peers.clear();
        if self.drops_output {
            // Another process may still hold the output, but it is none of the command.
            self.outputs = Default::default();
        }
        self.has_exited
    }

    /// Returns whether no process and no open output is left.
    pub(super) fn is_gone(&self) -> bool {
        self.reaper.is_none()
            && self.exit.is_none()
            && self.outputs.iter().all(|output| output.pipe.is_none())
    }
}

const fn index(output: OutputPipe) -> usize {
    match output {
        OutputPipe::Stdout => 0,
        OutputPipe::Stderr => 1,
        OutputPipe::Control => 2,
    }
}

/// The command's ends of its streams, and the supervisor's: input, standard output and standard error.
pub(in crate::helper) type Ends = (CommandEnds, Option<OwnedFd>, [Option<OwnedFd>; 2]);

pub(in crate::helper) fn terminal(size: WindowSize) -> io::Result<Ends> {
    let Pty { main, peer } = Pty::open(size)?;
    let writer = above_standard_streams(main.try_clone()?)?;
    Ok((CommandEnds { stdin: peer, stdout: None, stderr: None }, Some(writer), [Some(main), None]))
}

pub(in crate::helper) fn pipes(plan: &RemotePlan) -> io::Result<Ends> {
    let (stdout, stdout_writer) = pipe()?;
    let (stderr, stderr_writer) = if plan.is_merged { None } else { Some(pipe()?) }.unzip();
    let (stdin, writer) = if plan.has_input {
        let (reader, writer) = input_pipe()?;
        (reader, Some(writer))
    } else {
        (empty_input()?, None)
    };
    let ends = CommandEnds { stdin, stdout: Some(stdout_writer), stderr: stderr_writer };
    Ok((ends, writer, [Some(stdout), stderr]))
}
