//! Connects a launched command of Windows to the loop of its job.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::{LoopStart, WhileLaunched, run};
use crate::engine::Engine;
use crate::job::launch::pending::Job;
use crate::job::launch::{Launched, LaunchedCommand};
use crate::job::processes::LocalProcesses;

/// Runs the task of a job whose command was launched.
pub(super) async fn run_launched(
    _engine: &'static Engine,
    job: Job,
    launched: LaunchedCommand,
    so_far: WhileLaunched,
) {
    let WhileLaunched { is_in_background, requests } = so_far;
    let Launched { leader, ends, spill, directory, tree, script } = *launched.0;
    let processes = LocalProcesses {
        report: job.plan.report(),
        tree: tree.map(Arc::new),
        leader,
        directory,
        _script: script,
    };
    job.shared.pid.store(processes.leader.child().pid().cast_signed(), Ordering::Release);
    if let Some(tree) = &processes.tree {
        let _ = job.shared.tree.set(Arc::downgrade(tree));
    }
    let start = LoopStart { ends, spill, prompts: None, is_in_background, requests };
    run(job, processes, start).await;
}
