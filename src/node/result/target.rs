//! The report about a command's target, for its result.

use napi_derive::napi;

use super::milliseconds;
use crate::target::remote_command::TargetReport;

/// Where a command ran.
#[derive(Debug)]
#[napi(object, object_from_js = false)]
pub struct TargetResult {
    pub kind: &'static str,
    pub container: Option<String>,
    /// The time that connecting took (ms).
    pub connect_ms: Option<f64>,
    /// The size of the helper, if it was copied (bytes).
    pub copied_bytes: f64,
    /// The clock there minus the clock here (ms).
    pub skew_ms: Option<f64>,
    /// The program that runs the commands: `helper` or `sh`.
    pub supervisor: &'static str,
    /// The reason why it is `sh`.
    pub reason: Option<String>,
    /// The parts that a command on the target lacks.
    pub missing: Vec<&'static str>,
}

impl From<&TargetReport> for TargetResult {
    #[allow(clippy::cast_precision_loss, reason = "sizes and clocks are below 2^53")]
    fn from(report: &TargetReport) -> Self {
        Self {
            kind: report.kind.name(),
            container: report.container.clone(),
            connect_ms: report.connect_time.map(milliseconds),
            copied_bytes: report.copied as f64,
            skew_ms: report.skew.map(|skew| skew as f64),
            supervisor: if report.why_degraded.is_some() { "sh" } else { "helper" },
            reason: report.why_degraded.clone(),
            missing: report.missing.clone(),
        }
    }
}
