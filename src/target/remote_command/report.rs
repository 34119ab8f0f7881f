//! The report about a command's target.

use std::time::Duration;

use crate::target::transport_command::TransportKind;

/// The report about a command's target, for its result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TargetReport {
    pub kind: TransportKind,
    pub container: Option<String>,
    /// The time that connecting took; `None` for a command that found the connection open.
    pub connect_time: Option<Duration>,
    /// The size of the helper program, if it was copied for this connection (bytes).
    pub copied: usize,
    /// The target's clock minus this machine's clock (ms), if it is known.
    pub skew: Option<i64>,
    /// The parts that a command on the target lacks.
    pub missing: Vec<&'static str>,
    /// The reason why a shell runs the command, and no helper.
    pub why_degraded: Option<String>,
    /// Whether the target's kernel has killed a process of the command for lack of memory.
    pub is_out_of_memory: bool,
}
