//! The calls about the line after a command by which a shell writes the statuses of its pipeline.

#![allow(clippy::must_use_candidate, reason = "JavaScript calls these")]
#![allow(clippy::needless_pass_by_value, reason = "napi-derive hands arguments over by value")]

use napi_derive::napi;

use crate::node::binding::Binding;
use crate::session::shell::flavor::SessionFlavor;
use crate::session::shell::lines::pipe_status::statuses_script;
use crate::syntax::pipeline::{ends_in_pipeline, has_sure_pipe};

#[napi]
impl Binding {
    /// Returns whether a command has a pipe and surely ends with its text, for a shell of this name that
    /// records the statuses of a pipeline.
    #[napi(catch_unwind)]
    pub fn has_sure_pipe(&self, command: String, shell: String) -> bool {
        recording(&shell).is_some_and(|flavor| has_sure_pipe(&command, flavor.syntax()))
    }

    /// Returns whether a command surely ends in a pipeline, for a shell of this name that records the
    /// statuses of a pipeline.
    #[napi(catch_unwind)]
    pub fn ends_in_pipeline(&self, command: String, shell: String) -> bool {
        recording(&shell).is_some_and(|flavor| ends_in_pipeline(&command, flavor.syntax()))
    }

    /// Returns the line after a command by which a shell of this name reads the script at a path.
    #[napi(catch_unwind)]
    pub fn statuses_line(&self, shell: String, script: String) -> Option<String> {
        recording(&shell)?.statuses_line(&script, "")
    }

    /// Returns the script, which writes the statuses to the file at a path: a space before each, and a NUL
    /// at the end.
    #[napi(catch_unwind)]
    pub fn statuses_script(&self, path: String) -> String {
        statuses_script(&path)
    }
}

fn recording(shell: &str) -> Option<SessionFlavor> {
    SessionFlavor::of(shell).filter(|flavor| flavor.records_statuses())
}
