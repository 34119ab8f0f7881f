//! The arguments of `bash()` and `BashJob`.

use napi::bindgen_prelude::Reference;
use napi_derive::napi;

use super::code_page::CodePageHandle;
use super::duration;
use super::pty::PtySpec;
use super::surroundings::SurroundingsSpec;
use crate::node::error::NativeError;
use crate::tools::bash_function::{self, BashRefusal};

/// The arguments of the bash tool that JavaScript passes.
#[napi(object, object_to_js = false)]
#[allow(missing_debug_implementations, reason = "the objects of JavaScript have none")]
pub struct BashSpec {
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
    /// The encoding of the output of a `BashJob`, if that is not UTF-8.
    pub code_page: Option<Reference<CodePageHandle>>,
    /// Whether bash, or else `sh`, must run the command, because a policy has judged it for that shell.
    pub keeps_to_bash: Option<bool>,
}

impl BashSpec {
    /// Returns the call.
    ///
    /// # Errors
    ///
    /// The option that is wrong.
    pub fn call(self) -> Result<bash_function::BashCall, NativeError> {
        Ok(bash_function::BashCall {
            candidates: [self.command, self.cmd],
            surroundings: self.surroundings.map(SurroundingsSpec::surroundings).transpose()?,
            safe_mode: self.safe_mode,
            keeps_to_bash: self.keeps_to_bash.unwrap_or_default(),
            timeout: self.timeout.and_then(duration),
        })
    }
}

impl From<BashRefusal> for NativeError {
    fn from(refusal: BashRefusal) -> Self {
        Self { code: refusal.code().to_owned(), message: refusal.to_string(), option: None }
    }
}
