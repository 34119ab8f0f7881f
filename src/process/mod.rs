//! The operating system: spawn, wait, pipes, signals and the process tree.
//!
//! Everything a command needs from the kernel, one concern per file. A platform difference is one file per
//! platform with the same functions. `unsafe` code lives here only.
//!
//! * [`spawn`] starts a program in a session of its own; it never copies the host's memory.
//! * [`wait`] tells when it has exited, without `SIGCHLD`.
//! * [`pipe`] is where its output comes from and its input goes to.
//! * [`alarm`] wakes the thread that waits for all of this.
//! * [`tree`] finds what belongs to it, and [`identity`] makes sure that a signal can't hit a stranger.
//! * [`memory`] tells a command's peak memory from the host's.
//! * [`pid_cursor`] tells which pids are new, and [`tag`] marks a command and all that it starts.
//! * [`thread`] is how our own threads begin.
//! * [`spare`] keeps what it takes to find it where descriptors are used up.
//! * [`guardian`] kills what is left when the host dies; it is a role of the [`helper`] program.

pub mod alarm;
pub mod errno;
pub mod guardian;
pub mod helper;
pub mod identity;
pub mod kernel_file;
pub mod memory;
pub mod nameless_file;
pub mod pid_cursor;
pub mod pidfd;
pub mod pipe;
pub mod readiness;
pub mod registry;
pub mod signal;
pub mod spare;
pub mod spawn;
pub mod tag;
pub mod thread;
pub mod tree;
pub mod wait;
