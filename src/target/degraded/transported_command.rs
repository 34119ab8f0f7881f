//! One command of a degraded target, with a transport of its own.

use std::collections::VecDeque;
use std::future::{pending, poll_fn};
use std::io;
use std::os::fd::OwnedFd;
use std::task::Poll;
use std::time::Instant;

use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use tokio::sync::watch;
use tokio::time::timeout;

use super::DegradedTarget;
use super::passage::Passage;
use super::refusal::refusal;
use super::report::{missing, of_failed_start};
use super::script::{BYE, KILL, ScriptMessage, marker, script, text};
use super::sieve::Sieve;
use crate::helper::supervisor::protocol::enums::SignalScope;
use crate::helper::supervisor::protocol::plan::RemotePlan;
use crate::process::directory::private::random;
use crate::process::pipe::{PipeWriter, nonblocking_pipe};
use crate::process::signal;
use crate::target::bootstrap::MAX_NOISE;
use crate::target::connection::open::start_plain;
use crate::target::connection::stream::Stream;
use crate::target::error::{TargetError, Unanswered, of_failed_connect};
use crate::target::remote_command::{CommandLink, RemoteCommand, RemoteEnd, RemoteState, TargetReport};
use crate::target::{CommandRequest, RemoteStart, SharedTarget, StartError, StartedCommand, TargetRequest};

/// Runs a command from the start of its transport to the end of it.
pub(super) async fn run(place: DegradedTarget, start: RemoteStart) {
    let RemoteStart { plan, adopts_leftovers, take_input, claim, answer } = start;
    let Some(target) = place.target.upgrade() else { return answer(Err(TargetError::closed().into())) };
    let input = match refusal(&plan, adopts_leftovers, take_input, &place.why) {
        Ok(input) => input,
        Err(error) => return answer(Err(error)),
    };
    // The semaphore closes with the target alone.
    let slot = place.slots.clone().acquire_owned().await;
    let mut disposed = place.disposed.clone();
    let began_at = Instant::now();
    let limit = target.options.connect_timeout();
    let opened = tokio::select! {
        opened = timeout(limit, open(&place, &target, &plan, &input, claim)) => opened
            .unwrap_or_else(|_| Err(TargetError::timeout(&target.transport_command, Unanswered::Shell, limit).into())),
        () = disposal(&mut disposed) => Err(TargetError::closed().into()),
    };
    drop(slot);
    let Open { dialog, stdout, stderr, pid, directory, leads_group } = match opened {
        Ok(Some(open)) => open,
        Ok(None) => return,
        Err(error) => return answer(Err(error)),
    };
    let (requests, inbox) = unbounded_channel();
    let report = TargetReport {
        kind: target.transport_command.kind,
        container: target.container_name(),
        connect_time: Some(began_at.elapsed()),
        copied: 0,
        skew: None,
        missing: missing(leads_group),
        why_degraded: Some(place.why.message.clone()),
        is_out_of_memory: false,
    };
    let state = dialog.state.subscribe();
    let link = CommandLink { id: 0, requests, state };
    let command = RemoteCommand { link, pid, directory, report, is_released: false };
    drop(target);
    answer(Ok(StartedCommand { command, stdin: None, stdout: Some(stdout), stderr, shell: None }));
    dialog.serve(inbox, disposed).await;
}

/// Waits for the disposal of the target.
async fn disposal(disposed: &mut watch::Receiver<bool>) {
    if disposed.wait_for(|&is_disposed| is_disposed).await.is_err() {
        // The target is gone, but not this command's job.
        pending::<()>().await;
    }
}

/// A command that has been started, and the job's ends of its outputs.
struct Open {
    dialog: Dialog,
    stdout: OwnedFd,
    stderr: Option<OwnedFd>,
    pid: i32,
    directory: Option<String>,
    leads_group: bool,
}

