//! The errors of durable jobs.

use std::path::Path;

/// An error with a stable code.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct DurableError {
    pub code: &'static str,
    pub message: String,
}

impl DurableError {
    #[must_use]
    pub fn unavailable(reason: impl std::fmt::Display) -> Self {
        Self { code: "DURABLE_UNAVAILABLE", message: format!("durable jobs are not available: {reason}") }
    }

    #[must_use]
    pub fn directory(path: &Path, reason: impl std::fmt::Display) -> Self {
        let message = format!("the directory of durable jobs can't be used: {}: {reason}", path.display());
        Self { code: "DURABLE_DIRECTORY", message }
    }

    #[must_use]
    pub fn not_found(id: &str) -> Self {
        Self { code: "DURABLE_NOT_FOUND", message: format!("there is no durable job {id}") }
    }

    /// The supervisor has gone without an end that could be read.
    #[must_use]
    pub fn lost(id: &str, why: &str) -> Self {
        let message = format!("the durable job {id} was lost ({why}); its exit code is unknown");
        Self { code: "DURABLE_LOST", message }
    }

    #[must_use]
    pub fn taken(name: &str) -> Self {
        let message = format!("a running job has the name {name} already");
        Self { code: "DURABLE_TAKEN", message }
    }

    #[must_use]
    pub fn limit(what: &str) -> Self {
        Self { code: "DURABLE_LIMIT", message: what.to_owned() }
    }

    #[must_use]
    pub fn old(id: &str) -> Self {
        let message = format!("the supervisor of the job {id} is of a version that can't do this");
        Self { code: "DURABLE_OLD", message }
    }

    /// Returns the error of a platform without durable jobs.
    #[must_use]
    pub fn platform() -> Self {
        Self::unavailable("they need Linux")
    }
}
