//! The programs of the helper: what must outlive the host, or run between the host and a command.
//!
//! `src/bin/agent-bash-helper.rs` is one static program with several *roles*. The name under which it is
//! started (`argv[0]`), or its first argument, selects the role ([`roles`]). Each other
//! folder is a role, and its page says who starts it, what it may do and when it ends. A role has one thread
//! (the sandbox init has more, since a call about which it decides may block) and no asynchronous runtime.
//!
//! | role | name | runs |
//! |---|---|---|
//! | [`guardian`] | `agent-bash-guardian` | beside the host: kills the jobs of a dead host |
//! | `sandbox` | `agent-bash-sandbox` | a command in a sandbox (Linux) |
//! | `sandbox::overlay` | `agent-bash-overlay` | the mount that commands share (Linux) |
//! | [`keeper`] | `agent-bash-keeper` | the client of a container engine (Linux) |
//! | [`supervisor`] | `supervise` (an argument) | a host's commands on a target (Linux) |
//! | `durable` | `durable` (an argument) | a job that outlives its host (Linux) |
//! | `files` | `files` (an argument) | the requests about files on a target (Linux) |
//! | [`askpass`] | `agent-bash-askpass` | a question for a password or a name (Linux) |
//! | `exec` | `agent-bash-exec` | a command with a terminal or limits (macOS) |
//! | `interrupt` | `interrupt` (an argument) | Ctrl-C or Ctrl-Break for a command (Windows) |
//!
//! The host uses `guardian::start`, the keeper's plan, the request of askpass and the supervisor's `protocol`
//! too.
//!
//! `signals` reads signals from a descriptor, and `polled` waits for many, for the roles that poll.

pub mod askpass;
pub mod durable;
#[cfg(darwin)]
pub mod exec;
#[cfg(target_os = "linux")]
pub mod files;
#[cfg(unix)]
pub mod guardian;
#[cfg(windows)]
pub mod interrupt;
pub mod keeper;
#[cfg(target_os = "linux")]
mod polled;
pub mod roles;
#[cfg(all(unix, not(darwin)))]
pub mod sandbox;
#[cfg(target_os = "linux")]
mod signals;
pub mod supervisor;
