//! The operating system: spawn, wait, pipes, signals and the process tree.
//!
//! Everything a command needs from the kernel, one concern per file. A platform difference is one file per
//! platform with the same functions. `unsafe` code lives here only.
//!
//! * [`spawn`] starts a program in a session of its own, in a [`directory`] that was checked; it never copies the host's memory.
//! * [`wait`] tells when it has exited, without `SIGCHLD`.
//! * [`pipe`] is where its output comes from and its input goes to; [`fd`] has all other descriptors.
//! * [`timer`] wakes the thread that waits for all of this, and [`thread`] is how our own threads start.
//! * [`table`] reads the process table, [`tree`] walks and kills what is below a process, and [`identity`] makes sure that a
//!   [`signal`] can't hit a stranger. [`tag`] marks a command and all that it starts.
//! * [`memory`] tells a command's peak memory from the host's.
//! * [`registry`] is the table of live jobs in memory that the [`guardian`] shares, which kills what is left when the host
//!   dies; it is a role of the [`helper`] program.

pub mod directory;
pub mod errno;
pub mod fd;
pub mod guardian;
pub mod helper;
pub mod identity;
pub mod memory;
pub mod pipe;
pub mod registry;
pub mod signal;
pub mod spawn;
pub mod table;
pub mod tag;
pub mod thread;
pub mod timer;
pub mod tree;
pub mod wait;
