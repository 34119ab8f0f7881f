//! The class of targets on a system that does not support them: it has no instances, and no way to make one.

use std::sync::Arc;

use napi_derive::napi;

use crate::target::Target;

/// The handle of a target, which this system can't create.
#[derive(Debug)]
#[napi(js_name = "NativeTarget")]
pub struct TargetHandle {
    target: Arc<Target>,
}

impl TargetHandle {
    /// Returns the target, for a command that runs there.
    pub(in crate::node) fn target(&self) -> Arc<Target> {
        match *self.target {}
    }
}
