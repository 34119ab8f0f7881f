//! The reaper of a command: a fork of the supervisor that holds nothing but a socket to it, starts the
//! leader, reports its exit, lists and kills its processes, and exits when none is left.
//!
//! The reports are frames of the protocol, one in each packet, which the supervisor passes on. `processes`
//! finds and signals the processes of the command.

mod processes;

use std::ffi::OsString;
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::retry_on_intr;
use rustix::net::{AddressFamily, RecvFlags, SendFlags, SocketFlags, SocketType, recv, send, socketpair};
use rustix::process::{Pid, getpid};
use serde::{Deserialize, Serialize};

use self::processes::kill_below;
pub(in crate::helper) use self::processes::own_children;
use super::confined::{ConfinedLeader, SandboxForLeader};
use super::ports::listening::ports_of;
use super::ports::room;
use super::shell_scan::scan_shell;
use super::start::{CgroupForLeader, CommandEnds, StartFailure, StartedLeader, start};
use crate::helper::signals::{CHILDREN_AND_ENDS, adopt_orphans, watch};
use crate::helper::supervisor::protocol::enums::{FailedStep, OutputPipe};
use crate::helper::supervisor::protocol::frame::{FrameReader, HEADER, MAX_PAYLOAD};
use crate::helper::supervisor::protocol::message::{RemoteExit, ToClient, ToSupervisor};
use crate::helper::supervisor::protocol::plan::RemotePlan;
use crate::process::cgroup::own::{become_expendable, out_of_memory_kills};
use crate::process::directory::remove::remove_tree;
use crate::process::errno::Errno;
use crate::process::pipe::inode;
use crate::process::signal::by_number;
use crate::process::spawn::fork::{exit, fork, keep_only, replace_standard_streams};
use crate::process::tree::descendants;
use crate::process::wait::{Exit, peek, reap, usage};
use crate::sandbox::protocol::report::HelperReport;
use crate::wire;

/// The largest packet of a reaper, or for one (bytes): a frame.
pub(in crate::helper) const MAX_PACKET: usize = HEADER + MAX_PAYLOAD;

/// The time after which a kill gives up: processes of another user, or in an uninterruptible sleep, may never
/// end.
const KILL_DEADLINE: Duration = Duration::from_secs(8);

/// The resources of a reaper besides the plan of its command.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::helper) struct ReaperParts<'a> {
    /// The private directory of a session's shell.
    pub(in crate::helper) private: Option<&'a Path>,
    /// A file whose lock is held until all processes of the command are gone.
    pub(in crate::helper) lock: Option<&'a OwnedFd>,
    pub(in crate::helper) sandbox: Option<SandboxForLeader<'a>>,
    pub(in crate::helper) cgroup: Option<CgroupForLeader<'a>>,
}

/// A note for the supervisor of a durable job.
#[derive(Debug, Serialize, Deserialize)]
pub(in crate::helper) enum ReaperNote {
    Sandbox(HelperReport),
    /// The command can't enter its cgroup.
    NotLimited(Errno),
}

/// The supervisor's side of a reaper. Dropping it makes the reaper kill its tree and exit.
#[derive(Debug)]
pub(in crate::helper) struct Reaper {
    /// `None` once the process has been reaped: its pid may belong to another one then.
    pub(in crate::helper) pid: Option<Pid>,
    pub(in crate::helper) socket: OwnedFd,
    /// The number of kills for lack of memory before the start.
    kills_before: u64,
}

impl Reaper {
    /// Forks a reaper, which starts the command.
    pub(in crate::helper) fn fork(
        command: u32,
        plan: &RemotePlan,
        own: &[(OsString, OsString)],
        ends: &CommandEnds,
        parts: ReaperParts<'_>,
    ) -> io::Result<Self> {
        let (ours, theirs) =
            socketpair(AddressFamily::UNIX, SocketType::SEQPACKET, SocketFlags::CLOEXEC, None)?;
        let kills_before = out_of_memory_kills();
        match fork()? {
            Some(pid) => Ok(Self { pid: Some(pid), socket: ours, kills_before }),
            None => run(command, plan, own, ends, parts, (&theirs, kills_before)),
        }
    }

