//! The programs of the helper: what must outlive the host, or run between the host and a command.
//!
//! `src/bin/agent-bash-helper.rs` is one static program with several *roles*. The name under which it is
//! started (`argv[0]`), or its first argument, selects the role ([`crate::process::helper_program`]). Each
//! folder is a role, and its page says who starts it, what it may do and when it ends. A role has one thread
//! (the sandbox init has more, since a call about which it decides may block) and no asynchronous runtime.
//! The parts that the host uses as well are named below.
//!
//! | role | name | runs |
//! |---|---|---|
//! | [`guardian`] | `agent-bash-guardian` | beside the host: kills the jobs of a dead host; `start` is the
//! host's |
//! | `sandbox` | `agent-bash-sandbox`, `agent-bash-overlay` | a command in a sandbox; the mount that commands
//! share (Linux) |
//! | [`keeper`] | `agent-bash-keeper` | the client of a container engine (Linux); the plan is the host's too
//! |
//! | [`supervisor`] | `supervise` (an argument) | a host's commands on a target (Linux); `protocol` is the
//! host's too |
//! | `exec` | `agent-bash-exec` | a command with a terminal or limits (macOS) |
//!
//! `signals` reads signals from a descriptor, for the roles that poll.

#[cfg(darwin)]
pub mod exec;
pub mod guardian;
pub mod keeper;
#[cfg(not(darwin))]
pub mod sandbox;
#[cfg(target_os = "linux")]
mod signals;
pub mod supervisor;
