//! Windows: what commands need of the system, in the place of the Unix modules of `src/process/`.
//!
//! First come the parts that decide on plain data, which the tests run on every system:
//!
//! * [`quote`] makes a command line of arguments, [`environment`] the block of variables.
//! * [`search`] finds programs by `PATH` and `PATHEXT`, [`shell`] the shell of commands.
//! * [`status`] names the exit codes that the system gives.
//!
//! The others talk to the kernel:
//!
//! * [`job_object`] holds all processes of a command: it kills them together, at the latest when the host
//!   ends, and reports when none is left.
//! * [`spawn`] starts a program in its job, with its own handles only, and [`child`] waits for its exit.
//! * [`pipe`] carries a command's output and input.

#[cfg(windows)]
pub mod child;
pub mod environment;
#[cfg(windows)]
pub mod job_object;
#[cfg(windows)]
pub mod pipe;
pub mod quote;
pub mod search;
pub mod shell;
#[cfg(windows)]
pub mod spawn;
pub mod status;
