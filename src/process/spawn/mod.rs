//! Starts programs, at a cost that does not depend on the size of the host.
//!
//! A child gets a new session without a controlling terminal (unless it is given one), the default
//! disposition of every standard signal, an empty signal mask, its own limits, and only the descriptors meant
//! for it.
//!
//! [`Request`] is the input of [`spawn`]. [`candidates`] searches `PATH`, [`Limits`] are the child's, and
//! `script` passes on commands that are too long for an argument. `linux` and `macos` have the same function
//! [`spawn`].

mod limits;
#[cfg(target_os = "linux")]
mod linux;
#[cfg(target_os = "linux")]
use linux as platform;
#[cfg(target_os = "macos")]
mod macos;
#[cfg(target_os = "macos")]
use macos as platform;
mod request;
mod script;
mod search;

pub use limits::Limits;
pub use platform::spawn;
pub use request::{Attributes, FdMapping, Request, SpawnError, Spawned, StandardStreams, Step};
pub use script::{
    COMMAND_VARIABLE, COMMANDS_DESCRIPTOR, MAX_ARGUMENT, SCRIPT_DESCRIPTOR, VARIABLE_LOADER, is_posix_shell,
    script_file, script_loader, searches_processes,
};
pub use search::candidates;
