//! Handles the messages of hosts, and those of the reaper.

use std::time::Duration;

use rustix::process::{Pid, Signal, WaitOptions, wait};

use super::client::HostConnection;
use super::sandbox::SupervisedSandbox;
use super::streams::FedInput;
use super::{COMMAND, MAX_ATTACHED, SupervisedJob};
use crate::helper::durable::plan::StartRefusal;
use crate::helper::durable::protocol::{CORE, HostRequest, JobEvent, JobHello, LAST_WINDOW};
use crate::helper::durable::record::end::EndCause;
use crate::helper::durable::record::refused;
use crate::helper::signals::take_signals;
use crate::helper::supervisor::protocol::enums::OutputPipe;
use crate::helper::supervisor::protocol::frame::FrameReader;
use crate::helper::supervisor::protocol::message::{ToClient, ToSupervisor};
use crate::helper::supervisor::reaper::{MAX_PACKET, ReaperNote, own_children};
use crate::process::cgroup::tree::{LimitedTree, scope_holder};
use crate::process::clock::since_boot;
use crate::process::identity::Identity;
use crate::process::tree::kill_escaped;
use crate::wire;

/// The longest time that a host may leave to a job.
const MAX_EXTENSION: Duration = Duration::from_secs(30 * 24 * 60 * 60);

impl SupervisedJob {
    /// Reads what a host has sent, and sends what it waits for.
    pub(super) fn hear_client(&mut self, id: u32) {
        let Some(at) = self.clients.iter().position(|client| client.id == id) else { return };
        self.clients[at].flush();
        self.clients[at].receive();
        let mut reader = std::mem::take(&mut self.clients[at].reader);
        loop {
            match reader.next_frame() {
                Ok(Some(frame)) => {
                    // A message of a later version is ignored.
                    if let Some(request) = HostRequest::decode(frame) {
                        self.handle(at, &request);
                    }
                }
                Ok(None) => break,
                Err(_) => {
                    self.clients[at].is_closed = true;
                    break;
                }
            }
        }
        self.clients[at].reader = reader;
    }

    fn handle(&mut self, at: usize, request: &HostRequest<'_>) {
        let is_full = self.attached() >= MAX_ATTACHED;
        let client = &mut self.clients[at];
        match *request {
            HostRequest::Hello(hello) if hello.attends && !client.attends && is_full => {
                client.push(&JobEvent::Refused(b"limit"));
                client.is_closed = true;
            }
            HostRequest::Hello(hello) if hello.lowest <= CORE => {
                client.has_hello = true;
                client.attends = hello.attends;
                self.greet(at);
            }
            HostRequest::Hello(_) => {
                client.push(&JobEvent::Refused(b"old"));
                client.is_closed = true;
            }
            _ if !client.has_hello => client.is_closed = true,
            HostRequest::Stdin(bytes) => self.take_input(at, bytes),
            HostRequest::StdinEnd => {
                self.streams.end_input();
                self.feed();
            }
            HostRequest::Stop { signal, grace } => {
                self.stop(EndCause::Kill, signal, grace.map(Duration::from_millis));
            }
            HostRequest::Signal { number, scope } => {
                self.reaper.send(COMMAND, &ToSupervisor::Signal { number, scope });
            }
            HostRequest::Resize(size) => self.streams.resize(size),
            HostRequest::List(listed) => {
                self.lists.push_back(client.id);
                self.reaper.send(COMMAND, &ToSupervisor::List(listed));
            }
            HostRequest::Extend(milliseconds) => {
                let left = Duration::from_millis(milliseconds).min(MAX_EXTENSION);
                let ends_at = since_boot().saturating_add(left);
                self.deadlines.ends_at = ends_at;
                self.send_to_all(&JobEvent::EndsAt(Self::as_date(ends_at)));
            }
            HostRequest::Leave => {
                if let Some(count) = client.grants.enlarge(LAST_WINDOW) {
                    client.push(&JobEvent::Credit(count));
                }
            }
            HostRequest::Watch(cursor) => {
                client.watching = Some(cursor);
                client.report_growth(self.job.log.cursor());
            }
            HostRequest::Plan(_) | HostRequest::Start => client.is_closed = true,
        }
    }

    fn greet(&mut self, at: usize) {
        let hello = JobHello {
            lowest: CORE,
            highest: CORE,
            pid: self.leader,
            ends_at: Self::as_date(self.deadlines.ends_at),
            attached: u32::try_from(self.attached()).unwrap_or(u32::MAX),
            total: self.job.log.cursor(),
            dropped: self.job.log.dropped(),
        };
        let exited = self.exit.map(|exit| self.describe(Some(exit)).lines());
        let client = &mut self.clients[at];
        client.push(&JobEvent::Hello(hello));
        if let Some(lines) = exited {
            client.push(&JobEvent::Exited(lines));
        }
    }

    fn take_input(&mut self, at: usize, bytes: &[u8]) {
        let client = &mut self.clients[at];
        if client.grants.receive(bytes.len()).is_err() {
            client.is_closed = true;
            return;
        }
        if self.streams.take_input(client.id, bytes) {
            self.feed();
        } else if let Some(count) = client.grants.pass(bytes.len()) {
            client.push(&JobEvent::Credit(count));
        }
    }

