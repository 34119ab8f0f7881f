//! The task's answers to the callers that wait for the job: its outcome so far when it moves to the
//! background, and its outcome at the end.

use tracing::debug;

use super::JobLoop;
use crate::job::io::discard::discard_output;
use crate::job::model::outcome::{Captured, End, Outcome};
use crate::job::processes::command_processes::CommandProcesses;
use crate::text::view::ViewBuilder;

impl<P: CommandProcesses> JobLoop<P> {
    pub(super) async fn move_to_background(&mut self) {
        self.left = self.in_background().await;
        self.answer(End::NotYet).await;
    }

    /// Reports the outcome so far of a job that goes on.
    pub(super) async fn answer(&mut self, end: End) {
        self.execution.clock.move_to_background(self.execution.plan.times.in_background);
        let streams = &self.execution.streams;
        if let Some(spill) = &streams.spill {
            spill.flush_soon().await;
        }
        let outcome = self.outcome(end, streams.captured(), streams.view.clone());
        self.execution.end.observer().moved_to_background(outcome);
    }

    /// Returns the pids of the processes that the command does not wait for.
    async fn in_background(&mut self) -> Vec<i32> {
        if self.execution.life.leader_exited() {
            self.processes.left(self.execution.streams.pipes()).await
        } else {
            self.processes.in_background().await
        }
    }

    /// Ends a job that ran. Every way out of the loop leads here.
    pub(super) async fn settle(mut self: Box<Self>) {
        self.inbox.close();
        // The socket is gone before anybody hears of the end.
        self.prompts = None;
        self.execution.refuse_prompts();
        let held = self.execution.streams.finish(self.execution.end.observer()).await;
        if self.execution.life.is_stopping() {
            self.left = self.processes.survivors().await;
        } else {
            for pipe in held.into_iter().flatten() {
                tokio::spawn(discard_output(pipe));
            }
        }
        let end = self.processes.end().unwrap_or(End::Never);
        if end == End::Never {
            self.left.push(self.pid());
        }
        let after = self.execution.started_at.elapsed();
        debug!(pid = self.pid(), ?end, left = ?self.left, ?after, "job over");
        self.processes.record_changes().await;
        let captured = self.execution.streams.take_captured();
        let view = self.execution.streams.view.take();
        let outcome = self.outcome(end, captured, view);
        if self.execution.life.is_stopping() && !self.execution.life.has_no_survivors() {
            self.execution.end.end(outcome);
            // The last sweep delays no caller. Until the leader is reaped, its pid names its session.
            self.processes.sweep().await;
            self.processes.finish();
        } else {
            self.processes.finish();
            self.execution.end.end(outcome);
        }
    }

    /// Returns the outcome as it is now. Must be called before the leader is reaped, which forgets its usage.
    fn outcome(&mut self, end: End, captured: [Captured; 2], view: Option<ViewBuilder>) -> Outcome {
        let mut outcome = Outcome {
            pid: Some(self.pid()),
            background_pids: self.left.clone(),
            ..self.execution.outcome(end, captured, view)
        };
        self.processes.describe(&mut outcome);
        outcome
    }
}
