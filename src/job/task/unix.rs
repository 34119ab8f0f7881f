//! Connects a launched command of Unix to the loop of its job.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

use super::{LoopStart, WhileLaunched, run};
use crate::engine::Engine;
#[cfg(target_os = "linux")]
use crate::job::launch::DurableLaunch;
use crate::job::launch::pending::Job;
use crate::job::launch::{Launched, LaunchedCommand, RemoteLaunch};
#[cfg(target_os = "linux")]
use crate::job::processes::durable::DurableProcesses;
use crate::job::processes::local::{LocalLaunch, LocalProcesses};
use crate::job::processes::remote::RemoteProcesses;
use crate::job::sandbox::RunningSandbox;

/// Runs the task of a job whose command was launched.
pub(super) async fn run_launched(
    engine: &'static Engine,
    mut job: Job,
    launched: LaunchedCommand,
    so_far: WhileLaunched,
) {
    let WhileLaunched { is_in_background, requests } = so_far;
    match launched {
        LaunchedCommand::Local(launched) => {
            job.shared.pid.store(launched.command(), Ordering::Release);
            let Launched { tracked, leader, pidfd, ends, spill, directory, sandbox, tree, prompts } =
                *launched;
            let leader_pid = leader.identity().pid;
            // If the socket can't be watched, programs find nobody who answers.
            let prompts = prompts.and_then(|socket| socket.serve(engine, leader_pid).ok());
            let tree = tree.map(Arc::new);
            if let Some(tree) = &tree {
                let _ = job.shared.tree.set(Arc::downgrade(tree));
            }
            let sandbox = sandbox.map(Arc::<RunningSandbox>::from);
            if let Some(sandbox) = &sandbox {
                let _ = job.shared.sandbox.set(Arc::clone(sandbox));
            }
            let report = job.plan.report();
            let launch = LocalLaunch { leader, pidfd, tracked, directory, sandbox, tree, report };
            match LocalProcesses::new(engine, launch) {
                Ok(processes) => {
                    let start = LoopStart { ends, spill, prompts, is_in_background, requests };
                    run(job, processes, start).await;
                }
                Err(error) => job.not_connected(&error),
            }
        }
        #[cfg(target_os = "linux")]
        LaunchedCommand::Durable(launched) => {
            let DurableLaunch { mut command, ends, spill } = *launched;
            command.take();
            job.shared.pid.store(command.pid(), Ordering::Release);
            let _ = job.shared.durable.set(Arc::new(command.info().clone()));
            job.started_at = Instant::now();
            let processes = DurableProcesses::new(engine, command, job.plan.ending);
            let start = LoopStart { ends, spill, prompts: None, is_in_background, requests };
            run(job, processes, start).await;
        }
        LaunchedCommand::Remote(launched) => {
            let RemoteLaunch { command, ends, spill } = *launched;
            job.shared.pid.store(command.pid(), Ordering::Release);
            // The time that connecting took does not count.
            job.started_at = Instant::now();
            let processes = RemoteProcesses { engine, command };
            let start = LoopStart { ends, spill, prompts: None, is_in_background, requests };
            run(job, processes, start).await;
        }
    }
}
