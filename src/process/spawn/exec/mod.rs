//! The helper's role `exec`: it does what `posix_spawn` can't do for a child, and then becomes the program.
//!
//! The host passes the [`Orders`] as arguments, because the environment is the program's. The helper writes
//! its greeting and a [`Failure`] to a pipe, which its execution of the program closes. `run` is the helper's
//! side.

mod orders;
mod run;

pub(super) use self::orders::{Failure, Orders};
pub use self::run::run;

/// The `argv[0]` that selects this role.
pub const EXEC: &str = "agent-bash-exec";

/// The descriptor at which the helper writes its report.
pub(super) const STATUS_DESCRIPTOR: i32 = 4;
