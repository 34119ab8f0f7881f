//! Handles the requests of the host's jobs.

use super::live::{Live, StreamsWanted};
use super::{Connection, ConnectionEnd};
use crate::helper::supervisor::protocol::frame::MAX_PAYLOAD;
use crate::helper::supervisor::protocol::message::ToSupervisor;
use crate::helper::supervisor::protocol::plan::{MAX_PLAN, Role};
use crate::target::error::TargetError;
use crate::target::{CommandRequest, RemoteStart, StartError, TargetRequest};

impl Connection {
    /// Takes a request. Returns the end of the connection if the request asks for it.
    pub(super) fn handle_request(&mut self, request: TargetRequest) -> Option<ConnectionEnd> {
        match request {
            TargetRequest::Start(start) => {
                self.idle_since = None;
                if matches!(start.plan.role, Role::InShell(_)) {
                    // The session's shell is one of the commands, so there is nothing to wait for.
                    self.start(*start);
                } else {
                    self.waiting.push_back(start);
                }
            }
            TargetRequest::Command(id, request) => self.ask(id, request),
            TargetRequest::Ports(answer) => {
                self.idle_since = None;
                let gate = self.own.upgrade().map(|requests| self.ports.gate(requests));
                let _ = answer.send(gate.ok_or_else(TargetError::closed));
            }
            TargetRequest::PortGone(id) => self.ports.close(id, self.stream.out()),
            TargetRequest::Dispose => return Some(ConnectionEnd::Disposed),
        }
        None
    }

    pub(super) fn start(&mut self, start: RemoteStart) {
        let RemoteStart { plan, claim, answer, .. } = start;
        let bytes = plan.encode();
        if bytes.len() > MAX_PLAN {
            return answer(Err(StartError::System(libc::E2BIG)));
        }
        if !claim() {
            return;
        }
        let has_streams = !matches!(&plan.role, Role::InShell(part) if !part.has_streams);
        let wanted = StreamsWanted {
            input: plan.has_input || plan.terminal.is_some(),
            outputs: [
                has_streams,
                has_streams && !plan.is_merged && plan.terminal.is_none(),
                plan.role == Role::Shell,
            ],
        };
        let command = match Live::new(wanted, answer) {
            Ok(command) => command,
            Err((answer, error)) => return answer(Err(error.into())),
        };
        self.last_id += 1;
        let out = self.stream.out();
        for part in bytes.chunks(MAX_PAYLOAD) {
            ToSupervisor::Plan(part).put(self.last_id, out);
        }
        ToSupervisor::Start.put(self.last_id, out);
        self.commands.insert(self.last_id, command);
        self.enlarge_windows();
    }

    fn ask(&mut self, id: u32, request: CommandRequest) {
        let Some(command) = self.commands.get_mut(&id) else { return };
        let message = match request {
            CommandRequest::Signal { number, scope } => ToSupervisor::Signal { number, scope },
            CommandRequest::Kill => ToSupervisor::Close { kills: true, drops_output: false },
            CommandRequest::Release => {
                command.close();
                ToSupervisor::Close { kills: false, drops_output: true }
            }
            CommandRequest::Resize(size) => ToSupervisor::Resize(size),
            CommandRequest::List(listed, answer) => {
                command.lists.push_back(answer);
                ToSupervisor::List(listed)
            }
            CommandRequest::ListPorts { asks_namespaces, answer } => {
                command.port_lists.push_back(answer);
                ToSupervisor::ListPorts { asks_namespaces }
            }
            CommandRequest::Lines(lines) => {
                for part in lines.chunks(MAX_PAYLOAD) {
                    ToSupervisor::Lines(part).put(id, self.stream.out());
                }
                return;
            }
            CommandRequest::EndLines => ToSupervisor::StdinEnd,
            CommandRequest::SignalEach { number, identities } => {
                ToSupervisor::SignalEach { number, identities }
            }
            CommandRequest::ScanShell { first, named, answer } => {
                command.scans.push_back(answer);
                return ToSupervisor::ScanShell { first, named: &named }.put(id, self.stream.out());
            }
        };
        message.put(id, self.stream.out());
    }
}
