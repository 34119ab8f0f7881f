//! Windows: what only that system needs or has.
//!
//! First come the parts that decide on plain data, which the tests run on every system:
//!
//! * [`quote`] makes a command line of arguments, [`environment`] the block of variables.
//! * [`search`] finds programs by `PATH` and `PATHEXT`, [`shell`] the shell of commands.
//! * [`status`] has the exit codes of processes that the engine ends, [`msys`] what differs for programs of
//!   MSYS2 and Cygwin: which these are, their signals and exit codes.
//!
//! The others talk to the kernel:
//!
//! * [`installed_git`] finds Git for Windows in the registry, [`system_directory`] the programs of Windows
//!   itself. [`image`] tells which program a process runs.
//! * [`job_object`] holds all processes of a command: it kills them together, at the latest when the host
//!   ends, and reports when none is left.
//! * [`spawn`] starts a program in its job, with its own handles only, and [`child`] waits for its exit,
//!   as [`wait`] does for any object. [`ctrl_c`] asks it to end.

#[cfg(windows)]
pub mod child;
#[cfg(windows)]
pub mod ctrl_c;
pub mod environment;
#[cfg(windows)]
pub mod image;
#[cfg(windows)]
pub mod installed_git;
#[cfg(windows)]
pub mod job_object;
pub mod msys;
pub mod quote;
pub mod search;
pub mod shell;
#[cfg(windows)]
pub mod spawn;
pub mod status;
#[cfg(windows)]
pub mod system_directory;
#[cfg(windows)]
pub mod wait;
