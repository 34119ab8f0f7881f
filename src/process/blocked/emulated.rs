//! The facts about waiting processes that macOS reports, read from Linux's `/proc`.

use rustix::process::Pid;

pub use super::linux::{is_input, listens_on_any, name_of};
pub use super::pipe::{inode_of_descriptor, waits_for_pipe};
use super::{Sleeper, linux};

/// Returns the process without its waits, which macOS hides.
#[must_use]
pub fn inspect(pid: Pid) -> Option<Sleeper> {
    linux::inspect(pid).map(|sleeper| Sleeper { terminal: 0, waits: None, ..sleeper })
}
