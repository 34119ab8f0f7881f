//! The loop of the supervisor: one thread that polls the stream, and the pipes and reapers of all commands.
//! `ready` waits for them, and `messages` handles the requests of the host.

mod messages;
mod ready;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::os::fd::OwnedFd;
use std::path::Path;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, poll};
use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
use rustix::process::{Pid, WaitOptions, wait};
use rustix::stdio::{stdin, stdout};
use rustix::thread::set_name;

use self::ready::PollSource;
use super::cache::{install, mark_used};
use super::facts::hello;
use super::outbox::{Broken, Outbox};
use super::ports::Ports;
use super::reaper::{MAX_PACKET, Reaper, own_children};
use super::supervised_command::SupervisedCommand;
use crate::helper::signals::{CHILDREN_AND_ENDS, adopt_orphans, reset_dispositions, take_signals, watch};
use crate::helper::supervisor::protocol::enums::{FailedStep, OutputPipe};
use crate::helper::supervisor::protocol::frame::{FrameReader, MAX_PAYLOAD};
use crate::helper::supervisor::protocol::message::ToClient;
use crate::process::clock::{since_boot, timespec};
use crate::process::identity::Identity;
use crate::process::tree::kill_escaped;

/// The time for which the supervisor waits for the death of all commands at its end.
const END_DEADLINE: Duration = Duration::from_secs(10);

/// The exit code after an end that the host did not request: `EX_TEMPFAIL`.
const LOST: u8 = 75;

/// The time without any frame after which the supervisor ends, before the host's hello has set it (ms).
const FIRST_DEADLINE: u32 = 10_000;

/// The time between two attempts to open the input of a command, which fails until its shell has opened it.
const OPEN_INPUT_INTERVAL: Duration = Duration::from_millis(1);

/// The most commands that may have enlarged windows for input: 16 MiB of memory.
const MAX_LARGE_INPUTS: usize = 8;

/// Runs the supervisor on standard input and output until the stream ends, and returns its exit code.
///
/// `nonce` is the host's, which the hello repeats. `cache` is where this program is put for later
/// connections. `environment` is that of this process.
#[must_use]
pub fn supervise(nonce: &str, cache: Option<&Path>, environment: Vec<(OsString, OsString)>) -> u8 {
    reset_dispositions();
    // The name of a program without a file would be the number of a descriptor.
    let _ = set_name(c"agent-bash-help");
    adopt_orphans();
    let Ok(signals) = watch(&CHILDREN_AND_ENDS) else { return LOST };
    for stream in [stdin(), stdout()] {
        if fcntl_getfl(stream).and_then(|flags| fcntl_setfl(stream, flags | OFlags::NONBLOCK)).is_err() {
            return LOST;
        }
    }
    let Ok(ports) = Ports::new() else { return LOST };
    let mut supervisor = Supervisor::new(signals, ports, environment);
    let hello = hello(nonce, &supervisor.environment);
    let hash = hello.hash;
    supervisor.outbox.push(0, &ToClient::Hello(hello));
    // The host answers while the cache is written.
    let _ = supervisor.outbox.flush(stdout());
    match cache {
        Some(path) => install(path, hash, nonce),
        None => mark_used(),
    }
    let end = supervisor.run();
    supervisor.end();
    match end {
        SupervisorEnd::Asked => 0,
        SupervisorEnd::Lost | SupervisorEnd::Fatal => LOST,
    }
}

/// The reasons for which the supervisor ends.
enum SupervisorEnd {
    /// The host has requested the end.
    Asked,
    /// The stream has ended, a signal came, or the host was silent for too long.
    Lost,
    /// The host has violated the protocol.
    Fatal,
}

struct Supervisor {
    signals: OwnedFd,
    environment: Vec<(OsString, OsString)>,
    /// The buffer of reads from the stream. A new one for each read would cost a page fault for each page.
    chunk: Box<[u8]>,
    reader: FrameReader,
    outbox: Outbox,
    /// The plans of commands that have not been started.
    plans: BTreeMap<u32, Vec<u8>>,
    commands: BTreeMap<u32, SupervisedCommand>,
    last_id: u32,
    ports: Ports,
    /// Whether ports have their turn before outputs.
    ports_first: bool,
    /// The output that was served last: each ready one has its turn.
    last_served: Option<(u32, OutputPipe)>,
    has_hello: bool,
    deadline: Duration,
    last_heard: Duration,
}

