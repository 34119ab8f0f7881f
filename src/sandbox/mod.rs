//! What may a command touch? Limits that the kernel enforces.
//!
//! A [`SandboxPlan`](plan::SandboxPlan) is plain data: made from the options by
//! [`plan::make`](mod@plan::make), printable, testable without a kernel. The helper program applies it in a
//! process of its own, and then runs the command.
//!
//! * [`options`] are the caller's; [`plan`] makes a plan of them; [`environment`] filters variables;
//!   [`texts`] are the sentences for people and models; [`escalation`] is more than the options give, for one
//!   command.
//! * [`protocol`] is what the host and the helper say to each other. [`mod@probe`] says what this machine can
//!   do, and [`availability`] which levels it has.
//! * [`stubs`] stand for missing protected paths. [`private`] has the directories of private `/tmp` and home.
//! * [`mod@overlay`] keeps what commands change apart from the workspace, until it is accepted.
//! * [`network`] is the way out to allowed hosts.
//! * `helper` is the helper's role (Linux). [`seatbelt`] is the profile for macOS.
//!
//! ## The way of a command
//!
//! 1. The host asks [`mod@probe`] once for the best mechanism, and makes [`private`] directories for each
//!    root.
//! 2. [`plan::make`](mod@plan::make) makes the plan, or an error that names an option or a missing part.
//!    [`environment`] filters the variables and adds some.
//! 3. [`protocol::launch::prepare`] gives what the spawner executes. The helper gets the command's standard
//!    streams, and the limits as part of the plan.
//! 4. [`protocol::launch::Control::await_running`] waits until the command runs, or tells the step that
//!    failed: then nothing has run. After that, [`protocol::launch::Control::next`] gives what was refused.
//! 5. The helper ends as the command does. Killing its sandbox init kills everything inside at once. The
//!    keeper of stubs is no process of the command and must not be killed.
//! 6. [`outcome`] makes the report of the result, with what the command must not have left
//!    ([watch](plan::watch)).
//!
//! ## Choices
//!
//! * Our own helper, not bubblewrap: that takes twice as long, is an installed program with versions, keeps all
//!   capabilities as root unless told otherwise, and can't decide about `connect()`.
//! * A read-only mount does not stop a write to a named pipe, and Landlock can't protect a path below a
//!   writable one. Each is the second wall of the other.
//! * The sandbox init carries `connect()` out with its own copy of the address, so UNIX sockets in the
//!   workspace work and `docker.sock` does not.
//! * The keeper of stubs must outlive any kill of the job, so it has no tag and another parent.
//! * The init of a process namespace dies when its last process was reaped, and the command's parent is the
//!   supervisor, outside of that namespace. So a kill of the job spares the supervisor at first.

pub mod availability;
pub mod environment;
pub mod escalation;
#[cfg(not(darwin))]
pub mod helper;
pub mod network;
pub mod options;
pub mod outcome;
#[cfg(darwin)]
#[path = "no_overlay.rs"]
pub mod overlay;
#[cfg(not(darwin))]
pub mod overlay;
pub mod plan;
pub mod private;
#[cfg(not(darwin))]
pub mod probe;
pub mod protocol;
pub mod seatbelt;
pub mod stubs;
pub mod texts;
pub mod wire;
