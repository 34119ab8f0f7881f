//! What may a command touch? Limits that the kernel enforces.
//!
//! A [`SandboxPlan`](plan::SandboxPlan) is plain data: made from the options by
//! [`plan::make`](mod@plan::make), printable, testable without a kernel. The helper program applies it in a
//! process of its own, and then runs the command.
//!
//! * [`options`] are the caller's; [`plan`] makes a plan of them; [`environment`] filters variables;
//!   [`texts`] are the sentences for people and models.
//! * [`wire`] writes and reads a plan as bytes, [`report`] is what the helper answers, and [`launch`] tells
//!   the spawner what to execute. [`mod@probe`] says what this machine can do.
//! * [`stubs`] stand for missing protected paths. [`private`] has the directories of private `/tmp` and home.
//! * `helper` is the helper's role (Linux). [`seatbelt`] is the profile for macOS.

pub mod environment;
#[cfg(target_os = "linux")]
pub mod helper;
#[cfg(target_os = "linux")]
pub mod launch;
pub mod options;
pub mod plan;
pub mod private;
#[cfg(target_os = "linux")]
pub mod probe;
pub mod report;
pub mod seatbelt;
pub mod stubs;
pub mod texts;
pub mod wire;