/// Starts a transport, and the command by it. Returns `None` if the job does not want the command any more:
/// then nothing has run.
async fn open(
    place: &DegradedTarget,
    target: &SharedTarget,
    plan: &RemotePlan,
    input: &[u8],
    claim: Box<dyn FnOnce() -> bool + Send>,
) -> Result<Option<Open>, StartError> {
    let nonce = format!("{:016x}", random());
    let text = text(plan, &nonce);
    let mut stream = start_plain(place.engine, &place.owner, target).await?;
    stream.out().extend(script(&nonce, text.len(), input.len(), plan.is_merged).bytes());
    stream.out().extend(text.bytes());
    let name = target.transport_command.name.clone();
    let (mut dialog, stdout, stderr) = Dialog::new(name, stream, &nonce, !plan.is_merged)?;
    let (pid, leads_group) = loop {
        match dialog.next_said(target).await? {
            ScriptMessage::Input => dialog.stream.out().extend_from_slice(input),
            ScriptMessage::Ready { pid, leads_group } => break (pid, leads_group),
            said => return Err(of_failed_start(said, plan, &place.why, &dialog.cut(target))),
        }
    };
    if !claim() {
        dialog.finish().await;
        return Ok(None);
    }
    // The command runs from here on.
    dialog.send(&if leads_group { format!("-{pid}") } else { pid.to_string() });
    match dialog.next_said(target).await? {
        ScriptMessage::Started(directory) => {
            Ok(Some(Open { dialog, stdout, stderr, pid, directory, leads_group }))
        }
        said => Err(of_failed_start(said, plan, &place.why, &dialog.cut(target))),
    }
}

/// The talk with the script of one command. Dropping it kills the transport, whose end kills the command.
struct Dialog {
    /// The target as its errors name it.
    name: String,
    stream: Stream,
    /// Whether the transport takes nothing more.
    is_deaf: bool,
    outputs: [Passage; 2],
    said: VecDeque<ScriptMessage>,
    /// The exit code that the script has reported.
    exit: Option<i32>,
    /// Whether the script has reported that no process of the group is left.
    has_gone: bool,
    /// Whether all output of before the exit has come.
    is_output_complete: bool,
    state: watch::Sender<RemoteState>,
}

impl Dialog {
    fn new(
        name: String,
        stream: Stream,
        nonce: &str,
        has_errors: bool,
    ) -> Result<(Self, OwnedFd, Option<OwnedFd>), io::Error> {
        let (stdout, writer) = nonblocking_pipe()?;
        let (stderr, error_writer) = if has_errors { Some(nonblocking_pipe()?) } else { None }.unzip();
        let marker = marker(nonce);
        let passage = |begin, writer: Option<OwnedFd>| -> io::Result<Passage> {
            Ok(Passage::new(Sieve::new(&marker, begin), writer.map(PipeWriter::new).transpose()?))
        };
        let outputs = [passage("ready", Some(writer))?, passage("started", error_writer)?];
        let dialog = Self {
            name,
            stream,
            is_deaf: false,
            outputs,
            said: VecDeque::new(),
            exit: None,
            has_gone: false,
            is_output_complete: false,
            state: watch::Sender::default(),
        };
        Ok((dialog, stdout, stderr))
    }

    fn send(&mut self, line: &str) {
        self.stream.out().extend(line.bytes().chain([b'\n']));
    }

    /// Waits for the next report, before the command runs.
    async fn next_said(&mut self, target: &SharedTarget) -> Result<ScriptMessage, TargetError> {
        loop {
            if let Some(said) = self.said.pop_front() {
                return Ok(said);
            }
            if self.outputs[1].has_ended {
                return Err(self.cut(target));
            }
            if self.outputs[0].sieve.noise() > MAX_NOISE {
                return Err(TargetError::banner(&self.outputs[0].sieve.early_output()));
            }
            self.pump().await;
        }
    }

    /// Returns why the command was not started, from what the transport has said.
    fn cut(&self, target: &SharedTarget) -> TargetError {
        let [early_output, errors] = self.outputs.each_ref().map(|output| output.sieve.early_output());
        of_failed_connect(&target.transport_command, &errors, &early_output)
    }

    /// Serves the job until it lets the command go.
    async fn serve(
        mut self,
        mut inbox: UnboundedReceiver<TargetRequest>,
        mut disposed: watch::Receiver<bool>,
    ) {
        loop {
            self.report();
            tokio::select! {
                biased;
                request = inbox.recv() => match request {
                    Some(TargetRequest::Command(_, CommandRequest::Release)) | None => break,
                    Some(TargetRequest::Command(_, request)) => self.ask(&request),
                    Some(_) => {}
                },
                () = disposal(&mut disposed) => {
                    self.lose(&TargetError::closed());
                    break;
                }
                () = self.pump() => {}
            }
        }
        self.finish().await;
    }

