//! The options of a durable job.

use std::path::PathBuf;
use std::time::Duration;

use napi_derive::napi;

use super::{duration, whole};
use crate::durable::options::{DurableOptions, DurableRole, StartOptions};

/// A durable job, or the attachment to one. Times are milliseconds; absent options have their defaults.
#[derive(Debug)]
#[napi(object, object_to_js = false)]
pub struct DurableSpec {
    /// The directory of the jobs, absolute.
    pub directory: String,
    /// The id of a new job, or that of the job to attach to.
    pub id: String,
    /// Whether to attach instead of starting. The command and its surroundings are ignored then.
    pub attach: Option<bool>,
    /// The cursor at which the output of an attachment begins; absent for what comes next.
    pub since: Option<f64>,
    /// The directory for the helper's copy, absolute; absent for a copy in memory.
    pub cache: Option<String>,
    /// The directory of the user's manager (`XDG_RUNTIME_DIR`).
    pub runtime: Option<String>,
    pub name: Option<String>,
    pub owner: Option<String>,
    pub root: Option<String>,
    /// The sandbox of the command, as JSON.
    pub sandbox: Option<String>,
    /// The longest run.
    pub deadline: Option<f64>,
    /// The longest time without an attached host.
    pub unattended: Option<f64>,
    /// The time for which the files stay after the end.
    pub keep: Option<f64>,
    /// The size of the log on disk (bytes).
    pub max_log_bytes: Option<f64>,
    /// Whether a job is refused that ends with the log-out of its user.
    pub needs_logout: Option<bool>,
    /// The time between two checks of the job's directory.
    pub check: Option<f64>,
}

impl From<DurableSpec> for DurableOptions {
    fn from(spec: DurableSpec) -> Self {
        let usual = StartOptions::default();
        let time =
            |ms: Option<f64>, usual: Duration| ms.map_or(usual, |ms| duration(ms).unwrap_or(Duration::MAX));
        let role = if spec.attach == Some(true) {
            DurableRole::Attach { since: spec.since.map(whole) }
        } else {
            DurableRole::Start(Box::new(StartOptions {
                cache: spec.cache.map(PathBuf::from),
                runtime: spec.runtime.map(PathBuf::from),
                name: spec.name,
                owner: spec.owner.unwrap_or_default(),
                root: spec.root.unwrap_or_default(),
                sandbox: spec.sandbox,
                deadline: time(spec.deadline, usual.deadline),
                unattended: time(spec.unattended, usual.unattended),
                keep: time(spec.keep, usual.keep),
                max_log: spec.max_log_bytes.map_or(usual.max_log, whole),
                needs_logout: spec.needs_logout.unwrap_or(false),
                check: time(spec.check, usual.check),
            }))
        };
        Self { directory: PathBuf::from(spec.directory), id: spec.id, role }
    }
}
