//! The calls that decide whether a line after a command can report the statuses of its pipeline.

#![allow(clippy::must_use_candidate, reason = "JavaScript calls these")]
#![allow(clippy::needless_pass_by_value, reason = "napi-derive hands arguments over by value")]

use napi_derive::napi;

use crate::node::host::Host;
use crate::session::shell::flavor::SessionFlavor;
use crate::syntax::pipeline::{ends_in_pipeline, has_sure_pipe};

#[napi]
impl Host {
    /// Returns whether a command has a pipe and surely ends with its text, for a shell of this name.
    #[napi(catch_unwind)]
    pub fn has_sure_pipe(&self, command: String, shell: String) -> bool {
        SessionFlavor::of(&shell).is_some_and(|flavor| has_sure_pipe(&command, flavor.syntax()))
    }

    /// Returns whether a command surely ends in a pipeline, for a shell of this name that records the
    /// statuses of a pipeline.
    #[napi(catch_unwind)]
    pub fn ends_in_pipeline(&self, command: String, shell: String) -> bool {
        let recording = SessionFlavor::of(&shell).filter(|flavor| flavor.records_statuses());
        recording.is_some_and(|flavor| ends_in_pipeline(&command, flavor.syntax()))
    }
}
