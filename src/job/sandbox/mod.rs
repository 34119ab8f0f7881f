//! Starts a command in a sandbox: makes the plan, and starts the helper in place of the program.
//!
//! `planned` makes the plan and starts the helper; `running` is the sandbox from then on. `supervised` makes
//! that of a durable job, which its supervisor starts. `machine` probes this machine, and `private` has the
//! private directories of each owner.

#[cfg(unix)]
mod pids;
#[cfg_attr(all(unix, not(darwin)), path = "linux/mod.rs")]
#[cfg_attr(darwin, path = "darwin.rs")]
#[cfg_attr(windows, path = "none.rs")]
mod platform;

#[cfg(unix)]
pub use self::pids::SandboxPids;
pub use self::platform::*;
