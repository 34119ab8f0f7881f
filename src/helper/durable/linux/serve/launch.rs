//! The launch of a job's command: its streams, the limits of all its processes, and its reaper.

use std::fs::File;
use std::io;
use std::os::fd::{AsFd, OwnedFd};

use rustix::fs::Mode;
use rustix::process::umask;

use super::streams::JobStreams;
use super::{COMMAND, JobFiles};
use crate::helper::durable::plan::{DurablePlan, DurableSandbox, StartRefusal};
use crate::helper::durable::start::PRIVATE;
use crate::helper::signals::{CHILDREN_AND_ENDS, watch};
use crate::helper::supervisor::confined::SandboxForLeader;
use crate::helper::supervisor::protocol::enums::FailedStep;
use crate::helper::supervisor::reaper::{Reaper, ReaperParts};
use crate::helper::supervisor::start::CgroupForLeader;
use crate::helper::supervisor::supervised_command::{pipes, terminal};
use crate::process::cgroup::tree::LimitedTree;

/// A command whose reaper starts it, as the supervisor has it.
pub(super) struct LaunchedCommand {
    pub(super) reaper: Reaper,
    /// The descriptor at which the signals of the supervisor arrive.
    pub(super) signals: OwnedFd,
    pub(super) streams: JobStreams,
    pub(super) tree: Option<LimitedTree>,
}

/// Forks the reaper of a command. `kept` are the mounts of its sandbox, and `mask` is that of its files.
pub(super) fn launch(
    job: &JobFiles,
    plan: &mut DurablePlan,
    kept: &[OwnedFd],
    mask: Mode,
) -> Result<LaunchedCommand, StartRefusal> {
    let given = plan.input.take();
    let tree = limited_tree(plan).map_err(StartRefusal::Limits)?;
    let (ends, stdin, outputs) = match plan.command.terminal {
        Some(size) => terminal(size).map_err(|error| failed(FailedStep::Terminal, &error))?,
        None => pipes(&plan.command).map_err(|error| failed(FailedStep::Pipe, &error))?,
    };
    let is_optional = plan.tree.as_ref().is_some_and(|wanted| wanted.allows_weaker);
    let directory = tree.as_ref().and_then(LimitedTree::directory);
    let parts = ReaperParts {
        private: None,
        lock: Some(&job.lock),
        sandbox: plan.sandbox.as_ref().map(|DurableSandbox { plan, .. }| SandboxForLeader { plan, kept }),
        cgroup: directory.map(|directory| CgroupForLeader { directory, is_optional }),
    };
    // The reaper is forked before signals are blocked, and it blocks those that it reads itself.
    umask(mask);
    let reaper = Reaper::fork(COMMAND, &plan.command, &[], &ends, parts);
    umask(PRIVATE);
    let reaper = reaper.map_err(|error| failed(FailedStep::Fork, &error))?;
    let signals = watch(&CHILDREN_AND_ENDS).map_err(|error| failed(FailedStep::Fork, &error))?;
    let peer = plan.command.terminal.is_some().then_some(ends.stdin);
    Ok(LaunchedCommand { reaper, signals, streams: JobStreams::new(stdin, outputs, peer, given), tree })
}

/// Makes the limits of all processes together, if the plan has any.
fn limited_tree(plan: &DurablePlan) -> Result<Option<LimitedTree>, String> {
    let Some(wanted) = &plan.tree else { return Ok(None) };
    // The command reports a missing directory. Only limits of its device need the directory here.
    let directory = File::open(&plan.command.directory).or_else(|_| File::open("/"));
    let directory = directory.map_err(|error| error.to_string())?;
    LimitedTree::prepare(wanted, directory.as_fd(), false).map(Some)
}

fn failed(step: FailedStep, error: &io::Error) -> StartRefusal {
    StartRefusal::Command { step, errno: error.raw_os_error().unwrap_or(libc::EIO), path: Vec::new() }
}
