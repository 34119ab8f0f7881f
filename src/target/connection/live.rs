//! A command of a connection: its pipes to the job, their credit, and its state.

use std::collections::VecDeque;
use std::io;
use std::os::fd::OwnedFd;
use std::task::{Context, Poll};

use tokio::sync::{oneshot, watch};

use crate::helper::supervisor::protocol::credit::{Allowance, Grants, Overrun};
use crate::helper::supervisor::protocol::enums::OutputPipe;
use crate::helper::supervisor::protocol::frame::MAX_PAYLOAD;
use crate::helper::supervisor::protocol::message::ToSupervisor;
use crate::helper::supervisor::protocol::ports::RemotePort;
use crate::helper::supervisor::protocol::shell_scan::ShellScan;
use crate::process::pipe::{PipeReader, PipeWriter, Read, nonblocking_pipe, write_queue};
use crate::target::error::TargetError;
use crate::target::remote_command::{RemoteEnd, RemoteState};
use crate::target::{StartError, StartedCommand};

/// Takes the running command, or the reason why there is none.
type OnStarted = Box<dyn FnOnce(Result<StartedCommand, StartError>) + Send>;

/// A command that was sent to the supervisor, until it has no process and no open output.
pub(super) struct Live {
    /// The job's answer and ends of the pipes, until the command has started.
    pub(super) starting: Option<Starting>,
    input: Option<PipeReader>,
    allowance: Allowance,
    outputs: [LiveOutput; 3],
    pub(super) state: watch::Sender<RemoteState>,
    /// Whether the supervisor has sent its last frame for this command.
    has_gone: bool,
    /// The callers that wait for a list of processes.
    pub(super) lists: VecDeque<oneshot::Sender<Vec<i32>>>,
    /// The callers that wait for a list of ports.
    pub(super) port_lists: VecDeque<oneshot::Sender<Vec<RemotePort>>>,
    /// The callers that wait for a scan of the shell.
    pub(super) scans: VecDeque<oneshot::Sender<ShellScan>>,
}

/// The ends of the pipes that a job gets when its command has started.
pub(super) struct Starting {
    pub(super) answer: OnStarted,
    pub(super) stdin: Option<OwnedFd>,
    pub(super) stdout: Option<OwnedFd>,
    pub(super) stderr: Option<OwnedFd>,
    /// The pipe with the reports of the shell of a session.
    pub(super) control: Option<OwnedFd>,
    /// The program of a shell, and its private directory, once they are known.
    pub(super) shell: Option<(usize, String)>,
}

/// The streams that a command has on this side.
#[derive(Clone, Copy)]
pub(super) struct StreamsWanted {
    pub(super) input: bool,
    /// Standard output, standard error, and the reports of a shell.
    pub(super) outputs: [bool; 3],
}

/// An output of a command, on its way to the job's pipe.
#[derive(Default)]
struct LiveOutput {
    pipe: Option<PipeWriter>,
    /// The bytes for which the pipe had no room: at most a window.
    pending: VecDeque<u8>,
    grants: Grants,
    has_ended: bool,
}

impl Live {
    /// Makes the pipes of a command.
    pub(super) fn new(wanted: StreamsWanted, answer: OnStarted) -> Result<Self, (OnStarted, io::Error)> {
        match Self::pipes(wanted) {
            Ok((input, outputs, stdin, [stdout, stderr, control])) => Ok(Self {
                starting: Some(Starting { answer, stdin, stdout, stderr, control, shell: None }),
                input,
                allowance: Allowance::default(),
                outputs,
                state: watch::Sender::default(),
                has_gone: false,
                lists: VecDeque::new(),
                port_lists: VecDeque::new(),
                scans: VecDeque::new(),
            }),
            Err(error) => Err((answer, error)),
        }
    }

    #[allow(clippy::type_complexity, reason = "the two sides of the same pipes")]
    fn pipes(
        wanted: StreamsWanted,
    ) -> io::Result<(Option<PipeReader>, [LiveOutput; 3], Option<OwnedFd>, [Option<OwnedFd>; 3])> {
        let open = |is_wanted| if is_wanted { nonblocking_pipe().map(Some) } else { Ok(None) };
        let (input, stdin) = open(wanted.input)?.unzip();
        let mut outputs: [LiveOutput; 3] = Default::default();
        let mut readers: [Option<OwnedFd>; 3] = Default::default();
        for ((output, reader), is_wanted) in outputs.iter_mut().zip(&mut readers).zip(wanted.outputs) {
            let (reading, writing) = open(is_wanted)?.unzip();
            *reader = reading;
            output.pipe = writing.map(PipeWriter::new).transpose()?;
        }
        Ok((input.map(PipeReader::new).transpose()?, outputs, stdin, readers))
    }

