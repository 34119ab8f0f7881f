//! A leader in a sandbox. The role [`sandbox`](crate::helper::sandbox) of this program builds it, as the
//! child of the reaper, and ends with the reaper.

use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};

use rustix::process::Pid;

use crate::helper::supervisor::protocol::plan::RemotePlan;
use crate::process::errno::Errno;
use crate::process::identity::Identity;
use crate::process::spawn::{SpawnError, SpawnRequest, Spawned, Step};
use crate::process::table::row::Process;
use crate::process::wait::Exit;
use crate::sandbox::network::counters::TrafficCounters;
use crate::sandbox::plan::{SandboxPlan, SandboxedCommand};
use crate::sandbox::protocol::launch::{Control, end_failed, prepare};
use crate::sandbox::protocol::report::{HelperReport, Running, SandboxFailure, SandboxRefusal};

/// The path of this program, which stays the same program when its file is replaced.
const THIS_PROGRAM: &str = "/proc/self/exe";

/// The sandbox for a leader: its plan, and the descriptors of the mounts that it uses.
#[derive(Clone, Copy, Debug)]
pub(in crate::helper) struct SandboxForLeader<'a> {
    pub(in crate::helper) plan: &'a SandboxPlan,
    pub(in crate::helper) kept: &'a [OwnedFd],
}

/// The sandbox of a leader that runs. With an init, the leader is the sandbox's monitor.
#[derive(Debug)]
pub(super) struct ConfinedLeader {
    running: Running,
    command: Option<Identity>,
    /// `None` when the sandbox has closed it.
    control: Option<Control>,
    counters: TrafficCounters,
    refused: Vec<SandboxRefusal>,
}

/// A start that failed: at a step of an ordinary spawn, or of the sandbox.
pub(super) type ConfinedFailure = (SpawnError, Option<SandboxFailure>);

impl SandboxForLeader<'_> {
    /// Spawns the sandbox in place of the program of a request, and waits until the command runs.
    pub(super) fn spawn(
        &self,
        of_leader: &RemotePlan,
        directory: &str,
        request: &SpawnRequest<'_>,
        spawn: impl FnOnce(&SpawnRequest<'_>) -> Result<Spawned, SpawnError>,
    ) -> Result<(Pid, ConfinedLeader), ConfinedFailure> {
        let command = SandboxedCommand {
            candidates: request.candidates.to_vec(),
            arguments: request.arguments.to_vec(),
            environment: request.environment.to_vec(),
            directory: PathBuf::from(directory),
            descriptors: request.extra_fd.iter().map(|script| script.target).collect(),
            has_terminal: of_leader.terminal.is_some(),
            limits: of_leader.limits.resolved(None),
            is_probe: false,
        };
        let script = request.extra_fd.iter().map(|script| script.source);
        let passed: Vec<_> = self.kept.iter().map(AsFd::as_fd).chain(script).collect();
        let launch = prepare(Path::new(THIS_PROGRAM), self.plan, &command, &passed)
            .map_err(|error| (SpawnError { step: Step::Descriptors, errno: Errno::of(&error) }, None))?;
        let (spawned, control) = launch.spawn(request, spawn).map_err(|error| (error, None))?;
        let mut refused = Vec::new();
        match control.await_running(&mut refused) {
            Ok((running, counters)) => {
                let command = running.command.and_then(Pid::from_raw).and_then(Identity::of);
                let counters = TrafficCounters::new(counters);
                let control = Some(control);
                Ok((spawned.pid, ConfinedLeader { running, command, control, counters, refused }))
            }
            Err(failure) => {
                let errno = failure.errno;
                Err(match end_failed(spawned.pid, &failure) {
                    Some(step) => (SpawnError { step, errno }, None),
                    None => (SpawnError { step: Step::Clone, errno }, Some(failure)),
                })
            }
        }
    }
}

impl ConfinedLeader {
    /// Returns the descriptors to keep.
    pub(super) fn descriptors(&self) -> impl Iterator<Item = i32> {
        let control = self.control.iter().map(|control| control.as_fd().as_raw_fd());
        control.chain(self.counters.files().map(AsRawFd::as_raw_fd))
    }

    pub(super) const fn running(&self) -> Running {
        self.running
    }

    /// Returns the command, if the leader is the monitor of its sandbox.
    pub(super) const fn command(&self) -> Option<Identity> {
        self.command
    }

    /// Returns the process that removes stubs at the end, which no kill may reach.
    pub(super) fn remover(&self) -> Option<Pid> {
        self.running.remover.and_then(Pid::from_raw)
    }

    /// Returns whether a process is the sandbox's own, for which no signal is meant.
    pub(super) fn has(&self, process: &Process, leader: Pid) -> bool {
        let pid = Some(process.pid());
        pid == self.running.init
            || pid == self.running.remover
            || (self.running.command.is_some() && process.identity.pid == leader)
    }

    /// Returns the descriptor that is readable when something was refused.
    pub(super) fn control(&self) -> Option<BorrowedFd<'_>> {
        self.control.as_ref().map(AsFd::as_fd)
    }

    /// Returns what was refused since the last call.
    pub(super) fn take_refused(&mut self) -> Vec<SandboxRefusal> {
        let mut refused = std::mem::take(&mut self.refused);
        while let Some(control) = &self.control {
            match control.next() {
                Ok(Some(HelperReport::Refused(refusal))) => refused.push(refusal),
                Ok(Some(_)) => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
                Ok(None) | Err(_) => self.control = None,
            }
        }
        refused
    }

    /// Returns that there is no network, if the command has failed and tried to reach it.
    pub(super) fn network_in_vain(&self, exit: Exit) -> Option<SandboxRefusal> {
        if exit == Exit::Code(0) {
            return None;
        }
        self.counters.in_vain().map(|reason| SandboxRefusal::NoNetwork { reason })
    }
}
