//! The live jobs of this process: who owns them, and the table that the guardian shares.
//!
//! * `owner` is whose end ends a job.
//! * `table` is the table of the guardian (Unix). On Windows the kernel ends the jobs of a host, so the
//!   engine has a table in memory alone.

mod owner;
#[cfg(unix)]
mod table;

pub use owner::Owner;
#[cfg(unix)]
pub(crate) use table::{CGROUPS, LEADER, STARTING};
#[cfg(unix)]
pub use table::{GuardianSocket, LINE_LENGTH, LeaderRecord, Pipes, Registered, Registration, Registry};
