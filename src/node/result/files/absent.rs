//! The results of the calls about files of a target, on a system without targets: there are none.

use napi::bindgen_prelude::{Env, Result};
use napi_derive::napi;

/// The end of a call: without a value.
#[derive(Clone, Copy, Debug)]
pub enum FilesOutcome {}

/// The answer to a call about files.
#[derive(Debug, Default)]
#[napi(object, object_from_js = false)]
pub struct FilesAnswer {
    pub is_progress: bool,
}

impl FilesAnswer {
    /// Returns the answer of an outcome.
    pub(in crate::node) fn of(_env: Env, outcome: FilesOutcome) -> Result<Self> {
        match outcome {}
    }
}
