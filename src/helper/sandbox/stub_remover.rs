//! The stub remover: keeps stubs while any process of the sandbox runs, and removes them then.
//!
//! The stub remover must outlive all other processes, so it is no descendant of the monitor and has no tag
//! of the job: a kill of all processes of the job does not reach it. It exits by itself.

use std::os::fd::{AsRawFd, OwnedFd};

use rustix::io::{Errno, read, retry_on_intr, write};
use rustix::pipe::{PipeFlags, pipe_with};
use rustix::process::{
    Pid, Resource, Rlimit, WaitOptions, child_subreaper, getpid, getrlimit, set_child_subreaper, setrlimit,
    setsid, waitpid,
};

use super::failure::{FailureContext, failed};
use super::process::{exit, fork, keep_only, release_standard_streams, set_signals};
use crate::sandbox::plan::SandboxPlan;
use crate::sandbox::protocol::report::{SandboxFailure, SandboxStep};
use crate::sandbox::stubs::{self, HeldStubs};

/// The process that removes the stubs when the last copy of `life` is closed: the monitor and the sandbox
/// init have one each.
pub(super) struct StubRemover {
    pub(super) pid: i32,
    pub(super) life: OwnedFd,
    /// Carries the remover's pid, and ends with the remover.
    end: OwnedFd,
}

/// A remover that was started, and does not run yet.
pub(super) struct StartingRemover {
    /// The parent of the remover, which exits at once.
    middle: Pid,
    was_subreaper: Option<Pid>,
    life: OwnedFd,
    end: OwnedFd,
}

/// Creates the stubs and starts their remover; `None` without stubs. Removes from the plan the stubs that no
/// process of this user can create.
pub(super) fn start(plan: &mut SandboxPlan) -> Result<Option<StartingRemover>, SandboxFailure> {
    let step = SandboxStep::Fork;
    let Some(journal) = plan.journal.as_deref().filter(|_| !plan.stubs.is_empty()) else { return Ok(None) };
    let held = stubs::hold(&plan.stubs, journal)
        .or_else(|(error, path)| Err(error).at_path(SandboxStep::Stub, &path))?;
    plan.stubs.retain(|stub| held.paths.contains(&stub.path));
    let (life, life_of_others) = pipe_with(PipeFlags::CLOEXEC).at(step)?;
    let (end, end_of_remover) = pipe_with(PipeFlags::CLOEXEC).at(step)?;
    // Otherwise the remover would become a child of this process again.
    let was_subreaper = child_subreaper().at(step)?;
    set_child_subreaper(None).at(step)?;
    let Some(middle) = fork().at(step)? else {
        drop(life_of_others);
        if matches!(fork(), Ok(None)) {
            remove_at_end(&life, &end_of_remover, held);
        }
        exit(0)
    };
    // `held` ends here. The locks belong to the open file descriptions, which the remover has.
    Ok(Some(StartingRemover { middle, was_subreaper, life: life_of_others, end }))
}

impl StartingRemover {
    /// Waits until the remover runs, which takes it as long as some steps of this process.
    pub(super) fn finish(self) -> Result<StubRemover, SandboxFailure> {
        let step = SandboxStep::Fork;
        let _ = retry_on_intr(|| waitpid(Some(self.middle), WaitOptions::empty()));
        set_child_subreaper(self.was_subreaper).at(step)?;
        let mut pid = [0; 4];
        match retry_on_intr(|| read(&self.end, &mut pid)) {
            Ok(4) => Ok(StubRemover { pid: i32::from_ne_bytes(pid), life: self.life, end: self.end }),
            _ => failed(step, libc::ECHILD),
        }
    }
}

impl StubRemover {
    /// Lets the remover remove the stubs, and waits for it. Called after the exit of the sandbox init.
    pub(super) fn finish(self) {
        drop(self.life);
        let _ = retry_on_intr(|| read(&self.end, &mut [0_u8; 1]));
    }
}

fn remove_at_end(life: &OwnedFd, end: &OwnedFd, held: HeldStubs) {
    let _ = setsid();
    set_signals([libc::SIGHUP, libc::SIGINT, libc::SIGTERM].into_iter(), libc::SIG_IGN);
    let _ = release_standard_streams();
    // An open copy of a pipe or socket would keep its readers from the end of file.
    let mut kept: Vec<i32> = held.descriptors().chain([life.as_raw_fd(), end.as_raw_fd()]).collect();
    keep_only(&mut kept);
    // The tag is the soft limit.
    let locks = getrlimit(Resource::Locks);
    let _ = setrlimit(Resource::Locks, Rlimit { current: locks.maximum, maximum: locks.maximum });
    let _ = write(end, &getpid().as_raw_nonzero().get().to_ne_bytes());
    while read(life, &mut [0_u8; 1]) == Err(Errno::INTR) {}
    held.release();
}
