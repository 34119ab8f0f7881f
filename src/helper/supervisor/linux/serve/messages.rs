//! Handles the messages of the host.

use std::time::Duration;

use rustix::io::{Errno, read};
use rustix::process::Signal;
use rustix::stdio::stdin;

use super::{Supervisor, SupervisorEnd};
use crate::helper::supervisor::ports::PortViolation;
use crate::helper::supervisor::protocol::enums::FailedStep;
use crate::helper::supervisor::protocol::hello::ClientHello;
use crate::helper::supervisor::protocol::message::{ToClient, ToSupervisor};
use crate::helper::supervisor::protocol::plan::{MAX_PLAN, RemotePlan, Role};
use crate::helper::supervisor::protocol::ports::PortMessage;
use crate::helper::supervisor::start::StartFailure;
use crate::helper::supervisor::supervised_command::SupervisedCommand;
use crate::process::clock::since_boot;
use crate::process::unreaped;
use crate::wire::Malformed;

/// The most commands at a time.
const MAX_COMMANDS: usize = 256;

impl Supervisor {
    /// Reads the stream without blocking, and handles each complete frame.
    pub(super) fn read_stream(&mut self) -> Result<(), SupervisorEnd> {
        match read(stdin(), &mut *self.chunk) {
            Ok(0) => return Err(SupervisorEnd::Lost),
            Ok(count) => self.reader.push(&self.chunk[..count]),
            Err(Errno::AGAIN | Errno::INTR) => return Ok(()),
            Err(_) => return Err(SupervisorEnd::Lost),
        }
        self.last_heard = since_boot();
        self.ports.resume_listeners();
        let mut reader = std::mem::take(&mut self.reader);
        let result = loop {
            match reader.next_frame() {
                Ok(None) => break Ok(()),
                Err(error) => break Err(self.fatal(&error.to_string())),
                Ok(Some(frame)) => {
                    let command = frame.command;
                    let handled = match ToSupervisor::decode(frame) {
                        Ok(message) => self.handle(command, message),
                        Err(error @ Malformed) => Err(self.fatal(&error.to_string())),
                    };
                    if handled.is_err() {
                        break handled;
                    }
                }
            }
        };
        self.reader = reader;
        result
    }

    fn fatal(&mut self, text: &str) -> SupervisorEnd {
        self.outbox.push(0, &ToClient::Fatal(text.as_bytes()));
        SupervisorEnd::Fatal
    }

    fn handle(&mut self, id: u32, message: ToSupervisor<'_>) -> Result<(), SupervisorEnd> {
        match message {
            ToSupervisor::Hello(hello) if !self.has_hello => return self.greet(hello),
            _ if !self.has_hello => return Err(self.fatal("the first frame is no hello")),
            ToSupervisor::Hello(_) => return Err(self.fatal("a second hello")),
            ToSupervisor::Bye => return Err(SupervisorEnd::Asked),
            ToSupervisor::Ping(bytes) => self.outbox.push(0, &ToClient::Pong(bytes)),
            ToSupervisor::Plan(part) => return self.take_plan(id, part),
            ToSupervisor::Start => return self.start(id),
            ToSupervisor::Port(message) => return self.serve_port(id, message),
            ToSupervisor::PortData(bytes) => {
                let taken = self.ports.take(id, bytes, &mut self.outbox);
                return taken.map_err(|PortViolation(text)| self.fatal(text));
            }
            message => return self.handle_for_command(id, message),
        }
        Ok(())
    }

    fn serve_port(&mut self, id: u32, message: PortMessage) -> Result<(), SupervisorEnd> {
        let handled = self.ports.handle(id, message, &mut self.outbox);
        handled.map_err(|PortViolation(text)| self.fatal(text))
    }

    fn greet(&mut self, hello: ClientHello) -> Result<(), SupervisorEnd> {
        if !hello.is_understood() {
            return Err(self.fatal("another version of the protocol"));
        }
        self.has_hello = true;
        self.deadline = Duration::from_millis(hello.deadline.into());
        Ok(())
    }

    fn take_plan(&mut self, id: u32, part: &[u8]) -> Result<(), SupervisorEnd> {
        if !self.plans.contains_key(&id) {
            if id <= self.last_id || self.plans.len() >= MAX_COMMANDS {
                return Err(self.fatal("a plan for a used command id, or one plan too many"));
            }
            self.last_id = id;
        }
        let plan = self.plans.entry(id).or_default();
        plan.extend_from_slice(part);
        if plan.len() > MAX_PLAN {
            return Err(self.fatal("a plan that is too large"));
        }
        Ok(())
    }

    fn start(&mut self, id: u32) -> Result<(), SupervisorEnd> {
        let Some(plan) = self.plans.remove(&id) else { return Err(self.fatal("a start without a plan")) };
        let started = RemotePlan::decode(&plan)
            .map_err(|Malformed| StartFailure::new(FailedStep::Plan, libc::EINVAL))
            .and_then(|plan| self.begin(id, &plan));
        match started {
            Ok(command) => drop(self.commands.insert(id, command)),
            Err(StartFailure { step, errno, path, .. }) => {
                self.outbox.push(id, &ToClient::Failed { step, errno, path: &path });
            }
        }
        Ok(())
    }

    fn begin(&mut self, id: u32, plan: &RemotePlan) -> Result<SupervisedCommand, StartFailure> {
        if let Role::InShell(part) = &plan.role {
            // A command in a shell is beside the limit: the shell is one of the commands.
            let gone = || StartFailure::new(FailedStep::Lost, libc::ESRCH);
            let command = self.commands.get_mut(&part.shell).ok_or_else(gone)?.prepare(plan, part)?;
            self.outbox.push(id, &ToClient::Started { pid: 0, directory: &[] });
            return Ok(command);
        }
        if self.commands.values().filter(|command| command.reaper.is_some()).count() >= MAX_COMMANDS {
            return Err(StartFailure::new(FailedStep::TooMany, libc::EAGAIN));
        }
        SupervisedCommand::start(id, plan, &self.environment)
    }

    /// Handles a message for a command. One that has just ended gets no more.
    fn handle_for_command(&mut self, id: u32, message: ToSupervisor<'_>) -> Result<(), SupervisorEnd> {
        let Some(command) = self.commands.get_mut(&id) else {
            return if id <= self.last_id {
                Ok(())
            } else {
                Err(self.fatal("a message for an unknown command"))
            };
        };
        match message {
            ToSupervisor::Stdin(bytes) => {
                if command.take_input(bytes).is_err() {
                    return Err(self.fatal("more input than was granted"));
                }
                command.write_input(id, &mut self.outbox);
            }
            ToSupervisor::StdinEnd => command.end_input(),
            ToSupervisor::Lines(bytes) => {
                command.take_lines(bytes);
                command.write_input(id, &mut self.outbox);
            }
            ToSupervisor::Resize(size) => command.resize(size),
            ToSupervisor::Credit { output, count } => command.add_credit(output, count),
            message => {
                if let ToSupervisor::Close { drops_output: true, .. } = message {
                    command.drop_output();
                }
                let kills = matches!(message, ToSupervisor::Close { kills: true, .. });
                match &command.reaper {
                    // The start hangs, as in a directory on a network that does not answer.
                    Some(reaper) if kills && !command.has_started => {
                        if let Some(pid) = reaper.pid {
                            unreaped::signal(pid, Signal::KILL);
                        }
                    }
                    Some(reaper) => reaper.send(id, &message),
                    None => {}
                }
            }
        }
        Ok(())
    }
}
