//! The state of the guardian, for diagnostics.

use std::path::PathBuf;

use crate::process::helper_program::{self, HelperError};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum GuardianState {
    /// No command has started the guardian yet.
    #[default]
    Idle,
    Starting,
    Running,
    /// The guardian was killed, or the system had no process left for it. The watch starts it again.
    Stopped,
    /// The helper program is missing or can't be used.
    Missing,
}

/// The guardian's state, for diagnostics.
#[derive(Clone, Debug)]
pub struct GuardianReport {
    pub state: GuardianState,
    /// The path of the helper program.
    pub path: PathBuf,
    /// The error of the last start, until a start succeeds.
    pub error: Option<HelperError>,
}

impl GuardianReport {
    /// Returns the state before the first command, which shows whether the helper program could be started.
    pub(super) fn before_start() -> Self {
        let path = helper_program::path();
        let error = helper_program::check(path).err();
        let state = if error.is_some() { GuardianState::Missing } else { GuardianState::Idle };
        Self { state, path: path.to_owned(), error }
    }
}
