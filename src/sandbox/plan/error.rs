//! The errors of making a plan.

use std::path::PathBuf;

use super::hardlinks::HardLink;
use super::{Level, Part};
use crate::sandbox::texts;

/// The reason why there is no plan.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PlanError {
    /// An option is wrong: a `TypeError`.
    #[error("{option}: {expected}")]
    Option {
        /// The option's name, such as `sandbox.protected`.
        option: &'static str,
        /// The mistake, or the expected value.
        expected: String,
    },
    /// A path that must exist is missing.
    #[error("'{}' of {option} does not exist.", path.display())]
    Path {
        /// The option's name.
        option: &'static str,
        path: PathBuf,
    },
    /// A path was granted, and a symbolic link leads elsewhere since then.
    #[error("'{}' was granted, and a symbolic link leads elsewhere since then.", .0.display())]
    Replaced(PathBuf),
    /// A listed UNIX socket can't be connected to.
    #[error("{0}")]
    Socket(String),
    /// A protected file can be written by another name.
    #[error("{}", texts::hard_link(.0))]
    Protected(HardLink),
    /// This machine lacks requested parts.
    #[error("{}", texts::missing_parts(*level, missing, &[]))]
    Unavailable { level: Level, missing: Vec<Part> },
}

impl PlanError {
    /// Returns the stable error code that JavaScript gets; `None` for a `TypeError`.
    #[must_use]
    pub const fn code(&self) -> Option<&'static str> {
        match self {
            Self::Option { .. } => None,
            Self::Path { .. } | Self::Replaced(_) => Some("SANDBOX_PATH"),
            Self::Socket(_) => Some("SANDBOX_SOCKET"),
            Self::Protected(_) => Some("SANDBOX_PROTECTED"),
            Self::Unavailable { .. } => Some("SANDBOX_UNAVAILABLE"),
        }
    }
}

/// Returns the error of a wrong option, which names the expected value.
pub(super) fn wrong(option: &'static str, expected: impl Into<String>) -> PlanError {
    PlanError::Option { option, expected: expected.into() }
}
