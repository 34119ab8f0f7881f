//! The plan of a durable job: a command and its limits. Both sides are of the same build.

use serde::{Deserialize, Serialize};

use super::record::facts::JobFacts;
use crate::helper::supervisor::protocol::enums::FailedStep;
use crate::helper::supervisor::protocol::plan::RemotePlan;
use crate::wire::{self, Malformed, raw};

/// The largest plan (bytes): the largest command, the largest input, and the rest.
pub const MAX_PLAN: usize = 40 * 1024 * 1024;

/// The largest input that is a part of the plan (bytes). A larger one is written by its host.
pub const MAX_INPUT: usize = 16 * 1024 * 1024;

/// A durable job. Times are milliseconds.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DurablePlan {
    pub command: RemotePlan,
    pub facts: JobFacts,
    /// The whole input, if it was given.
    #[serde(with = "raw")]
    pub input: Option<Vec<u8>>,
    /// The size of the log on disk (bytes).
    pub max_log: u64,
    pub timeout: Option<u64>,
    /// The longest silence.
    pub idle: Option<u64>,
    /// The signal at a time limit, and the time to SIGKILL; `None` for no SIGKILL.
    pub signal: i32,
    pub grace: Option<u64>,
    /// The time between two checks of the job's directory.
    pub check: u64,
}

/// The reasons why a job has not started. Nothing has run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum StartRefusal {
    /// The command could not be started.
    Command {
        step: FailedStep,
        errno: i32,
        #[serde(with = "raw")]
        path: Vec<u8>,
    },
    /// A running job has the name.
    Taken,
    /// Too many jobs run in the directory.
    Limit,
    /// The files could not be made.
    Files(i32),
}

impl DurablePlan {
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        wire::encode(self)
    }

    /// Reads a plan.
    ///
    /// # Errors
    ///
    /// When the bytes are none.
    pub fn decode(bytes: &[u8]) -> Result<Self, Malformed> {
        let plan: Self = wire::decode(bytes)?;
        // The same checks as on a target: there is a program, and no text has a NUL.
        RemotePlan::decode(&plan.command.encode())?;
        Ok(plan)
    }
}
