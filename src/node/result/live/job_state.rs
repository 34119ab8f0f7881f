//! The state of a running job, as JavaScript sees it.

use napi_derive::napi;

use crate::job::state::{CommandState, ListedProcess};
use crate::node::result::sandbox::RefusalResult;

/// The state of a running job.
#[derive(Debug)]
#[napi(object, object_from_js = false)]
pub struct JobState {
    /// The processes, each after its parent.
    pub processes: Vec<ProcessState>,
    /// The refusals of the sandbox so far.
    pub refused: Vec<RefusalResult>,
}

/// A process of a job.
#[derive(Debug)]
#[napi(object, object_from_js = false)]
pub struct ProcessState {
    pub pid: i32,
    pub parent: i32,
    pub program: String,
}

impl From<CommandState> for JobState {
    fn from(state: CommandState) -> Self {
        let process = |ListedProcess { pid, parent, program }| ProcessState { pid, parent, program };
        Self {
            processes: state.processes.into_iter().map(process).collect(),
            refused: state.refused.iter().map(RefusalResult::from).collect(),
        }
    }
}
