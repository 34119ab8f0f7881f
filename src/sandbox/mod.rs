//! Sandboxes: limits on what a command can touch, which the kernel enforces.
//!
//! [`plan::make`](mod@plan::make) turns the options into a [`SandboxPlan`](plan::SandboxPlan): plain data,
//! testable without a kernel. The helper program applies the plan in a process of its own, and then runs the
//! command.
//!
//! * [`options`] are the caller's; [`plan`] makes a plan of them; [`environment`] filters variables,
//!   and [`secrets`] selects the secret values;
//!   [`texts`] has the sentences for people and models; [`escalation`] has requests for more than the options
//!   give, for one command.
//! * [`protocol`] has the messages between the host and the helper. [`mod@probe`] finds the mechanisms that
//!   work on this machine, and [`availability`] the levels.
//! * [`stubs`] stand for missing protected paths. [`private`] has the directories of private `/tmp` and home.
//! * [`mod@overlay`] keeps changes of the workspace apart until they are committed. `kept_mount` has the
//!   mounts that commands share: those of overlays and private homes.
//! * [`network`] connects commands to allowed hosts, and [`ssh_agent`] to an agent of ssh. `intercept` passes
//!   the connections to hosts with rules to the program that has their credentials.
//! * The helper's side is `src/helper/sandbox/` (Linux).
//!
//! ## The way of a command
//!
//! 1. The host asks [`mod@probe`] once for the best mechanism, and makes [`private`] directories for each
//!    root.
//! 2. [`plan::make`](mod@plan::make) makes the plan, or an error that names an option or a missing part.
//!    [`environment`] filters the variables and adds some.
//! 3. [`protocol::launch::prepare`] returns the program for the spawner: the helper. It gets the command's
//!    standard streams, and the limits as part of the plan.
//! 4. [`protocol::launch::Control::await_running`] waits until the command runs, or returns the failed step:
//!    then nothing has run. After that, [`protocol::launch::Control::next`] returns each refusal.
//! 5. The helper exits as the command does. A kill of the sandbox init kills all processes of the sandbox at
//!    once. The stub remover is no process of the command and must not be killed.
//! 6. [`outcome`] makes the report for the result, with the paths that the command should not have left
//!    ([watch](plan::watch)).
//!
//! ## Choices
//!
//! * Our own helper, not bubblewrap: bubblewrap is an installed program of any version, keeps all
//!   capabilities as root unless told otherwise, and can't decide about `connect()`.
//! * Mounts and Landlock together: a read-only mount does not stop a write to a named pipe, and Landlock
//!   can't protect a path below a writable one. Each covers the gaps of the other.
//! * The sandbox init carries out `connect()` with its own copy of the address, so UNIX sockets in the
//!   workspace work and `docker.sock` does not.
//! * The stub remover must outlive any kill of the job, so it has no tag and another parent.
//! * The init of a PID namespace can exit only when all processes in it are reaped, and the parent of the
//!   command is the monitor, outside of that namespace. So a kill of the job spares the monitor at
//!   first.

pub mod availability;
pub mod environment;
#[cfg(not(feature = "helper"))]
pub mod escalation;
#[cfg_attr(any(darwin, windows, feature = "helper"), path = "no_intercept.rs")]
pub mod intercept;
#[cfg(all(unix, not(darwin)))]
pub mod kept_mount;
pub mod network;
pub mod options;
pub mod outcome;
#[cfg_attr(any(darwin, windows), path = "no_overlay.rs")]
pub mod overlay;
pub mod plan;
#[cfg_attr(windows, path = "no_private.rs")]
pub mod private;
#[cfg(all(unix, not(darwin)))]
pub mod probe;
pub mod protocol;
#[cfg(not(feature = "helper"))]
pub mod secrets;
#[cfg(unix)]
pub mod ssh_agent;
#[cfg_attr(windows, path = "stubs/none.rs")]
pub mod stubs;
pub mod texts;