    /// Returns the error of a command whose reaper was killed: `ENOMEM` if the kernel has killed processes
    /// for lack of memory since its start.
    pub(in crate::helper) fn errno_of_death(&self) -> i32 {
        if out_of_memory_kills() > self.kills_before { libc::ENOMEM } else { libc::ECHILD }
    }

    /// Sends a message to the reaper. A reaper that hangs in a start, with a full socket, gets no more.
    pub(in crate::helper) fn send(&self, command: u32, message: &ToSupervisor<'_>) {
        let mut frame = Vec::new();
        message.put(command, &mut frame);
        let _ = send(&self.socket, &frame, SendFlags::DONTWAIT | SendFlags::NOSIGNAL);
    }

    /// Receives a frame of the reaper into `buffer`. Returns 0 when the reaper has exited, and `None` when it
    /// has sent nothing.
    pub(in crate::helper) fn receive(&self, buffer: &mut [u8]) -> Option<usize> {
        loop {
            match retry_on_intr(|| recv(&self.socket, &mut *buffer, RecvFlags::DONTWAIT)) {
                Ok((length, _)) => return Some(length),
                Err(rustix::io::Errno::AGAIN) => return None,
                // The reaper has exited without a look at its last message. The kernel reports that once, and
                // before what the reaper has sent.
                Err(rustix::io::Errno::CONNRESET) => {}
                Err(_) => return Some(0),
            }
        }
    }
}

/// Runs the reaper, in the fork.
fn run(
    command: u32,
    plan: &RemotePlan,
    own: &[(OsString, OsString)],
    ends: &CommandEnds,
    ReaperParts { private, lock, sandbox, cgroup }: ReaperParts<'_>,
    (socket, kills_before): (&OwnedFd, u64),
) -> ! {
    // An open copy of the supervisor's streams, or of another command's, would keep them from ending.
    let ours = [Some(&ends.stdin), ends.stdout.as_ref(), ends.stderr.as_ref(), Some(socket), lock];
    let of_sandbox = sandbox.iter().flat_map(|sandbox| sandbox.kept);
    let ours = ours.into_iter().flatten().chain(of_sandbox).map(AsRawFd::as_raw_fd);
    let mut kept: Vec<i32> = ours.chain(cgroup.map(|cgroup| cgroup.directory.as_raw_fd())).collect();
    let is_alone = replace_standard_streams(socket.as_raw_fd());
    keep_only(&mut kept);
    room::restore();
    adopt_orphans();
    if plan.is_expendable {
        // The end of the supervisor would be that of its container and of all commands.
        become_expendable();
    }
    let started_at = Instant::now();
    let started = is_alone
        .map_err(|error| StartFailure::new(FailedStep::Fork, error.raw_os_error().unwrap_or(libc::EIO)))
        .and_then(|()| start_limited(plan, own, ends, (sandbox, cgroup), (socket, command)));
    let input = inode(&ends.stdin);
    let of_sandbox = started.iter().flat_map(|leader| &leader.confined).flat_map(ConfinedLeader::descriptors);
    let ours = lock.into_iter().chain([socket]).map(AsRawFd::as_raw_fd);
    let mut rest: Vec<i32> = ours.chain(of_sandbox).collect();
    keep_only(&mut rest);
    let reaping = started.and_then(|StartedLeader { pid: leader, program, directory, confined }| {
        // The signals that ask all processes to end are read and ignored here: this process reports the exit
        // of the leader, and its supervisor stops the job.
        let signals = watch(&CHILDREN_AND_ENDS).map_err(|error| {
            StartFailure::new(FailedStep::Fork, error.raw_os_error().unwrap_or(libc::EIO))
        })?;
        Ok(ReaperLoop {
            command,
            socket,
            signals,
            leader,
            program,
            directory,
            private,
            input,
            has_terminal: plan.terminal.is_some(),
            started_at,
            kills_before,
            confined,
        })
    });
    match reaping {
        Ok(reaping) => reaping.run(),
        Err(StartFailure { step, errno, path, sandbox, .. }) => {
            if let Some(failure) = sandbox {
                report_note(socket, command, &ReaperNote::Sandbox(HelperReport::Failed(failure)));
            }
            report(socket, command, &ToClient::Failed { step, errno, path: &path });
            kill_below(None, None);
        }
    }
    exit(0)
}

