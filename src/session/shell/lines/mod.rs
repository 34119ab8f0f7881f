//! The lines and scripts that the shell of a session reads. Pure.
//!
//! A shell reads its first lines (`start_lines`), then a line for each command (`command_line`) and one for
//! its report (`report_lines`); `pipe_status` is about the statuses of a pipeline. `prompt_hooks` and
//! `own_streams` are parts of those: what is hidden of a shell's prompt, and where bash keeps its own
//! streams. Each line is composed, because its text depends on the shell, its version and its state. A script
//! that is always the same is a file (`lib/session/scripts/`, `target/scripts/`).

pub(in crate::session) mod command_line;
pub(in crate::session::shell) mod own_streams;
pub mod pipe_status;
pub(in crate::session) mod prompt_hooks;
mod report_lines;
mod start_lines;
