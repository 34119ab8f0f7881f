//! The arguments of `bash()` and `BashJob`.

use std::time::Duration;

use napi_derive::napi;

use super::pty::PtySpec;
use crate::job::model::plan::Environment;
use crate::tools::dialects::voice;

/// The arguments of the bash tool that JavaScript passes.
#[derive(Debug)]
#[napi(object, object_to_js = false)]
pub struct VoiceCall {
    /// `args.command`, if it is a string.
    pub command: Option<String>,
    /// `args.cmd`, if it is a string.
    pub cmd: Option<String>,
    /// The working directory, if it is a string.
    pub workspace_root: Option<String>,
    /// Whether only programs of the allow list may run.
    pub safe_mode: bool,
    /// The environment: `NAME=value`, with a NUL after each.
    pub environment: String,
    /// The time limit of the command (ms); absent for none.
    pub timeout: Option<f64>,
    /// The terminal of the command; absent for none.
    pub pty: Option<PtySpec>,
    /// Whether bash, or else `sh`, must run the command, because a policy has judged it for that shell.
    pub keeps_to_bash: Option<bool>,
}

impl From<VoiceCall> for voice::BashCall {
    fn from(call: VoiceCall) -> Self {
        Self {
            candidates: [call.command, call.cmd],
            workspace_root: call.workspace_root,
            safe_mode: call.safe_mode,
            keeps_to_bash: call.keeps_to_bash.unwrap_or_default(),
            environment: Environment(call.environment),
            timeout: call.timeout.and_then(|ms| Duration::try_from_secs_f64(ms / 1000.0).ok()),
        }
    }
}
