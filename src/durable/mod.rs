//! Jobs that outlive the host: the host's side. The other side is the role
//! [`durable`](crate::helper::durable) of the helper.
//!
//! ```text
//! job ── pipes ── attachment ─┬─ socket ── supervisor ── reaper ── command
//!                             └─ log ◄───────┘
//! ```
//!
//! An attachment makes an ordinary job of it: it copies the log into the pipes of a job, whose decoding,
//! views, events and screens are those of any other. Only who ends the processes differs.
//!
//! Read in this order:
//!
//! * [`options`] are the caller's, [`error`] has the codes, [`info`] what is known of a job.
//! * [`find`] lists jobs and acts on them without attaching; `ask` asks the supervisors of all, and
//!   `sweep` removes what is too old.
//! * `start` starts a supervisor, and `attach` finds one that runs, or the files of one that has ended.
//!   `socket` speaks with it.
//! * [`known`] has the directories that sandboxes hide.
//! * `command` is what a job has of an attachment.

pub mod error;
pub mod info;
pub mod options;

#[cfg_attr(not(target_os = "linux"), path = "no_find.rs")]
pub mod find;
pub mod known;
#[cfg(target_os = "linux")]
mod linux;

#[cfg(target_os = "linux")]
pub use linux::*;
