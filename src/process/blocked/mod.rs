//! Reads the system calls that the threads of a process sleep in, and the descriptors that they wait for.
//!
//! `linux` reads `/proc`, `calls` parses its files, and `pipe` checks one thread and one pipe. Other systems
//! do not show system calls: every process there counts as hidden.

#[cfg(target_os = "linux")]
mod calls;
#[cfg(target_os = "linux")]
mod linux;
#[cfg(not(target_os = "linux"))]
mod other;
#[cfg(target_os = "linux")]
mod pipe;
mod sleeper;

#[cfg(target_os = "linux")]
pub use linux::{inspect, is_input, listens_on_any, name_of};
#[cfg(not(target_os = "linux"))]
pub use other::{
    inode_of_descriptor, inspect, is_input, listens_on_any, name_of, waits_for_open, waits_for_pipe,
};
#[cfg(target_os = "linux")]
pub use pipe::{inode_of_descriptor, waits_for_open, waits_for_pipe};
pub use sleeper::{Call, InputFile, Sleeper, Wait};

/// Whether this system shows what threads sleep in.
pub const IS_SHOWN: bool = cfg!(target_os = "linux");
