//! Turns a plan into a running process. Runs on a spawner thread, because each step may block.
//!
//! `pending` is a job before that, `await_launch` waits for it on the I/O thread. `unix` starts commands on
//! this machine, on a target, or as durable jobs; `windows` on this machine.

pub mod await_launch;
pub mod pending;
mod pipes;
#[cfg_attr(unix, path = "unix/mod.rs")]
#[cfg_attr(windows, path = "windows/mod.rs")]
mod platform;

pub use self::platform::*;
use crate::job::io::spill::{SpillFile, create_spill_file};
use crate::job::model::plan::Plan;
use crate::process::pipe::Stream;
use crate::process::pty::Peer;

/// The host's ends of a job's pipes or of its terminal.
#[derive(Debug)]
pub struct HostEnds {
    /// The writing end of standard input, if the input is open.
    pub stdin: Option<Stream>,
    /// The reading end of standard output.
    pub stdout: Stream,
    /// The reading end of standard error, unless both streams share one pipe.
    pub stderr: Option<Stream>,
    /// The program's end of its terminal, if it has one. While it is open, the output does not end.
    pub terminal: Option<Peer>,
}

/// Creates the spill file, if the plan asks for one.
pub fn create_spill(plan: &Plan) -> Option<SpillFile> {
    plan.output.spill.as_ref().map(create_spill_file)
}
