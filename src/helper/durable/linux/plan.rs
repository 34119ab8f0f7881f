//! The plan of a durable job: a command and its limits. Both sides are of the same build.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::helper::durable::record::facts::JobFacts;
use crate::helper::supervisor::protocol::enums::FailedStep;
use crate::helper::supervisor::protocol::plan::RemotePlan;
use crate::process::cgroup::limits::TreeLimits;
use crate::sandbox::plan::SandboxPlan;
use crate::sandbox::plan::watch::Watch;
use crate::sandbox::protocol::launch::KeptDescriptors;
use crate::sandbox::protocol::report::SandboxFailure;
use crate::wire::{self, Malformed, raw};

/// The largest plan (bytes): the largest command, the largest input, and the rest.
pub const MAX_PLAN: usize = 40 * 1024 * 1024;

/// The largest input that is a part of the plan (bytes). A larger one is written by its host.
pub const MAX_INPUT: usize = 16 * 1024 * 1024;

/// The most descriptors that come with a start: those of a sandbox.
pub const MAX_DESCRIPTORS: usize = 8;

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
    pub sandbox: Option<DurableSandbox>,
    /// The limits of all processes together.
    pub tree: Option<TreeLimits>,
}

/// The sandbox of a durable job. The lock of its directories comes with the start, and then the descriptors
/// of the mounts that it uses ([`KeptDescriptors`](crate::sandbox::protocol::launch::KeptDescriptors)).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DurableSandbox {
    pub plan: SandboxPlan,
    /// The paths that are checked again after the end.
    pub watch: Watch,
    /// The directories for `/tmp` and the home, which the host may share with other commands.
    #[serde(with = "raw")]
    pub directory: PathBuf,
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
    /// The limits of all processes together can't be applied.
    Limits(String),
    /// The sandbox could not be built.
    Sandbox(SandboxFailure),
    /// A running job has the name.
    Taken,
    /// Too many jobs run in the directory.
    Limit,
    /// The files could not be made.
    Files(i32),
}

impl DurablePlan {
    /// Returns whether so many descriptors belong to the plan: the lock of the sandbox's directories, and
    /// those of its mounts.
    #[must_use]
    pub fn fits(&self, descriptors: usize) -> bool {
        let Some(sandbox) = &self.sandbox else { return descriptors == 0 };
        let mut left = 1..descriptors;
        KeptDescriptors::take(&sandbox.plan, &mut left).is_some() && left.is_empty() && descriptors > 0
    }

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
