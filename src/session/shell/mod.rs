//! The shell of a session: its job, and the files through which the session communicates with it.
//!
//! `live_shell` is a shell that runs. [`flavor`] has the kinds of shells, and [`lines`] what a shell of each
//! kind reads. [`start_files`] are the user's, which it reads by lines. [`directory`] creates the files of a
//! session, and `files` has their names; `control_pipe` is the one by which the shell reports. `place` is
//! where the shell runs: this machine or a target. `observer` handles the output and the end of the shell's
//! job, and [`own_output`] is the text that an action of the session reports of it.

mod control_pipe;
pub mod directory;
pub(super) mod files;
pub mod flavor;
pub mod lines;
mod live_shell;
mod observer;
pub mod own_output;
pub(super) mod place;
pub mod start_files;

pub(super) use self::live_shell::{LiveShell, new_token};
