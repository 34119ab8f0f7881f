//! The arguments of `bash()` and `BashJob`.

use napi_derive::napi;

use super::duration;
use super::pty::PtySpec;
use super::surroundings::SurroundingsSpec;
use crate::tools::dialects::voice;

/// The arguments of the bash tool that JavaScript passes.
#[derive(Debug)]
#[napi(object, object_to_js = false)]
pub struct VoiceCall {
    /// `args.command`, if it is a string.
    pub command: Option<String>,
    /// `args.cmd`, if it is a string.
    pub cmd: Option<String>,
    /// The surroundings; absent if the working directory is no string.
    pub surroundings: Option<SurroundingsSpec>,
    /// Whether only programs of the allow list may run.
    pub safe_mode: bool,
    /// The time limit of the command (ms); absent for none.
    pub timeout: Option<f64>,
    /// The terminal of the command; absent for none.
    pub pty: Option<PtySpec>,
    /// Whether the output of a `BashJob` stays bytes.
    pub bytes: Option<bool>,
    /// Whether bash, or else `sh`, must run the command, because a policy has judged it for that shell.
    pub keeps_to_bash: Option<bool>,
}

impl From<VoiceCall> for voice::BashCall {
    fn from(call: VoiceCall) -> Self {
        Self {
            candidates: [call.command, call.cmd],
            surroundings: call.surroundings.map(SurroundingsSpec::without_sandbox),
            safe_mode: call.safe_mode,
            keeps_to_bash: call.keeps_to_bash.unwrap_or_default(),
            timeout: call.timeout.and_then(duration),
        }
    }
}
