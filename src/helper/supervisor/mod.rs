//! The supervisor: runs the commands of a host on another machine or in a container, over one byte stream.
//!
//! * Started by: the shell there that a target's transport runs (`target/bootstrap.rs`).
//! * May: run any command that the host sends, kill its processes, and keep a copy of this program in the
//!   cache.
//! * Ends: when the host requests it, or when the stream ends or is silent for too long. Then it kills all
//!   its commands.
//!
//! [`protocol`] has the messages between host and supervisor;
//! the host's side needs no other module.
//!
//! ```text
//! host ── stream ── supervisor ─┬─ reaper ── leader ── …      (command 1)
//!                               └─ reaper ── leader ── …      (command 2)
//! ```
//!
//! * `serve` is the loop of the supervisor: one thread with `poll`. `outbox` writes the stream,
//!   `supervised_command` has the pipes of a command, `facts` makes the supervisor's hello, and
//!   `cache` keeps a copy of this program for later connections.
//! * `reaper` is a fork of the supervisor for each command, the subreaper of the command's tree: below one
//!   supervisor, an orphan could not be assigned to its command. `start` is its first step, `shell_scan` what
//!   it sees of the shell of a session, and `confined` a leader in a sandbox, which durable jobs have.
//! * `shell` has the files and named pipes of such a shell. A command that it runs is a command without a
//!   reaper: its exit is what the shell reports.
//! * `ports` has the sockets of connections that the host forwards, and the listeners that it asks for.
//! * Supervisor and reaper watch each other. A reaper whose socket closes kills its tree; the supervisor gets
//!   the orphans of a killed reaper, and kills every child that is no reaper.

#[cfg(target_os = "linux")]
mod linux;
pub mod protocol;

#[cfg(target_os = "linux")]
pub use linux::*;