/// Starts the leader in its cgroup, or without it where it can't enter, if it may.
fn start_limited(
    plan: &RemotePlan,
    own: &[(OsString, OsString)],
    ends: &CommandEnds,
    (sandbox, cgroup): (Option<SandboxForLeader<'_>>, Option<CgroupForLeader<'_>>),
    (socket, command): (&OwnedFd, u32),
) -> Result<StartedLeader, StartFailure> {
    let started = start(plan, own, ends, (sandbox, cgroup));
    let Some(errno) = started.as_ref().err().and_then(|failure| failure.cgroup) else { return started };
    report_note(socket, command, &ReaperNote::NotLimited(errno));
    if cgroup.is_some_and(|cgroup| cgroup.is_optional) {
        start(plan, own, ends, (sandbox, None))
    } else {
        started
    }
}

/// Sends a frame to the supervisor. Waits while the socket is full. Fails if the supervisor has exited, which
/// the next `poll` notices.
fn report(socket: &OwnedFd, command: u32, message: &ToClient<'_>) {
    let mut frame = Vec::new();
    message.put(command, &mut frame);
    let _ = retry_on_intr(|| send(socket, &frame, SendFlags::NOSIGNAL));
}

/// Sends a note.
fn report_note(socket: &OwnedFd, command: u32, note: &ReaperNote) {
    report(socket, command, &ToClient::Output(OutputPipe::Control, &wire::encode(note)));
}

/// A reaper with its leader.
struct ReaperLoop<'a> {
    command: u32,
    socket: &'a OwnedFd,
    signals: OwnedFd,
    /// The leader, which is not reaped before the end, so that no other process gets its pid and the id of
    /// its group.
    leader: Pid,
    /// The index of the program that runs, among those of the plan.
    program: u32,
    /// The real path of the working directory.
    directory: String,
    /// The private directory of a session's shell, which the supervisor removes, or else this process.
    private: Option<&'a Path>,
    /// The inode of the leader's input.
    input: u64,
    has_terminal: bool,
    started_at: Instant,
    /// The number of kills for lack of memory before the start.
    kills_before: u64,
    confined: Option<ConfinedLeader>,
}