    fn ask(&mut self, request: &CommandRequest) {
        match *request {
            CommandRequest::Signal { number, scope } => {
                self.send(signal::name(number).trim_start_matches("SIG"));
                if scope == SignalScope::End {
                    self.send("CONT");
                }
            }
            CommandRequest::Kill => self.send(KILL),
            // Dropping the answer reports that no process and no port is known. The others are of sessions,
            // which there are none of.
            CommandRequest::List(..)
            | CommandRequest::ListPorts { .. }
            | CommandRequest::Resize(_)
            | CommandRequest::Release
            | CommandRequest::Lines(_)
            | CommandRequest::EndLines
            | CommandRequest::SignalEach { .. }
            | CommandRequest::ScanShell { .. } => {}
        }
    }

    /// Reports what is known of the command's end.
    ///
    /// The exit waits for the earlier output, which may arrive later, but not for a job that does not read.
    fn report(&mut self) {
        while let Some(said) = self.said.pop_front() {
            match said {
                ScriptMessage::Exit { code, has_left } => {
                    self.exit.get_or_insert(code);
                    self.has_gone |= !has_left;
                }
                ScriptMessage::Gone => self.has_gone = true,
                _ => {}
            }
        }
        let [stdout, stderr] = &self.outputs;
        let has_ended = stderr.has_ended;
        if let Some(code) = self.exit {
            if !(self.is_output_complete || stdout.is_blocked() || stdout.has_ended) {
                return;
            }
            self.state.send_if_modified(|state| {
                let is_new = state.end.is_none();
                state.end.get_or_insert(RemoteEnd::Status(code));
                is_new
            });
        }
        if self.state.borrow().is_gone {
            return;
        }
        if self.exit.is_some() && self.has_gone {
            self.state.send_modify(|state| state.is_gone = true);
            self.send(BYE);
        } else if has_ended {
            self.lose(&TargetError::lost(&self.name, "the stream ended"));
        }
    }

    /// Reports the end of the transport: no process that is known is left.
    fn lose(&self, error: &TargetError) {
        self.state.send_modify(|state| {
            state.end.get_or_insert_with(|| RemoteEnd::Lost(error.clone()));
            state.is_gone = true;
        });
    }

    /// Waits until something can be moved between the transport and the job, and moves it. Cancel-safe.
    async fn pump(&mut self) {
        self.is_deaf = self.is_deaf || self.stream.flush().is_err();
        let has_unsent = !self.is_deaf && self.stream.unsent() > 0;
        let Stream { reader, errors, writer, .. } = &self.stream;
        let [stdout, stderr] = &self.outputs;
        poll_fn(|context| {
            let can_write = has_unsent && writer.poll_ready(context).is_ready();
            let has_output = stdout.poll_ready(reader, context);
            let has_errors = errors.as_ref().is_some_and(|errors| stderr.poll_ready(errors, context));
            if can_write || has_output || has_errors { Poll::Ready(()) } else { Poll::Pending }
        })
        .await;
        let [stdout, stderr] = &mut self.outputs;
        for line in stdout.relay(&mut self.stream.reader) {
            let Some(said) = ScriptMessage::parse(&line) else { continue };
            self.is_output_complete |= matches!(said, ScriptMessage::Exit { .. });
            if said.is_last() {
                stdout.complete();
            }
        }
        let Some(errors) = &mut self.stream.errors else { return };
        for said in stderr.relay(errors).iter().filter_map(|line| ScriptMessage::parse(line)) {
            if said.is_last() {
                stderr.complete();
            }
            self.said.push_back(said);
        }
    }

    /// Ends the stream, which kills what is left of the command.
    async fn finish(mut self) {
        self.outputs.iter_mut().for_each(Passage::close);
        if self.is_deaf {
            self.stream.out().clear();
        }
        self.stream.finish(true).await;
    }
}
