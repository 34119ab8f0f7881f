//! The key of a warm shell, which decides whether a command may run in it.

use std::path::Path;

use super::flavor::WarmFlavor;
use super::sandbox_key::SandboxKey;
use crate::job::launch::Launched;
use crate::job::model::invocation::Invocation;
use crate::job::model::plan::{Input, Output, Plan, Surroundings};
use crate::job::sandbox::sandbox_plan;
use crate::process::fd::kernel_file::read_once;
use crate::process::registry::Owner;
use crate::text::Keeping;

/// Everything that a shell can see of its start. A command runs in a warm shell only if both have the same
/// key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WarmKey {
    owner: Owner,
    surroundings: Surroundings,
    is_merged: bool,
    is_tagged: bool,
    host: HostState,
    /// The sandbox; `None` for none, and until [`WarmKey::with_sandbox`].
    sandbox: Option<SandboxKey>,
}

/// State of the host that a child inherits, and that the host can change.
#[derive(Clone, Debug, PartialEq, Eq)]
struct HostState {
    users: (u32, u32),
    groups: (u32, u32, Vec<u32>),
    /// The line of the umask in the host's status; `None` where it can't be read.
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

/// Returns the line of the umask in `/proc/self/status`. `umask(2)` can't read the mask without changing it,
/// and other threads may be creating files.
fn umask() -> Option<String> {
    /// The size of the first two lines, the second one being the mask. A program's name has at most 15 bytes,
    /// and is four times as long where all of them are escaped (bytes).
    const BEGINNING: usize = 128;
    let mut buffer = [0; BEGINNING];
    let status = String::from_utf8_lossy(read_once(Path::new("/proc/self/status"), &mut buffer)?);
    status.lines().find(|line| line.starts_with("Umask:")).map(str::to_owned)
}

impl WarmKey {
    /// Returns the key of a plan, or `None` when no shell can wait for such a command.
    ///
    /// The plan is taken apart completely, so that a new field is either part of the key or named here as one
    /// that a shell can't see.
    #[must_use]
    pub fn of(plan: &Plan, owner: &Owner) -> Option<Self> {
        let Plan {
            invocation,
            surroundings,
            input,
            output,
            terminal,
            is_tagged,
            outlives_host,
            // Only the engine uses these.
            times: _,
            ending: _,
            drain: _,
            leftovers: _,
            // `on_waiting` applies only to an open input, and the input of a warm shell is not open.
            on_waiting: _,
            is_warm: _,
        } = plan;
        // Of the output options, the shell sees only the pipes that it gets.
        let Output { is_merged, keeping: _, form: _, ring: _, spill: _, view: _ } = output;
        WarmFlavor::of(&surroundings.shell)?;
        let is_line = matches!(invocation, Invocation::Line(_));
        // No warm shell waits on a target or in an overlay, whose layer it would keep in use.
        let is_line = is_line && surroundings.target.is_none() && surroundings.overlay.is_none();
        if !is_line || *input != Input::Empty || *outlives_host || terminal.is_some() {
            return None;
        }
        Some(Self {
            owner: owner.clone(),
            surroundings: surroundings.clone(),
            is_merged: *is_merged,
            is_tagged: *is_tagged,
            host: HostState::now(),
            sandbox: None,
        })
    }

    /// Adds the sandbox that a command of now would have, on a spawner thread: this reads the file system.
    /// Returns `None` when no shell can wait in it.
    #[must_use]
    pub fn with_sandbox(self) -> Option<Self> {
        match sandbox_plan(&self.surroundings, &self.owner).ok()? {
            None => Some(self),
            Some(plan) => Some(Self { sandbox: Some(SandboxKey::of(&plan)?), ..self }),
        }
    }

    /// Returns whether a sandbox belongs to the key.
    #[must_use]
    pub const fn has_sandbox(&self) -> bool {
        self.surroundings.sandbox.is_some()
    }

    /// Returns whether a launched shell waits in the sandbox of the key.
    #[must_use]
    pub fn is_of(&self, launched: &Launched) -> bool {
        let sandbox = launched.sandbox.as_ref().and_then(|sandbox| SandboxKey::of(sandbox.plan()));
        self.sandbox == sandbox
    }

    /// Returns whether a shell that is started now would have this key: the host may have changed its user or
    /// umask.
    #[must_use]
    pub fn is_of_now(&self) -> bool {
        self.host == HostState::now()
    }

    /// Returns the owner of the commands.
    #[must_use]
    pub const fn owner(&self) -> &Owner {
        &self.owner
    }

    /// Returns the plan of a shell that waits.
    #[must_use]
    pub fn plan(&self) -> Plan {
        Plan {
            output: Output { is_merged: self.is_merged, ..Output::keeping(Keeping::Prefix { limit: 0 }) },
            is_tagged: self.is_tagged,
            ..Plan::new(Invocation::Line(String::new()), self.surroundings.clone())
        }
    }
}
