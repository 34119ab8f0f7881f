//! The dialects of a shell tool, for JavaScript: JSON in, JSON out.

#![allow(clippy::must_use_candidate, reason = "JavaScript calls these")]
#![allow(clippy::needless_pass_by_value, reason = "napi-derive hands arguments over by value")]

use napi::bindgen_prelude::{Either, Error, Result};
use napi_derive::napi;
use serde::de::DeserializeOwned;

use crate::node::error::{NativeError, answer};
use crate::tools::call::arguments::Arguments;
use crate::tools::configured::ConfiguredDialect;
use crate::tools::dialect::{Answer, JobEnd, StartingCall};
use crate::tools::dialects;

/// A dialect with the host's settings.
#[derive(Debug)]
#[napi]
pub struct ToolDialect {
    dialect: ConfiguredDialect,
}

/// The next step of a call: either an action or a refusal.
#[derive(Debug, Default)]
#[napi(object, object_from_js = false)]
pub struct ToolStep {
    /// The action, as JSON.
    pub action: Option<String>,
    /// The answer to invalid arguments.
    pub refusal: Option<ToolAnswer>,
}

/// The answer to a model.
#[derive(Debug)]
#[napi(object, object_from_js = false)]
pub struct ToolAnswer {
    pub text: String,
    /// Whether it is a failure.
    pub is_error: bool,
    /// The structured form, as JSON.
    pub data: String,
}

/// The call that has started a job.
#[derive(Debug)]
#[napi(object, object_to_js = false)]
pub struct ToolCall {
    pub tool: String,
    /// The arguments, as JSON.
    pub arguments: String,
    /// The caller's name of the call.
    pub id: Option<String>,
}

/// The notices of the end of a job.
#[derive(Debug)]
#[napi(object, object_from_js = false)]
pub struct ToolJobEnd {
    /// The text that the host passes to the model, for dialects whose answers promise one.
    pub notice: Option<String>,
    /// The answer that the call would have given if it had waited for the end.
    pub answer: ToolAnswer,
}

/// Creates a dialect. The settings are JSON. The error is that of a name that no dialect has, or of a rule of
/// the interceptors.
///
/// # Errors
///
/// When the settings can't be read: a bug of `lib/tools/`.
#[napi(catch_unwind)]
pub fn tool_dialect(name: String, settings: String) -> Result<Either<ToolDialect, NativeError>> {
    let dialect = ConfiguredDialect::new(&name, parsed(&settings)?);
    Ok(answer(dialect.map(|dialect| ToolDialect { dialect }).map_err(NativeError::invalid)))
}

/// Returns the facts about all dialects, as JSON.
#[napi(catch_unwind)]
pub fn tool_dialects() -> String {
    serde_json::to_string(dialects::ALL).unwrap_or_default()
}

#[napi]
impl ToolDialect {
    /// Returns the tools, their instructions, and what else depends on the settings, as JSON.
    #[napi(catch_unwind)]
    pub fn describe(&self) -> String {
        serde_json::to_string(&self.dialect.description()).unwrap_or_default()
    }

    /// Decides what a call does. The arguments are JSON.
    #[napi(catch_unwind)]
    pub fn plan(&self, tool: String, arguments: String) -> ToolStep {
        match self.dialect.plan(&tool, &Arguments::from_json(&arguments)) {
            Ok(action) => ToolStep { action: serde_json::to_string(&action).ok(), refusal: None },
            Err(answer) => ToolStep { action: None, refusal: Some(answer.into()) },
        }
    }

    /// Returns the answer to a call. Arguments and outcome are JSON; the streams of its command may be
    /// separate strings.
    ///
    /// # Errors
    ///
    /// When the outcome can't be read: a bug of `lib/tools/`.
    #[napi(catch_unwind)]
    pub fn answer(
        &self,
        tool: String,
        arguments: String,
        outcome: String,
        stdout: Option<String>,
        stderr: Option<String>,
    ) -> Result<ToolAnswer> {
        let arguments = Arguments::from_json(&arguments);
        Ok(self
            .dialect
            .answer(&tool, &arguments, parsed(&outcome)?, stdout.zip(stderr).map(<[String; 2]>::from))
            .into())
    }

    /// Returns whether a text is that of binary output, which answers describe.
    #[napi(catch_unwind)]
    pub fn is_binary(&self, text: String) -> bool {
        self.dialect.is_binary(&text)
    }

    /// Returns a text without the control characters that no answer has.
    #[napi(catch_unwind)]
    pub fn clean(&self, text: String) -> String {
        self.dialect.clean(text)
    }

    /// Returns what tells of the end of a job. The call that has started the job, its arguments and the
    /// outcome are JSON; the streams of the command are separate strings.
    ///
    /// # Errors
    ///
    /// When the outcome can't be read: a bug of `lib/tools/`.
    #[napi(catch_unwind)]
    pub fn ended(
        &self,
        call: ToolCall,
        outcome: String,
        stdout: String,
        stderr: String,
    ) -> Result<ToolJobEnd> {
        let arguments = Arguments::from_json(&call.arguments);
        let call = StartingCall { tool: &call.tool, arguments: &arguments, id: call.id.as_deref() };
        let JobEnd { notice, answer } = self.dialect.ended(&call, &parsed(&outcome)?, [stdout, stderr]);
        Ok(ToolJobEnd { notice, answer: answer.into() })
    }
}

fn parsed<T: DeserializeOwned>(json: &str) -> Result<T> {
    serde_json::from_str(json).map_err(|error| Error::from_reason(error.to_string()))
}

impl From<Answer> for ToolAnswer {
    fn from(answer: Answer) -> Self {
        let Answer { text, is_error, data } = answer;
        Self { text, is_error, data }
    }
}
