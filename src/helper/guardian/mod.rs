//! The guardian: kills the processes of all jobs when the host ends, even by SIGKILL.
//!
//! * Started by: the host, before its first command ([`start()`]; `engine::guardian_watch` decides when).
//! * May: kill the processes of the host's jobs, and remove the host's private directories.
//! * Ends: after the host, when a scan finds no process of its jobs.
//!
//! The guardian is a separate process in its own session. It holds one end of a socket whose other end only
//! the host has, so the end of the host wakes it. Then it reads the file of the
//! [`Registry`](crate::process::registry::Registry), finds the processes of the jobs and kills them.
//!
//! A child that has not executed yet holds the host's end of the socket too, so the guardian wakes only when
//! the last new leader is in the registry. The guardian ignores SIGHUP, SIGINT, SIGQUIT and SIGTERM from its
//! first instruction on, and has no descriptors but its standard streams and the registry's file.
//!
//! * `start` is the host's side.
//! * `watch` is the guardian's side. `entries` reads the registry's file, `search` decides which processes
//!   belong to the jobs, and `sweep` stops and kills them.

mod entries;
mod search;
mod start;
mod sweep;
mod watch;

pub use start::{Guardian, start, start_and_report};
pub use watch::watch;
