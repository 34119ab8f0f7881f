//! The meaning of an exit code, for messages.

#![allow(clippy::must_use_candidate, reason = "JavaScript calls it")]

use napi_derive::napi;

use crate::process::wait::ntstatus::ntstatus;

/// Returns the name and the meaning of an exit code that Windows itself gives; null for another code.
#[napi(catch_unwind)]
pub fn exit_code_meaning(code: u32) -> Option<String> {
    ntstatus(code).map(|status| status.to_string())
}
