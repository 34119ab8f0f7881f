//! The task's answers to the callers that wait for the job: its outcome so far when it moves to the background, and its outcome
//! at the end.

use tracing::debug;

use super::Running;
use crate::job::io::discard::discard_output;
use crate::job::io::spill::SpillFile;
use crate::job::model::outcome::{Captured, End, Outcome};
use crate::job::model::plan::Report;
use crate::job::processes::pids_of;
use crate::text::view::ViewBuilder;

impl Running {
    pub(super) async fn move_to_background(&mut self) {
        self.left = self.in_background().await;
        self.answer(End::NotYet).await;
    }

    /// Reports the outcome so far of a job that goes on.
    pub(super) async fn answer(&mut self, end: End) {
        self.clock.move_to_background(self.plan.times.in_background);
        if let Some(spill) = &self.streams.spill {
            spill.flush_soon().await;
        }
        let outcome = self.outcome(end, self.streams.captured(), self.streams.view.clone());
        self.end.observer().moved_to_background(outcome);
    }

    /// Returns the pids of the processes that the command does not wait for.
    async fn in_background(&mut self) -> Vec<i32> {
        pids_of(&if self.life.leader_exited() {
            self.processes.left(self.streams.pipes()).await
        } else {
            self.processes.in_background().await
        })
    }

    /// Ends a job that ran. Every way out of the loop leads here.
    pub(super) async fn settle(mut self: Box<Self>) {
        self.inbox.close();
        let held = self.streams.finish(self.end.observer()).await;
        if self.life.is_stopping() {
            self.left = self.processes.survivors().await;
        } else {
            for pipe in held {
                tokio::spawn(discard_output(pipe));
            }
        }
        let end = self.processes.leader().exit().map_or(End::Never, End::Exit);
        if end == End::Never {
            self.left.push(self.pid());
        }
        debug!(pid = self.pid(), ?end, left = ?self.left, after = ?self.started_at.elapsed(), "job over");
        let captured = self.streams.take_captured();
        let view = self.streams.view.take();
        let outcome = self.outcome(end, captured, view);
        if self.life.is_stopping() && !self.life.has_no_survivors() {
            self.end.end(outcome);
            // The last sweep delays no caller. Until the leader is reaped, its pid names its session.
            self.processes.sweep().await;
            self.processes.finish();
        } else {
            self.processes.finish();
            self.end.end(outcome);
        }
    }

    /// Returns the outcome as it is now. Must be called before the leader is reaped, which forgets its usage.
    fn outcome(&self, end: End, [stdout, stderr]: [Captured; 2], view: Option<ViewBuilder>) -> Outcome {
        Outcome {
            usage: (self.plan.report() == Report::Full && matches!(end, End::Exit(_)))
                .then(|| self.processes.leader().usage())
                .flatten(),
            end,
            cause: self.life.cause(),
            pid: Some(self.pid()),
            background_pids: self.left.clone(),
            directory: self.directory.clone(),
            stdout,
            stderr,
            output_error: self.streams.error(),
            cursor: self.streams.cursor(),
            spilled: self.streams.spill.as_ref().and_then(SpillFile::spilled),
            in_session: None,
            view: view.map(ViewBuilder::finished),
            duration: self.started_at.elapsed(),
        }
    }
}
