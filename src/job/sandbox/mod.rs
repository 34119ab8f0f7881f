//! Starts a command in a sandbox: makes the plan, and starts the helper in place of the program.
//!
//! `planned` makes the plan and starts the helper; `running` is the sandbox from then on. `supervised` makes
//! that of a durable job, which its supervisor starts. `machine` probes this machine, and `private` has the
//! private directories of each owner.

#[cfg(feature = "emulate-darwin")]
mod emulated;
#[cfg(all(unix, not(darwin)))]
mod machine;
#[cfg(any(darwin, windows))]
mod none;
#[cfg(darwin)]
mod none_planned;
#[cfg(unix)]
mod pids;
#[cfg(all(unix, not(darwin)))]
mod planned;
#[cfg(all(unix, not(darwin)))]
mod private;
#[cfg(all(unix, not(darwin)))]
mod running;
#[cfg(all(unix, not(darwin)))]
mod supervised;

#[cfg(feature = "emulate-darwin")]
pub(in crate::job) use self::emulated::{not_built_there, plan_for_supervisor};
#[cfg(all(unix, not(darwin)))]
pub use self::machine::sandbox_levels;
#[cfg(any(darwin, windows))]
pub(in crate::job) use self::none::forget_sandboxes;
#[cfg(any(darwin, windows))]
pub use self::none::{RunningSandbox, sandbox_levels};
#[cfg(darwin)]
pub(in crate::job) use self::none_planned::{CommandInside, PlannedSandbox};
#[cfg(unix)]
pub use self::pids::SandboxPids;
#[cfg(all(unix, not(darwin)))]
pub(in crate::job) use self::planned::{CommandInside, PlannedSandbox};
#[cfg(all(unix, not(darwin)))]
pub(in crate::job) use self::private::forget_sandboxes;
#[cfg(all(unix, not(darwin)))]
pub use self::running::RunningSandbox;
#[cfg(all(unix, not(darwin)))]
pub(in crate::job) use self::supervised::{not_built_there, plan_for_supervisor};