impl Supervisor {
    fn new(signals: OwnedFd, ports: Ports, environment: Vec<(OsString, OsString)>) -> Self {
        Self {
            signals,
            environment,
            chunk: vec![0; MAX_PAYLOAD].into(),
            reader: FrameReader::default(),
            outbox: Outbox::default(),
            plans: BTreeMap::new(),
            commands: BTreeMap::new(),
            last_id: 0,
            ports,
            ports_first: false,
            last_served: None,
            has_hello: false,
            deadline: Duration::from_millis(FIRST_DEADLINE.into()),
            last_heard: since_boot(),
        }
    }

    fn run(&mut self) -> SupervisorEnd {
        loop {
            if self.outbox.flush(stdout()).is_err() {
                return SupervisorEnd::Lost;
            }
            let Some(left) = (self.last_heard + self.deadline).checked_sub(since_boot()) else {
                return SupervisorEnd::Lost;
            };
            let awaits_reader = self.commands.values().any(|command| command.awaited_reader().is_some());
            let ready = self.poll(if awaits_reader { left.min(OPEN_INPUT_INTERVAL) } else { left });
            if awaits_reader {
                self.open_inputs();
            }
            let (mut outputs, mut has_ports) = (Vec::new(), false);
            for source in ready {
                let end = match source {
                    PollSource::StreamIn => self.read_stream().err(),
                    PollSource::Signals => self.take_signals().err(),
                    PollSource::StreamOut => None,
                    PollSource::Reaper(id) => {
                        self.read_reaper(id);
                        None
                    }
                    PollSource::Input(id) => {
                        if let Some(command) = self.commands.get_mut(&id) {
                            command.write_input(id, &mut self.outbox);
                        }
                        None
                    }
                    PollSource::IdleInput(id) => {
                        if let Some(command) = self.commands.get_mut(&id) {
                            command.close_input(id, &mut self.outbox);
                        }
                        None
                    }
                    PollSource::Output(id, OutputPipe::Control) => {
                        self.read_shell_report(id);
                        None
                    }
                    PollSource::Output(id, output) => {
                        outputs.push((id, output));
                        None
                    }
                    PollSource::PortsIn => {
                        has_ports = true;
                        None
                    }
                    PollSource::PortsOut => {
                        self.ports.serve_writes(&mut self.outbox);
                        None
                    }
                };
                if let Some(end) = end {
                    // The reason of a fatal end is still written, as far as the stream takes it.
                    let _ = self.outbox.flush(stdout());
                    return end;
                }
            }
            if self.serve_in_turn(outputs, has_ports).is_err() {
                return SupervisorEnd::Lost;
            }
            self.grow_inputs();
            self.drop_gone();
        }
    }

    /// Reads from outputs and ports, of which neither is always the first.
    fn serve_in_turn(&mut self, outputs: Vec<(u32, OutputPipe)>, has_ports: bool) -> Result<(), Broken> {
        self.ports_first = has_ports && !self.ports_first;
        if has_ports && self.ports_first {
            self.ports.serve_reads(&mut self.outbox)?;
        }
        self.serve_outputs(outputs)?;
        if has_ports && !self.ports_first {
            self.ports.serve_reads(&mut self.outbox)?;
        }
        Ok(())
    }

    /// Reads one frame of each ready output in turn, as far as the stream takes them.
    fn serve_outputs(&mut self, mut outputs: Vec<(u32, OutputPipe)>) -> Result<(), Broken> {
        let after = outputs.partition_point(|output| Some(*output) <= self.last_served);
        outputs.rotate_left(after);
        for (id, output) in outputs {
            self.outbox.flush(stdout())?;
            if self.outbox.has_unsent() {
                break;
            }
            if let Some(command) = self.commands.get_mut(&id) {
                command.read_output(id, output, &mut self.outbox);
                self.last_served = Some((id, output));
            }
        }
        for command in self.commands.values_mut() {
            command.report_exit(&mut self.outbox);
        }
        Ok(())
    }

    /// Enlarges the windows of the inputs that need it, for as many commands as may have large ones.
    fn grow_inputs(&mut self) {
        let mut large = self.commands.values().filter(|command| command.has_large_input()).count();
        for (&id, command) in &mut self.commands {
            let was_large = command.has_large_input();
            if was_large || large < MAX_LARGE_INPUTS {
                command.grow_input(id, &mut self.outbox);
                large += usize::from(!was_large && command.has_large_input());
            }
        }
    }

    fn drop_gone(&mut self) {
        let outbox = &mut self.outbox;
        self.commands.retain(|&id, command| {
            let is_gone = command.is_gone();
            if is_gone {
                outbox.push(id, &ToClient::Gone);
            }
            !is_gone
        });
    }

