//! The keeper: runs the client of a container engine for a host, and removes the container after both.
//!
//! * Started by: a target's connection to a new container (`target/`), as its transport.
//! * May: run the engine's client, let the engine remove the one container, kill what a half-started
//!   container has left, and remove the empty directories that were made for it.
//! * Ends: when the container is gone.
//!
//! An engine's client must not be killed while it starts a
//! container: a half-started container would stay forever. So the client is no descendant of the process that
//! the host knows, and notices the end of the host only as the end of its input.
//!
//! ```text
//! host ── leader        (a job of the host; its death says that the host is gone)
//!           ╎ pipe
//!         keeper ── client of the engine        (a session of its own, a child of init)
//! ```
//!
//! When the leader exits, the keeper gives the client some time to exit by itself, then kills it, lets the
//! engine remove the container, and kills the processes that a half-started container has left.
//!
//! [`KeeperPlan`] has the arguments of the role; `keep` is the role.

#[cfg(target_os = "linux")]
mod keep;
mod plan;

#[cfg(target_os = "linux")]
pub use keep::keep;
pub use plan::KeeperPlan;
