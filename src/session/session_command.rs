//! A command of a session, queued or running.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::status::SessionFacts;
use crate::job::EndOnce;
use crate::job::JobRequest;
use crate::job::Outcome;
use crate::job::SharedJob;
use crate::job::model::invocation::Invocation;
use crate::job::model::plan::{self, Plan};

/// A queued command. A dropped command reports an internal error as its end.
#[derive(Debug)]
pub(super) struct SessionCommand {
    pub(super) record: CommandRecord,
    pub(super) plan: Arc<Plan>,
    /// The whole input, if it is known from the beginning.
    pub(super) bytes: Option<Vec<u8>>,
    pub(super) asks_pipe_status: bool,
    pub(super) end: EndOnce,
    /// The requests for inspections that arrived while the command was queued.
    pub(super) early_requests: Vec<JobRequest>,
}

impl SessionCommand {
    /// Moves the input bytes out of a plan, whose input is empty from then on.
    pub(super) fn take_bytes(plan: &mut Plan) -> Option<Vec<u8>> {
        match &mut plan.input {
            plan::Input::Bytes(bytes) => {
                let bytes = std::mem::take(bytes);
                plan.input = plan::Input::Empty;
                Some(bytes)
            }
            plan::Input::Empty | plan::Input::Open => None,
        }
    }

    pub(super) fn text(&self) -> &str {
        match &self.plan.invocation {
            Invocation::Line(line) => line,
            Invocation::Program { .. } => "",
        }
    }

    /// Ends a command that was not begun.
    pub(super) fn settle(self, outcome: Outcome) {
        self.record.settle(self.end, outcome);
    }
}

/// The place of a command in its session, from the call to the end.
#[derive(Debug)]
pub(super) struct CommandRecord {
    pub(super) number: u64,
    /// The state that the command shares with its handles.
    pub(super) shared: Arc<SharedJob>,
    /// Whether requests still reach the command.
    pub(super) is_live: Arc<AtomicBool>,
    pub(super) session: Arc<SessionFacts>,
    pub(super) is_running: bool,
}

impl CommandRecord {
    /// Records that the shell runs the command.
    pub(super) fn begin(&mut self, pid: Option<i32>) {
        if let Some(pid) = pid {
            self.shared.pid.store(pid, Ordering::Release);
        }
        self.is_running = true;
        self.session.begin_command();
    }

    /// Ends the command with an outcome.
    pub(super) fn settle(self, mut end: EndOnce, outcome: Outcome) {
        self.shared.input.close(end.observer());
        self.is_live.store(false, Ordering::Release);
        // The end is counted before the answer, because the receiver of the answer may read the session's
        // state.
        self.session.end_command(self.is_running);
        end.end(outcome);
    }
}
