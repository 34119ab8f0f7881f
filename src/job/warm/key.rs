//! Which shells fit a command.

use std::path::Path;

use super::flavor::Flavor;
use crate::job::model::invocation::Invocation;
use crate::job::model::plan::{Directory, Environment, Input, Limits, Output, Plan};
use crate::process::fd::kernel_file::read_once;
use crate::process::registry::Owner;
use crate::text::Keeping;

/// What a shell can see of its start. A command runs in a warm shell only if all of it is the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Key {
    owner: Owner,
    invocation: Invocation,
    environment: Environment,
    directory: Directory,
    limits: Limits,
    is_merged: bool,
    is_tagged: bool,
    host: HostState,
}

/// What a process of the host begins with, and the host can change.
#[derive(Clone, Debug, PartialEq, Eq)]
struct HostState {
    users: (u32, u32),
    groups: (u32, u32, Vec<u32>),
    /// Its line in the host's status; `None` where that can't be read.
    umask: Option<String>,
}

impl HostState {
    fn now() -> Self {
        let groups = rustix::process::getgroups().unwrap_or_default();
        Self {
            users: (rustix::process::getuid().as_raw(), rustix::process::geteuid().as_raw()),
            groups: (
                rustix::process::getgid().as_raw(),
                rustix::process::getegid().as_raw(),
                groups.into_iter().map(rustix::fs::Gid::as_raw).collect(),
            ),
            umask: umask(),
        }
    }
}

/// To ask the kernel for it is to change it, and other threads may be making files.
fn umask() -> Option<String> {
    /// The file's first lines, its second one being the mask. A name has at most 15 bytes, four times as long where all of
    /// them are escaped (bytes).
    const BEGINNING: usize = 128;
    let mut buffer = [0; BEGINNING];
    let status = String::from_utf8_lossy(read_once(Path::new("/proc/self/status"), &mut buffer)?);
    status.lines().find(|line| line.starts_with("Umask:")).map(str::to_owned)
}

impl Key {
    /// Of a plan that a shell could wait for.
    #[must_use]
    pub fn of(plan: &Plan, owner: &Owner) -> Option<Self> {
        Flavor::of(&plan.invocation)?;
        if plan.input != Input::Empty || plan.outlives_host {
            return None;
        }
        let mut invocation = plan.invocation.clone();
        if let Invocation::Shell { command, .. } = &mut invocation {
            command.clear();
        }
        Some(Self {
            owner: owner.clone(),
            invocation,
            environment: plan.environment.clone(),
            directory: plan.directory.clone(),
            limits: plan.limits,
            is_merged: plan.output.is_merged,
            is_tagged: plan.is_tagged,
            host: HostState::now(),
        })
    }

    /// Whether a process that is started now would fit: the host may have another user or file mask since.
    #[must_use]
    pub fn is_of_now(&self) -> bool {
        self.host == HostState::now()
    }

    /// Who it is for.
    #[must_use]
    pub const fn owner(&self) -> &Owner {
        &self.owner
    }

    /// The plan of a shell that waits.
    #[must_use]
    pub fn plan(&self) -> Plan {
        Plan {
            environment: self.environment.clone(),
            directory: self.directory.clone(),
            limits: self.limits,
            output: Output { is_merged: self.is_merged, ..Output::keeping(Keeping::Prefix { limit: 0 }) },
            is_tagged: self.is_tagged,
            ..Plan::new(self.invocation.clone())
        }
    }
}
