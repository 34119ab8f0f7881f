//! Windows: what commands need of the system, in the place of the Unix modules of `src/process/`.
//!
//! First come the parts that decide on plain data, which the tests run on every system:
//!
//! * [`quote`] makes a command line of arguments, [`environment`] the block of variables.
//! * [`search`] finds programs by `PATH` and `PATHEXT`, [`shell`] the shell of commands.
//! * [`status`] names the exit codes that the system gives.

pub mod environment;
pub mod quote;
pub mod search;
pub mod shell;
pub mod status;