    /// Writes input to the command, and grants more to its hosts. The report of the start comes first.
    pub(super) fn feed(&mut self) {
        if self.leader != 0 {
            let fed = self.streams.feed();
            self.pass_on(&fed);
        }
    }

    pub(super) fn pass_on(&mut self, fed: &FedInput) {
        for &(id, count) in &fed.passed {
            if let Some(client) = self.clients.iter_mut().find(|client| client.id == id)
                && let Some(count) = client.grants.pass(count)
            {
                client.push(&JobEvent::Credit(count));
            }
        }
        if fed.is_gone {
            self.send_to_all(&JobEvent::StdinGone);
        }
    }

    /// Sends an event to each host that has greeted.
    pub(super) fn send_to_all(&mut self, event: &JobEvent<'_>) {
        let all = self.clients.iter_mut().filter(|client| client.has_hello);
        all.for_each(|client| client.push(event));
    }

    /// Takes a packet of the reaper. Returns false when it has exited, and the failure of a start.
    pub(super) fn hear_reaper(&mut self) -> Result<bool, StartRefusal> {
        let mut packet = vec![0; MAX_PACKET];
        let Some(length) = self.reaper.receive(&mut packet) else { return Ok(true) };
        let mut reader = FrameReader::default();
        reader.push(&packet[..length]);
        match reader.next_frame().ok().flatten().map(ToClient::decode) {
            Some(Ok(ToClient::Started { pid, directory })) => {
                self.leader = pid;
                self.store_limits();
                self.send_to_all(&JobEvent::Started { pid, directory });
                self.feed();
            }
            Some(Ok(ToClient::Output(OutputPipe::Control, bytes))) => self.take_note(bytes),
            Some(Ok(ToClient::Failed { step, errno, path })) => {
                if let Some(failure) = self.sandbox.as_mut().and_then(SupervisedSandbox::take_failure) {
                    return Err(StartRefusal::Sandbox(failure));
                }
                if let Some(reason) = self.tree.take().and_then(LimitedTree::refusal) {
                    return Err(StartRefusal::Limits(reason));
                }
                return Err(StartRefusal::Command { step, errno, path: path.to_vec() });
            }
            Some(Ok(ToClient::Exit(exit))) => self.leader_exited(exit),
            Some(Ok(ToClient::Pids(pids))) => {
                let asked = self.lists.pop_front();
                if let Some(client) = self.clients.iter_mut().find(|client| Some(client.id) == asked) {
                    client.push(&JobEvent::Pids(pids));
                }
            }
            _ => {}
        }
        Ok(length > 0)
    }

    /// Takes a note of the reaper. Hosts read refusals from their file.
    fn take_note(&mut self, bytes: &[u8]) {
        match wire::decode(bytes) {
            Ok(ReaperNote::Sandbox(from_sandbox)) => {
                if let Some(sandbox) = &mut self.sandbox
                    && sandbox.note(from_sandbox)
                {
                    // The disk may be full: the record is written again at the end.
                    let _ = self.job.directory.replace(refused::FILE, &sandbox.record().encode());
                }
            }
            Ok(ReaperNote::NotLimited(errno)) => {
                if let Some(tree) = &mut self.tree {
                    tree.give_up(errno);
                }
            }
            Err(_) => {}
        }
    }

    /// Returns the children that a killed reaper has left.
    pub(super) fn orphans(&self) -> Vec<Pid> {
        let remover = self.sandbox.as_ref().and_then(SupervisedSandbox::remover);
        let mut children = own_children();
        let spared = [self.reaper.pid, remover, scope_holder()];
        children.retain(|&child| !spared.contains(&Some(child)));
        children
    }

    /// Reaps exited children, and kills the orphans of a killed reaper. Any other signal ends the job: the
    /// system asks for it, as at a log-out.
    pub(super) fn take_signals(&mut self) {
        let taken = take_signals(&self.signals);
        while let Ok(Some((pid, _))) = wait(WaitOptions::NOHANG) {
            if self.reaper.pid == Some(pid) {
                self.reaper.pid = None;
            }
        }
        self.orphans().into_iter().filter_map(Identity::of).for_each(kill_escaped);
        if taken.iter().any(|&signal| signal != libc::SIGCHLD) {
            self.is_ended_by_system |= self.deadlines.cause().is_none();
            self.stop_by_plan(EndCause::Kill);
        }
    }

    /// Kills what is left in the cgroup, such as processes of another user. In a sandbox, the remover of
    /// stubs must live on.
    fn kill_limited(&self) {
        if let Some(tree) = self.tree.as_ref().filter(|_| self.sandbox.is_none()) {
            tree.kill();
        }
    }

    /// Kills a start that hangs, as in a directory on a network that does not answer.
    pub(super) fn kill(&mut self) {
        match self.reaper.pid {
            Some(pid) if self.leader == 0 => crate::process::unreaped::signal(pid, Signal::KILL),
            _ => {
                self.reaper.send(COMMAND, &ToSupervisor::Close { kills: true, drops_output: false });
                self.kill_limited();
            }
        }
    }
}

/// Returns whether all hosts have all that was sent to them.
pub(super) fn are_served(clients: &[HostConnection]) -> bool {
    clients.iter().all(|client| !client.has_unsent())
}