impl ReaperLoop<'_> {
    fn run(mut self) {
        if let Some(confined) = &self.confined {
            let running = HelperReport::Running(confined.running());
            report_note(self.socket, self.command, &ReaperNote::Sandbox(running));
        }
        let pid = self.command_pid().as_raw_nonzero().get().unsigned_abs();
        if let Some(private) = self.private {
            let directory = private.as_os_str().as_bytes();
            report(self.socket, self.command, &ToClient::Shell { program: self.program, directory });
        }
        let directory = self.directory.as_bytes();
        report(self.socket, self.command, &ToClient::Started { pid, directory });
        let mut has_reported = false;
        loop {
            // The exit is read before the children: the children that the leader has left then belong to this
            // process.
            let exit = peek(self.leader);
            let is_alone = self.reap_others();
            self.report_refused(exit.filter(|_| !has_reported));
            if let Some(exit) = exit
                && !std::mem::replace(&mut has_reported, true)
            {
                report(self.socket, self.command, &ToClient::Exit(self.exit(exit, is_alone)));
            }
            if is_alone && has_reported {
                reap(self.leader);
                return;
            }
            let mut events = [
                PollFd::new(self.socket, PollFlags::IN),
                PollFd::from_borrowed_fd(self.signals.as_fd(), PollFlags::IN),
                // Without a sandbox, the second one is there twice.
                PollFd::from_borrowed_fd(self.control().unwrap_or(self.signals.as_fd()), PollFlags::IN),
            ];
            let _ = poll(&mut events, None);
            crate::helper::signals::take_signals(&self.signals);
            if !events[0].revents().is_empty() && !self.serve() {
                kill_below(Some(self.leader), self.remover());
                let _ = self.private.map(remove_tree);
                return;
            }
        }
    }

    /// Handles the supervisor's next message. Returns false when the supervisor has exited.
    fn serve(&self) -> bool {
        let mut packet = vec![0; MAX_PACKET];
        let length = match retry_on_intr(|| recv(self.socket, &mut packet, RecvFlags::DONTWAIT)) {
            Ok((length, _)) => length,
            Err(rustix::io::Errno::AGAIN) => return true,
            Err(_) => 0,
        };
        let mut reader = FrameReader::default();
        reader.push(&packet[..length]);
        match reader.next_frame().ok().flatten().map(ToSupervisor::decode) {
            Some(Ok(ToSupervisor::Signal { number, scope })) => self.signal(number, scope),
            Some(Ok(ToSupervisor::List(listed))) => {
                let pids = self.list(listed);
                report(self.socket, self.command, &ToClient::Pids(pids));
            }
            Some(Ok(ToSupervisor::ListPorts { asks_namespaces })) => {
                let below = descendants(getpid());
                let processes: Vec<Pid> = below.iter().map(|process| process.identity.pid).collect();
                let ports = ports_of(&processes, asks_namespaces);
                report(self.socket, self.command, &ToClient::Ports(ports));
            }
            Some(Ok(ToSupervisor::ScanShell { first, named })) => {
                let scan = scan_shell(self.leader, self.input, first, named);
                report(self.socket, self.command, &ToClient::ShellScan(scan));
            }
            Some(Ok(ToSupervisor::SignalEach { number, identities })) => {
                if let Some(signal) = by_number(number) {
                    for identity in identities {
                        identity.send(signal);
                    }
                }
            }
            Some(Ok(ToSupervisor::Close { kills: true, .. })) => {
                kill_below(Some(self.leader), self.remover());
            }
            _ => {}
        }
        length > 0
    }

    fn control(&self) -> Option<BorrowedFd<'_>> {
        self.confined.as_ref().and_then(ConfinedLeader::control)
    }

    /// Reports what the sandbox has refused, and at the exit that there is no network, if that failed.
    fn report_refused(&mut self, exit: Option<Exit>) {
        let Some(confined) = &mut self.confined else { return };
        let refused = confined.take_refused();
        let in_vain = exit.and_then(|exit| confined.network_in_vain(exit));
        for refusal in refused.into_iter().chain(in_vain) {
            let refused = HelperReport::Refused(refusal);
            report_note(self.socket, self.command, &ReaperNote::Sandbox(refused));
        }
    }

    /// Reaps the children that have exited, but not the leader. Returns whether the leader alone is left.
    fn reap_others(&self) -> bool {
        let mut is_alone = true;
        for child in own_children() {
            is_alone &= child == self.leader || reap(child).is_some();
        }
        is_alone
    }

    fn exit(&self, exit: Exit, is_alone: bool) -> RemoteExit {
        let used = usage(self.leader);
        let (value, is_signal) = match exit {
            Exit::Code(code) => (code, false),
            Exit::Signal(signal) => (signal, true),
            Exit::Unknown => (libc::SIGKILL, true),
        };
        RemoteExit {
            value: value.unsigned_abs(),
            is_signal,
            is_alone,
            is_out_of_memory: exit != Exit::Code(0) && out_of_memory_kills() > self.kills_before,
            user: used.map(|used| used.user).unwrap_or_default(),
            system: used.map(|used| used.system).unwrap_or_default(),
            peak_memory: used.map_or(0, |used| used.max_rss / 1024),
            wall: self.started_at.elapsed(),
        }
    }
}

#[cfg(test)]
mod tests {
    use rustix::net::{AddressFamily, SendFlags, SocketFlags, SocketType, send, socketpair};

    use super::Reaper;

    #[test]
    fn the_last_report_of_a_reaper_comes_before_its_end_though_it_has_read_no_more() {
        let (ours, theirs) =
            socketpair(AddressFamily::UNIX, SocketType::SEQPACKET, SocketFlags::CLOEXEC, None)
                .expect("a pair");
        let reaper = Reaper { pid: None, socket: ours, kills_before: 0 };
        send(&theirs, b"exit", SendFlags::empty()).expect("it is sent");
        send(&reaper.socket, b"list", SendFlags::empty()).expect("it is sent");
        drop(theirs);
        let mut buffer = [0; 9];
        assert_eq!(reaper.receive(&mut buffer), Some(4));
        assert_eq!(&buffer[..4], b"exit");
        assert_eq!(reaper.receive(&mut buffer), Some(0));
    }
}
