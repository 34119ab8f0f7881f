//! The operating system: spawn, wait, pipes, signals and the process tree.
//!
//! Each file has one concern. A platform difference is one file per platform with the same functions.
//! `unsafe` code lives here and in `src/helper/` only.
//!
//! * `spawn` starts a program in a session of its own, in a [`directory`] that was checked, without copying
//!   the host's memory (Unix). [`limits`] are those of a program.
//! * [`wait`] reports the exit of a child, without `SIGCHLD`.
//! * [`pipe`] carries a command's output and input; [`fd`] has all other descriptors.
//! * [`pty`] is a terminal instead of pipes.
//! * [`timer`] wakes the I/O thread, `clock` counts also while the machine sleeps (Unix), and [`thread`]
//!   starts the engine's threads.
//! * [`table`] reads the process table (on macOS through `libproc`), [`tree`] walks and kills the descendants
//!   of a process, and [`identity`] and [`unreaped`] make sure that a [`signal`] can't hit an unrelated
//!   process. [`tag`] marks a command and everything that it starts.
//! * [`cgroup`] limits all processes of a command together.
//! * [`blocked`] reads the system calls in which the threads of a process sleep, [`sockets`] the ports on
//!   which processes listen. It also makes UNIX sockets.
//! * [`memory`] separates a command's peak memory from the host's.
//! * [`directory::private`] creates directories for this user alone, such as that of a session's files.
//! * [`file`] tells what a file is. [`files`] reads and writes files below a root, for targets.
//! * [`registry`] is the table of live jobs that this process shares with the guardian, which kills their
//!   processes when the host ends.
//! * [`windows`] has job objects, quoting and the other parts that only Windows needs. Modules that have no
//!   meaning there are not there.
//! * `askpass` has the questions of programs for passwords, which the helper passes on (Linux).
//! * [`environment`] compares the names of variables, [`errno`] has the numbers of errors, and `kernel` the
//!   facts about the system that are a value (Unix).
//! * [`helper_program`] finds and checks the helper program. Its roles are in `src/helper/`.

#[cfg(target_os = "linux")]
pub mod askpass;
pub mod blocked;
pub mod cgroup;
#[cfg(unix)]
pub mod clock;
pub mod directory;
pub mod environment;
pub mod errno;
#[cfg(unix)]
pub mod fd;
pub mod file;
#[cfg(unix)]
pub mod files;
pub mod helper_program;
pub mod identity;
#[cfg(unix)]
pub mod kernel;
#[cfg(target_os = "macos")]
mod libproc;
pub mod limits;
#[cfg(unix)]
pub mod memory;
pub mod pipe;
pub mod pty;
pub mod registry;
pub mod signal;
pub mod sockets;
#[cfg(unix)]
pub mod spawn;
#[cfg(unix)]
pub mod table;
#[cfg(unix)]
pub mod tag;
pub mod thread;
pub mod timer;
#[cfg(unix)]
pub mod tree;
#[cfg(unix)]
pub mod unreaped;
pub mod wait;
#[cfg(any(windows, test))]
pub mod windows;
