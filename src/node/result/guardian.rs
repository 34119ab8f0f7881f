//! The state of the guardian.

use napi_derive::napi;

use crate::engine::guardian_watch::{GuardianReport, GuardianState};

/// Whether there is a guardian.
#[napi(string_enum = "lowercase")]
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs, reason = "as in `GuardianState`")]
pub enum GuardianStatusState {
    Idle,
    Starting,
    Running,
    Stopped,
    Missing,
}

/// The state of the guardian.
#[derive(Debug)]
#[napi(object, object_from_js = false)]
pub struct GuardianStatus {
    /// Whether there is one.
    pub state: GuardianStatusState,
    /// Its program.
    pub path: String,
    /// Why there is none.
    pub error: Option<GuardianFailure>,
}

/// Why there is no guardian.
#[derive(Debug)]
#[napi(object, object_from_js = false)]
pub struct GuardianFailure {
    /// A name that is stable.
    pub code: String,
    /// For people.
    pub message: String,
}

impl From<GuardianReport> for GuardianStatus {
    fn from(report: GuardianReport) -> Self {
        let GuardianReport { state, path, error } = report;
        Self {
            state: match state {
                GuardianState::Idle => GuardianStatusState::Idle,
                GuardianState::Starting => GuardianStatusState::Starting,
                GuardianState::Running => GuardianStatusState::Running,
                GuardianState::Stopped => GuardianStatusState::Stopped,
                GuardianState::Missing => GuardianStatusState::Missing,
            },
            path: path.to_string_lossy().into_owned(),
            error: error.map(|error| GuardianFailure { code: error.code(), message: error.to_string() }),
        }
    }
}
