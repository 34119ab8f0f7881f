//! Handles the messages of the supervisor.

use std::time::Duration;

use super::Connection;
use super::live::Starting;
use crate::helper::supervisor::protocol::credit::{FIRST_WINDOW, MAX_WINDOW};
use crate::helper::supervisor::protocol::enums::FailedStep;
use crate::helper::supervisor::protocol::message::ToClient;
use crate::target::error::{TargetError, quoted};
use crate::target::remote_command::{CommandLink, RemoteCommand, RemoteEnd};
use crate::target::shell::RemoteShell;
use crate::target::{StartError, StartedCommand};

/// The throughput that a window should allow at any round-trip time (bytes per second).
const WANTED_RATE: u64 = 128 * 1024 * 1024;

/// The most commands that may have enlarged windows: two outputs each make 16 MiB of memory at most.
const MAX_ENLARGED: usize = 4;

impl Connection {
    /// Handles all complete frames.
    pub(super) fn handle_frames(&mut self) -> Result<(), TargetError> {
        let mut frames = std::mem::take(&mut self.frames);
        let result = loop {
            match frames.next_frame() {
                Ok(None) => break Ok(()),
                Ok(Some(frame)) => {
                    let handled = match ToClient::decode(frame) {
                        Ok(message) => self.handle(frame.command, message),
                        Err(error) => Err(TargetError::protocol(&self.name, &error.to_string())),
                    };
                    if handled.is_err() {
                        break handled;
                    }
                }
                Err(error) => break Err(TargetError::protocol(&self.name, &error.to_string())),
            }
        };
        self.frames = frames;
        result
    }

    fn handle(&mut self, id: u32, message: ToClient<'_>) -> Result<(), TargetError> {
        let wrong = |said: &str| Err(TargetError::protocol(&self.name, said));
        match message {
            ToClient::Hello(_) => return wrong("a second hello"),
            ToClient::Pong(_) => {
                if let Some(pinged_at) = self.pinged_at.take() {
                    self.learn_round_trip(pinged_at.elapsed());
                }
                return Ok(());
            }
            ToClient::Fatal(text) => return wrong(&quoted(text)),
            ToClient::Port(message) => {
                let received = self.ports.receive(id, message, self.stream.out());
                return received.map_err(|said| TargetError::protocol(&self.name, said));
            }
            ToClient::PortData(bytes) => {
                return self.ports.receive_data(id, bytes).or_else(wrong);
            }
            _ => {}
        }
        let Some(command) = self.commands.get_mut(&id) else {
            return wrong("a frame for an unknown command");
        };
        match message {
            ToClient::Shell { program, directory } => {
                let Some(starting) = &mut command.starting else { return wrong("a shell that has started") };
                let Ok(directory) = String::from_utf8(directory.to_vec()) else { return wrong("no path") };
                starting.shell = Some((program as usize, directory));
            }
            ToClient::Started { pid, directory } => {
                let Some(starting) = command.starting.take() else { return wrong("a second start") };
                let directory = String::from_utf8(directory.to_vec()).ok();
                self.started(id, starting, pid, directory.filter(|path| !path.is_empty()));
            }
            ToClient::Failed { step, errno, path } => {
                let path = String::from_utf8_lossy(path).into_owned();
                return self.failed(id, step, errno, path);
            }
            ToClient::Output(output, bytes) => {
                if command.take_output(output, bytes).is_err() {
                    return wrong("more output than was granted");
                }
                command.relay(id, self.stream.out(), false);
            }
            ToClient::End(output) => command.end_output(output),
            ToClient::Exit(exit) => command.state.send_modify(|state| {
                state.is_gone |= exit.is_alone;
                state.end = Some(RemoteEnd::Exit(exit));
            }),
            ToClient::Ports(ports) => {
                if let Some(answer) = command.port_lists.pop_front() {
                    let _ = answer.send(ports);
                }
            }
            ToClient::Pids(pids) => {
                let pids = pids.into_iter().filter_map(|pid| i32::try_from(pid).ok()).collect();
                if let Some(answer) = command.lists.pop_front() {
                    let _ = answer.send(pids);
                }
            }
            ToClient::ShellScan(scan) => {
                if let Some(answer) = command.scans.pop_front() {
                    let _ = answer.send(scan);
                }
            }
            ToClient::Credit { count } => command.add_credit(count),
            ToClient::StdinGone => command.close_input(),
            ToClient::Gone => command.record_gone(),
            ToClient::Hello(_)
            | ToClient::Pong(_)
            | ToClient::Fatal(_)
            | ToClient::Port(_)
            | ToClient::PortData(_) => {}
        }
        Ok(())
    }

    fn started(&mut self, id: u32, starting: Starting, pid: u32, directory: Option<String>) {
        let Some(command) = self.commands.get(&id) else { return };
        let Starting { answer, stdin, stdout, stderr, control, shell } = starting;
        let Some(requests) = self.own.upgrade() else {
            return answer(Err(StartError::Target(TargetError::closed())));
        };
        let mut report = self.report.clone();
        self.report.connect_time = None;
        self.report.copied = 0;
        if id != 1 {
            report.connect_time = None;
        }
        let link = CommandLink { id, requests, state: command.state.subscribe() };
        let shell = shell.zip(control).map(|((program, private), control)| {
            RemoteShell::new(link.clone(), pid.cast_signed(), program, private, control, report.clone())
        });
        let command = RemoteCommand { link, pid: pid.cast_signed(), directory, report, is_released: false };
        answer(Ok(StartedCommand { command, stdin, stdout, stderr, shell }));
    }

    fn failed(&mut self, id: u32, step: FailedStep, errno: i32, path: String) -> Result<(), TargetError> {
        let Some(mut command) = self.commands.remove(&id) else { return Ok(()) };
        // A reaper may be killed before it has told the start, by the command itself.
        if let Some(starting) = command.starting.take_if(|_| step != FailedStep::Lost) {
            (starting.answer)(Err(StartError::Failed { step, errno, path }));
            return Ok(());
        }
        let error = TargetError::reaper_killed(&self.name, errno);
        let has_started = command.starting.is_none();
        command.lose(&error);
        // Without memory for a command, none can free any: only a new container helps.
        let is_full = error.code == "OUT_OF_MEMORY" && !has_started;
        if is_full && self.is_own_container && self.commands.is_empty() { Err(error) } else { Ok(()) }
    }

    /// Enlarges the windows so that a long round trip does not slow output down.
    fn learn_round_trip(&mut self, round_trip: Duration) {
        let wanted = u64::try_from(round_trip.as_micros()).unwrap_or(u64::MAX).saturating_mul(WANTED_RATE);
        let wanted = usize::try_from(wanted / 1_000_000).unwrap_or(usize::MAX);
        self.window = self.window.max(wanted.clamp(FIRST_WINDOW, MAX_WINDOW));
        self.enlarge_windows();
    }

    /// Enlarges the windows of as many commands as may have large ones.
    pub(super) fn enlarge_windows(&mut self) {
        let out = self.stream.out();
        let enlarged = self.commands.values().filter(|command| command.has_large_windows()).count();
        let mut left = MAX_ENLARGED.saturating_sub(enlarged);
        for (&id, command) in &mut self.commands {
            let is_large = command.has_large_windows();
            if !is_large && left == 0 {
                continue;
            }
            command.enlarge(id, self.window, out);
            left -= usize::from(!is_large && command.has_large_windows());
        }
    }
}
