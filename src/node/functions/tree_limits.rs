//! A function about the limits of all processes together for JavaScript: the probe.

use std::path::Path;

use napi_derive::napi;

use crate::process::cgroup::report::Mechanism;
use crate::process::cgroup::tree::available;

/// This machine's support of limits of all processes together.
#[derive(Debug, Default)]
#[napi(object, object_from_js = false)]
pub struct TreeProbe {
    pub mechanism: Option<&'static str>,
    /// The controllers of cgroups that commands could have.
    pub controllers: Vec<String>,
    /// Why there is no mechanism.
    pub reason: Option<String>,
}

/// Probes the limits of all processes together, with the directory of cgroups that is prepared. Changes
/// nothing, and reads some files of the kernel only.
#[allow(clippy::needless_pass_by_value, reason = "napi-derive hands arguments over by value")]
#[napi(catch_unwind)]
#[must_use]
pub fn probe_tree_limits(cgroup: Option<String>) -> TreeProbe {
    match available(cgroup.as_deref().map(Path::new)) {
        Ok((mechanism, controllers)) => {
            TreeProbe { mechanism: Some(Mechanism::name(mechanism)), controllers, reason: None }
        }
        Err(reason) => TreeProbe { reason: Some(reason), ..TreeProbe::default() },
    }
}