    /// Takes what a shell has reported. It comes behind the output of the command whose end it is.
    fn read_shell_report(&mut self, id: u32) {
        let Some(frame) = self.commands.get_mut(&id).map(|shell| shell.read_control(id)) else { return };
        match self.commands.values_mut().rev().find(|command| command.awaits_report_of(id)) {
            Some(command) => command.record_report(&frame),
            None => self.outbox.pass_on(&frame),
        }
    }

    /// Opens the inputs that shells have opened meanwhile.
    fn open_inputs(&mut self) {
        let waiting: Vec<_> =
            self.commands.iter().filter_map(|(&id, command)| Some((id, command.awaited_reader()?))).collect();
        for (id, shell) in waiting {
            if let Some(stdin) = self.commands.get(&shell).and_then(SupervisedCommand::open_input)
                && let Some(command) = self.commands.get_mut(&id)
            {
                command.connect_input(id, stdin, &mut self.outbox);
            }
        }
    }

    /// Takes a packet of a reaper.
    fn read_reaper(&mut self, id: u32) {
        let Some(command) = self.commands.get_mut(&id) else { return };
        let mut packet = vec![0; MAX_PACKET];
        let Some(length) = command.reaper.as_ref().and_then(|reaper| reaper.receive(&mut packet)) else {
            return;
        };
        let packet = &packet[..length];
        let mut reader = FrameReader::default();
        reader.push(packet);
        let message = reader.next_frame().ok().flatten().and_then(|frame| ToClient::decode(frame).ok());
        match message {
            Some(ToClient::Exit(_)) => {
                command.record_exit(packet);
                for command in self.commands.values_mut().filter(|command| command.runs_in(id)) {
                    command.record_exit(&[]);
                }
            }
            Some(ToClient::Failed { .. }) => {
                self.commands.remove(&id);
                self.outbox.pass_on(packet);
            }
            Some(message) => {
                command.has_started |= matches!(message, ToClient::Started { .. });
                self.outbox.pass_on(packet);
            }
            None => {
                let errno = command.reaper.as_ref().map_or(libc::ECHILD, Reaper::errno_of_death);
                if !command.reaper_gone() {
                    self.commands.remove(&id);
                    self.outbox.push(id, &ToClient::Failed { step: FailedStep::Lost, errno, path: &[] });
                }
            }
        }
    }

    fn take_signals(&mut self) -> Result<(), SupervisorEnd> {
        let taken = take_signals(&self.signals);
        self.reap();
        if taken.iter().any(|&signal| signal != libc::SIGCHLD) { Err(SupervisorEnd::Lost) } else { Ok(()) }
    }

    /// Reaps exited children, and kills the orphans of a killed reaper. The death of an orphan leads to the
    /// next call, which kills the orphans below it.
    fn reap(&mut self) {
        while let Ok(Some((pid, _))) = wait(WaitOptions::NOHANG) {
            let mut reapers = self.commands.values_mut().filter_map(|command| command.reaper.as_mut());
            if let Some(reaper) = reapers.find(|reaper| reaper.pid == Some(pid)) {
                reaper.pid = None;
            }
        }
        let reapers = self.commands.values().filter_map(|command| command.reaper.as_ref()?.pid);
        kill_orphans(&reapers.chain(self.ports.forks()).collect::<Vec<_>>());
    }

    /// Ends all commands and waits for their death: the end of a reaper's socket makes it kill its tree.
    fn end(self) {
        drop(self.ports);
        let reapers = self.commands.into_values().filter_map(|mut command| command.reaper.take());
        let mut reapers: Vec<_> = reapers.filter_map(|reaper| reaper.pid).collect();
        let until = Instant::now() + END_DEADLINE;
        loop {
            loop {
                match wait(WaitOptions::NOHANG) {
                    Ok(Some((pid, _))) => reapers.retain(|&reaper| reaper != pid),
                    Ok(None) => break,
                    // No child is left.
                    Err(_) => return,
                }
            }
            kill_orphans(&reapers);
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return;
            }
            // The death of a child makes this descriptor readable.
            let mut events = [PollFd::new(&self.signals, PollFlags::IN)];
            let _ = poll(&mut events, Some(&timespec(left)));
            take_signals(&self.signals);
        }
    }
}

/// Kills the children that are no reapers, and what is below them.
fn kill_orphans(reapers: &[Pid]) {
    let orphans = own_children().into_iter().filter(|child| !reapers.contains(child));
    orphans.filter_map(Identity::of).for_each(kill_escaped);
}
