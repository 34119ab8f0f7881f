//! Starts programs, at a cost that does not depend on the size of the host.
//!
//! A child gets a new session without a controlling terminal (unless it is given one), the default
//! disposition of every standard signal, an empty signal mask, its own limits, and only the descriptors meant
//! for it.
//!
//! [`SpawnRequest`] is the input of [`spawn`], and [`spawn_with_retries`] tries again after temporary errors.
//! [`candidates`] searches `PATH` (`search`), and `attempts` decides after which error the next candidate is
//! tried. [`Limits`] are the child's (`prepared_limits`). [`spawn_line`] starts a shell with a command,
//! which `script` passes on if it is too long for an argument. `linux` and `darwin` have the same function
//! [`spawn`]. `fork` is for the helper program, whose roles fork.
//!
//! All of this is for Unix. On Windows, `process/windows/spawn/` starts programs.

pub(crate) mod attempts;
#[cfg(darwin)]
mod darwin;
#[cfg(darwin)]
use darwin as platform;
#[cfg(darwin)]
pub(crate) use darwin::orders;
#[cfg(target_os = "linux")]
pub mod fork;
mod line;
#[cfg(not(darwin))]
mod linux;
#[cfg(not(darwin))]
use linux as platform;
mod prepared_limits;
mod request;
mod retry;
mod script;
mod search;

pub use super::limits::Limits;
pub use line::{Carrier, spawn_line};
pub use platform::{CHILD_WRITES_LINE, spawn};
pub use request::{Attributes, FdMapping, SpawnError, SpawnRequest, Spawned, StandardStreams, Step};
pub use retry::spawn_with_retries;
pub use script::{
    COMMAND_VARIABLE, MAX_ARGUMENT, SCRIPT_DESCRIPTOR, VARIABLE_LOADER, is_posix_shell, script_file,
    script_loader, searches_processes,
};
pub use search::candidates;