    /// Takes output from the supervisor.
    pub(super) fn take_output(&mut self, output: OutputPipe, bytes: &[u8]) -> Result<(), Overrun> {
        let output = self.output(output);
        output.grants.receive(bytes.len())?;
        output.pending.extend(bytes);
        Ok(())
    }

    /// Records the end of an output, which follows the pending bytes.
    pub(super) fn end_output(&mut self, output: OutputPipe) {
        self.output(output).has_ended = true;
    }

    /// Enlarges the windows, for a long round trip.
    pub(super) fn enlarge(&mut self, id: u32, window: usize, out: &mut Vec<u8>) {
        for output in [OutputPipe::Stdout, OutputPipe::Stderr] {
            if let Some(count) = self.output(output).grants.enlarge(window) {
                ToSupervisor::Credit { output, count }.put(id, out);
            }
        }
    }

    /// Returns whether the windows were enlarged.
    pub(super) fn has_large_windows(&self) -> bool {
        self.outputs.iter().any(|output| output.grants.is_enlarged())
    }

    /// Records that the command has no process and no open output.
    pub(super) fn record_gone(&mut self) {
        self.has_gone = true;
        self.input = None;
        self.state.send_modify(|state| state.is_gone = true);
    }

    pub(super) fn add_credit(&mut self, count: u32) {
        self.allowance.add(count);
    }

    /// Drops the input, which the command has closed. The job's next write fails.
    pub(super) fn close_input(&mut self) {
        self.input = None;
    }

    /// Drops the pipes, which the job no longer uses.
    pub(super) fn close(&mut self) {
        self.input = None;
        self.outputs = Default::default();
    }

    /// Returns whether all received bytes have reached the job.
    pub(super) fn is_over(&self) -> bool {
        self.has_gone && self.outputs.iter().all(|output| output.pipe.is_none())
    }

    /// Copies bytes between the pipes and the stream, as far as both take them. Input waits while the stream
    /// has much to send.
    pub(super) fn relay(&mut self, id: u32, out: &mut Vec<u8>, takes_input: bool) {
        for name in [OutputPipe::Stdout, OutputPipe::Stderr, OutputPipe::Control] {
            if let Some(count) = self.output(name).relay() {
                ToSupervisor::Credit { output: name, count }.put(id, out);
            }
        }
        if takes_input
            && let Some(input) = &mut self.input
            && self.allowance.left() > 0
        {
            let mut bytes = Vec::with_capacity(self.allowance.left().min(MAX_PAYLOAD));
            match input.read(&mut bytes) {
                Read::Bytes(count) => {
                    self.allowance.spend(count);
                    ToSupervisor::Stdin(&bytes).put(id, out);
                }
                Read::Empty => {}
                Read::End | Read::Failed(_) => {
                    self.input = None;
                    ToSupervisor::StdinEnd.put(id, out);
                }
            }
        }
    }

    /// Returns whether a pipe is ready for [`Self::relay`].
    pub(super) fn poll_ready(&self, context: &mut Context<'_>, takes_input: bool) -> bool {
        let wants_input = takes_input && self.allowance.left() > 0;
        let has_input = self
            .input
            .as_ref()
            .filter(|_| wants_input)
            .is_some_and(|input| input.poll_ready(context).is_ready());
        let can_write = |output: &LiveOutput| match &output.pipe {
            Some(pipe) if !output.pending.is_empty() => pipe.poll_ready(context) == Poll::Ready(()),
            _ => false,
        };
        let can_write = self.outputs.iter().map(can_write).fold(false, |any, is_ready| any | is_ready);
        has_input || can_write
    }

    /// Reports to the job that its command is lost.
    pub(super) fn lose(&mut self, error: &TargetError) {
        self.lists.clear();
        self.port_lists.clear();
        self.scans.clear();
        if let Some(starting) = self.starting.take() {
            (starting.answer)(Err(StartError::Target(error.clone())));
        }
        self.state.send_modify(|state| {
            state.end.get_or_insert_with(|| RemoteEnd::Lost(error.clone()));
            state.is_gone = true;
        });
    }

    const fn output(&mut self, output: OutputPipe) -> &mut LiveOutput {
        &mut self.outputs[match output {
            OutputPipe::Stdout => 0,
            OutputPipe::Stderr => 1,
            OutputPipe::Control => 2,
        }]
    }
}

impl LiveOutput {
    /// Writes to the job's pipe, and drops what the job does not take. Returns the credit to grant.
    fn relay(&mut self) -> Option<u32> {
        let passed = write_queue(&mut self.pipe, &mut self.pending);
        if self.has_ended && self.pending.is_empty() {
            self.pipe = None;
        }
        if passed > 0 { self.grants.pass(passed) } else { None }
    }
}
