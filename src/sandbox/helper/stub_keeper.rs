//! Keeps stubs while anything runs in the sandbox.

use std::os::fd::{AsRawFd, OwnedFd};

use rustix::pipe::{PipeFlags, pipe_with};
use rustix::process::{Pid, WaitOptions, setsid, waitpid};

use super::failure::At;
use super::process::{exit, fork, keep_only, release_standard_streams, set_signals};
use crate::sandbox::plan::SandboxPlan;
use crate::sandbox::report::{Failure, SandboxStep};
use crate::sandbox::stubs::{self, HeldStubs};

/// A process that removes the stubs when the last copy of `life` is closed: the supervisor and the sandbox init have one.
pub(super) struct Keeper {
    pub(super) pid: Pid,
    pub(super) life: OwnedFd,
}

/// Makes the stubs and starts their keeper. `None` without stubs.
pub(super) fn start(plan: &SandboxPlan) -> Result<Option<Keeper>, Failure> {
    let Some(journal) = plan.journal.as_deref().filter(|_| !plan.stubs.is_empty()) else { return Ok(None) };
    let held = stubs::hold(&plan.stubs, journal)
        .or_else(|(error, path)| Err(error).at_path(SandboxStep::Stub, &path))?;
    let (read, write) = pipe_with(PipeFlags::CLOEXEC).at(SandboxStep::Fork)?;
    if let Some(pid) = fork().at(SandboxStep::Fork)? {
        // The keeper has the locks. They belong to the open files, so this process's copies must go.
        drop(held);
        return Ok(Some(Keeper { pid, life: write }));
    }
    drop(write);
    keep(&read, held);
    exit(0)
}

impl Keeper {
    /// Lets the keeper remove the stubs, and waits for it. To be called when the sandbox init has ended.
    pub(super) fn finish(self) {
        drop(self.life);
        let _ = rustix::io::retry_on_intr(|| waitpid(Some(self.pid), WaitOptions::empty()));
    }
}

fn keep(life: &OwnedFd, held: HeldStubs) {
    // Signals to the job's group must not end the keeper before its time, and it must not keep the command's output open.
    let _ = setsid();
    set_signals([libc::SIGHUP, libc::SIGINT, libc::SIGTERM].into_iter(), libc::SIG_IGN);
    let _ = release_standard_streams();
    // A pipe or socket that stayed open here would never end for others.
    let mut kept: Vec<i32> = held.descriptors().chain([life.as_raw_fd()]).collect();
    keep_only(&mut kept);
    while rustix::io::read(life, &mut [0_u8; 1]) == Err(rustix::io::Errno::INTR) {}
    held.release();
}
