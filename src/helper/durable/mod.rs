//! The supervisor of a durable job, which outlives the host that started it.
//!
//! * Started by: a host, for each durable job (`src/durable/linux/start/`). It runs from a copy of this
//!   program, which an update of the package does not replace.
//! * May: run one command as its user, kill its processes, and write into the job's directory.
//! * Ends: when no process of the job is left. It ends the job by itself at its deadline, when no host was
//!   attached for too long, and when the directory has been removed.
//!
//! ```text
//! host ── socket ── supervisor ── reaper ── leader ── …
//!   └── reads ── directory of the job ◄── writes ──┘
//! ```
//!
//! The reaper, and how it starts the leader, are those of [`supervisor`](super::supervisor), whose reports
//! the two share. The rest differs: here a connection is not the life of the job, and output goes to files,
//! so no reader slows the command.
//!
//! Hosts use [`protocol`] (the messages), [`record`] (the small files), [`log`](mod@log) (the output) and
//! [`directory`] (where they are) too. Read those first. [`plan`] is what a host starts; `start` is the
//! beginning of a job, up to the moment from which on it is found; `serve` is the loop that follows.
//! [`deadlines`] has the time limits.

#[cfg(target_os = "linux")]
mod linux;
pub mod protocol;
pub mod record;

#[cfg(target_os = "linux")]
pub use linux::*;
