//! The processes of a sandbox.

use crate::engine::scan::SandboxRoots;

/// The pids of a sandbox's command, and of its own processes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SandboxPids {
    /// The command, if the leader is the sandbox's monitor.
    pub command: Option<i32>,
    /// The sandbox init, which exits with the last process of the sandbox.
    pub init: Option<i32>,
    /// Whether the kernel kills all processes of the sandbox with the init.
    pub is_namespace: bool,
    /// The process that removes stubs when the sandbox has ended. No signal may reach it.
    pub remover: Option<i32>,
}

impl SandboxPids {
    /// Returns the processes by which the scanner finds the others.
    #[must_use]
    pub fn roots(self) -> Option<SandboxRoots> {
        Some(SandboxRoots { command: self.command?, init: self.init? })
    }
}
