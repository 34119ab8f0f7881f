//! Starts a command in a sandbox: makes the plan, and starts the helper in place of the program.
//!
//! `planned` makes the plan and starts the helper; `running` is the sandbox from then on. `supervised` makes
//! that of a durable job, which its supervisor starts. `machine` probes this machine, and `private` has the
//! private directories of each owner.

#[cfg(not(darwin))]
mod machine;
#[cfg(darwin)]
mod none;
mod pids;
#[cfg(not(darwin))]
mod planned;
#[cfg(not(darwin))]
mod private;
#[cfg(not(darwin))]
mod running;
#[cfg(not(darwin))]
mod supervised;

#[cfg(not(darwin))]
pub use self::machine::sandbox_levels;
#[cfg(darwin)]
pub(in crate::job) use self::none::{CommandInside, PlannedSandbox, forget_sandboxes};
#[cfg(darwin)]
pub use self::none::{RunningSandbox, sandbox_levels};
#[cfg(all(darwin, target_os = "linux"))]
pub(in crate::job) use self::none::{not_built_there, plan_for_supervisor};
pub use self::pids::SandboxPids;
#[cfg(not(darwin))]
pub(in crate::job) use self::planned::{CommandInside, PlannedSandbox};
#[cfg(not(darwin))]
pub(in crate::job) use self::private::forget_sandboxes;
#[cfg(not(darwin))]
pub use self::running::RunningSandbox;
#[cfg(not(darwin))]
pub(in crate::job) use self::supervised::{not_built_there, plan_for_supervisor};
