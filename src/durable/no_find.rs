//! The functions of `find` on a system without durable jobs.

use std::path::Path;
use std::time::Duration;

use super::error::DurableError;
use super::info::DurableInfo;
use super::options::JobFilter;

/// Fails.
///
/// # Errors
///
/// The error of a system without durable jobs, always.
pub fn find(_: &Path, _: &JobFilter) -> Result<Vec<DurableInfo>, DurableError> {
    Err(DurableError::platform())
}

/// Fails.
///
/// # Errors
///
/// The error of a system without durable jobs, always.
pub fn remove_old(_: &Path) -> Result<usize, DurableError> {
    Err(DurableError::platform())
}

/// Fails.
///
/// # Errors
///
/// The error of a system without durable jobs, always.
pub fn extend(_: &Path, _: &str, _: u64) -> Result<u64, DurableError> {
    Err(DurableError::platform())
}

/// Fails.
///
/// # Errors
///
/// The error of a system without durable jobs, always.
pub fn stop(_: &Path, _: &str, _: i32, _: Option<Duration>) -> Result<(), DurableError> {
    Err(DurableError::platform())
}
