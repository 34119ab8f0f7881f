//! The state of the guardian.

use napi_derive::napi;

use crate::engine::guardian_watch::{GuardianReport, GuardianState};
use crate::node::error::NativeError;

/// Whether a guardian runs.
#[napi(string_enum = "lowercase")]
#[derive(Clone, Copy, Debug)]
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
    /// Whether a guardian runs.
    pub state: GuardianStatusState,
    /// The path of the guardian's program.
    pub path: String,
    /// The failure that keeps the guardian from running.
    pub error: Option<NativeError>,
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
            error: error.map(|error| {
                let (code, message) = (error.code(), error.to_string());
                NativeError { code, message, option: None }
            }),
        }
    }
}
