//! The calls that decide whether a line after a command can report the statuses of its pipeline.

#![allow(clippy::must_use_candidate, reason = "JavaScript calls these")]
#![allow(clippy::needless_pass_by_value, reason = "napi-derive hands arguments over by value")]

use napi_derive::napi;

use crate::job::model::pipe_status::ends_in_pipeline;
use crate::node::host::Host;
use crate::session::has_sure_pipe;
use crate::session::shell::flavor::SessionFlavor;
use crate::syntax::Syntax;

#[napi]
impl Host {
    /// Returns whether a command has a pipe and surely ends with its text, for a shell of this name.
    #[napi(catch_unwind)]
    pub fn has_sure_pipe(&self, command: String, shell: String) -> bool {
        SessionFlavor::of(&shell).is_some_and(|flavor| has_sure_pipe(&command, flavor))
    }

    /// Returns whether a command surely ends in a pipeline, for a shell of this name that records the
    /// statuses of a pipeline.
    #[napi(catch_unwind)]
    pub fn ends_in_pipeline(&self, command: String, shell: String) -> bool {
        match SessionFlavor::of(&shell) {
            Some(SessionFlavor::Bash) => ends_in_pipeline(&command, Syntax::Bash),
            Some(SessionFlavor::Zsh) => ends_in_pipeline(&command, Syntax::Zsh),
            Some(SessionFlavor::Posix) | None => false,
        }
    }
}
