//! Starts programs, at a cost that does not depend on the size of the host.
//!
//! A child gets a new session without a controlling terminal (unless it is given one), the default
//! disposition of every standard signal, an empty signal mask, its own limits, and only the descriptors meant
//! for it.
//!
//! [`SpawnRequest`] is the input of [`spawn`], and [`spawn_with_retries`] tries again after temporary errors.
//! [`candidates`] searches `PATH`, [`Limits`] are the child's. [`spawn_line`] starts a shell with a command,
//! which `script` passes on if it is too long for an argument. `linux` and `darwin` have the same function
//! [`spawn`]. `fork` is for the helper program, whose roles fork.
//!
//! The modules are for Unix, except [`Limits`]. On Windows, `process/windows/spawn/` starts programs.

#[cfg(unix)]
pub(crate) mod attempts;
#[cfg(darwin)]
mod darwin;
#[cfg(darwin)]
use darwin as platform;
#[cfg(darwin)]
pub(crate) use darwin::orders;
#[cfg(target_os = "linux")]
pub mod fork;
mod limits;
#[cfg(unix)]
mod line;
#[cfg(all(unix, not(darwin)))]
mod linux;
#[cfg(all(unix, not(darwin)))]
use linux as platform;
#[cfg(unix)]
mod prepared_limits;
#[cfg(unix)]
mod request;
#[cfg(unix)]
mod retry;
#[cfg(unix)]
mod script;
#[cfg(unix)]
mod search;

pub use limits::Limits;
#[cfg(unix)]
pub use line::{Carrier, spawn_line};
#[cfg(unix)]
pub use platform::spawn;
#[cfg(unix)]
pub use request::{Attributes, FdMapping, SpawnError, SpawnRequest, Spawned, StandardStreams, Step};
#[cfg(unix)]
pub use retry::spawn_with_retries;
#[cfg(unix)]
pub use script::{
    COMMAND_VARIABLE, MAX_ARGUMENT, SCRIPT_DESCRIPTOR, VARIABLE_LOADER, is_posix_shell, script_file,
    script_loader, searches_processes,
};
#[cfg(unix)]
pub use search::candidates;
