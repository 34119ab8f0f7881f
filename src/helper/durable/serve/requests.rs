//! Handles the messages of hosts, and those of the reaper.

use std::time::Duration;

use rustix::process::{Signal, WaitOptions, wait};

use super::client::Client;
use super::streams::Fed;
use super::{COMMAND, Running};
use crate::helper::durable::plan::StartFailure;
use crate::helper::durable::protocol::{CORE, Event, Request, SupervisorHello};
use crate::helper::durable::record::end::EndCause;
use crate::helper::signals::take_signals;
use crate::helper::supervisor::protocol::frame::FrameReader;
use crate::helper::supervisor::protocol::message::{ToClient, ToSupervisor};
use crate::helper::supervisor::reaper::{MAX_PACKET, own_children};
use crate::process::clock::since_boot;
use crate::process::identity::Identity;
use crate::process::tree::kill_escaped;

/// The longest time that a host may leave to a job.
const MAX_EXTENSION: Duration = Duration::from_secs(30 * 24 * 60 * 60);

impl Running {
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
                    if let Some(request) = Request::decode(frame) {
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

    fn handle(&mut self, at: usize, request: &Request<'_>) {
        let client = &mut self.clients[at];
        match *request {
            Request::Hello(hello) if hello.lowest <= CORE => {
                client.has_hello = true;
                client.attends = hello.attends;
                self.greet(at);
            }
            Request::Hello(_) => {
                client.push(&Event::Refused(b"old"));
                client.is_closed = true;
            }
            _ if !client.has_hello => client.is_closed = true,
            Request::Stdin(bytes) => self.take_input(at, bytes),
            Request::StdinEnd => {
                self.streams.end_input();
                self.feed();
            }
            Request::Stop { signal, grace } => {
                self.stop(EndCause::Kill, signal, grace.map(Duration::from_millis));
            }
            Request::Signal { number, scope } => {
                self.reaper.send(COMMAND, &ToSupervisor::Signal { number, scope });
            }
            Request::Resize(size) => self.streams.resize(size),
            Request::List(listed) => {
                self.lists.push_back(client.id);
                self.reaper.send(COMMAND, &ToSupervisor::List(listed));
            }
            Request::Extend(milliseconds) => {
                let left = Duration::from_millis(milliseconds).min(MAX_EXTENSION);
                let ends_at = since_boot().saturating_add(left);
                self.deadlines.ends_at = ends_at;
                client.push(&Event::EndsAt(Self::as_date(ends_at)));
            }
            Request::Watch(cursor) => {
                client.watching = Some(cursor);
                client.tell_growth(self.job.log.cursor());
            }
            Request::Plan(_) | Request::Start => client.is_closed = true,
        }
    }

    fn greet(&mut self, at: usize) {
        let hello = SupervisorHello {
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
        client.push(&Event::Hello(hello));
        if let Some(lines) = exited {
            client.push(&Event::Exited(lines));
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
            client.push(&Event::Credit(count));
        }
    }

    /// Writes input to the command, and grants more to its hosts. The report of the start comes first.
    pub(super) fn feed(&mut self) {
        if self.leader != 0 {
            let fed = self.streams.feed();
            self.pass_on(&fed);
        }
    }

    pub(super) fn pass_on(&mut self, fed: &Fed) {
        for &(id, count) in &fed.passed {
            if let Some(client) = self.clients.iter_mut().find(|client| client.id == id)
                && let Some(count) = client.grants.pass(count)
            {
                client.push(&Event::Credit(count));
            }
        }
        if fed.is_gone {
            self.tell(&Event::StdinGone);
        }
    }

    pub(super) fn tell(&mut self, event: &Event<'_>) {
        let all = self.clients.iter_mut().filter(|client| client.has_hello);
        all.for_each(|client| client.push(event));
    }

    /// Takes a packet of the reaper. Returns false when it has exited, and the failure of a start.
    pub(super) fn hear_reaper(&mut self) -> Result<bool, StartFailure> {
        let mut packet = vec![0; MAX_PACKET];
        let Some(length) = self.reaper.receive(&mut packet) else { return Ok(true) };
        let mut reader = FrameReader::default();
        reader.push(&packet[..length]);
        match reader.next_frame().ok().flatten().map(ToClient::decode) {
            Some(Ok(ToClient::Started { pid, directory })) => {
                self.leader = pid;
                self.tell(&Event::Started { pid, directory });
                self.feed();
            }
            Some(Ok(ToClient::Failed { step, errno, path })) => {
                return Err(StartFailure::Command { step, errno, path: path.to_vec() });
            }
            Some(Ok(ToClient::Exit(exit))) => self.leader_exited(exit),
            Some(Ok(ToClient::Pids(pids))) => {
                let asked = self.lists.pop_front();
                if let Some(client) = self.clients.iter_mut().find(|client| Some(client.id) == asked) {
                    client.push(&Event::Pids(pids));
                }
            }
            _ => {}
        }
        Ok(length > 0)
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
        let orphans = own_children().into_iter().filter(|&child| Some(child) != self.reaper.pid);
        orphans.filter_map(Identity::of).for_each(kill_escaped);
        if taken.iter().any(|&signal| signal != libc::SIGCHLD) {
            self.stop_by_plan(EndCause::Kill);
        }
    }

    /// Kills a start that hangs, as in a directory on a network that does not answer.
    pub(super) fn kill(&mut self) {
        match self.reaper.pid {
            Some(pid) if self.leader == 0 => crate::process::unreaped::signal(pid, Signal::KILL),
            _ => self.reaper.send(COMMAND, &ToSupervisor::Close { kills: true, drops_output: false }),
        }
    }
}

/// Returns whether all hosts have all that was sent to them.
pub(super) fn are_served(clients: &[Client]) -> bool {
    clients.iter().all(|client| !client.has_unsent())
}
