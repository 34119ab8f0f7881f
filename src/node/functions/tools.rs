//! The dialects of a shell tool, for JavaScript: JSON in, JSON out.

#![allow(clippy::must_use_candidate, reason = "JavaScript calls these")]
#![allow(clippy::needless_pass_by_value, reason = "napi-derive hands arguments over by value")]

use napi::bindgen_prelude::{Error, Result};
use napi_derive::napi;
use serde::Serialize;

use crate::text::binary::is_binary;
use crate::tools::answer::binary::described;
use crate::tools::answer::control_characters::Filter;
use crate::tools::arguments::Arguments;
use crate::tools::dialect::{Answer, Dialect, Tool};
use crate::tools::dialects;
use crate::tools::interception::rules::Interceptors;
use crate::tools::interception::{blocked, interceptors};
use crate::tools::outcome::Outcome;
use crate::tools::session::{SessionMode, tools_and_instructions};
use crate::tools::settings::Settings;

/// A dialect with the host's settings.
#[derive(Debug)]
#[napi]
pub struct ToolDialect {
    dialect: Box<dyn Dialect>,
    interceptors: Interceptors,
    filter: Filter,
    describes_binary: bool,
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
    /// The text.
    pub text: String,
    /// Whether it is a failure.
    pub is_error: bool,
    /// The structured form, as JSON.
    pub data: String,
}

#[derive(Serialize)]
struct Description<'a> {
    tools: Vec<Tool>,
    instructions: &'a str,
    #[serde(rename = "jobIds")]
    job_ids: &'static str,
    session: SessionMode,
}

#[napi]
impl ToolDialect {
    /// Creates a dialect. The settings are JSON.
    ///
    /// # Errors
    ///
    /// When there is no dialect of this name, or the settings or a rule of the interceptors are invalid.
    #[napi(constructor, catch_unwind)]
    pub fn new(name: String, settings: String) -> Result<Self> {
        let settings: Settings =
            serde_json::from_str(&settings).map_err(|error| Error::from_reason(error.to_string()))?;
        let interceptors =
            interceptors(settings.interceptors.as_ref(), &settings.tools).map_err(Error::from_reason)?;
        let filter = Filter::new(&settings);
        let describes_binary = !settings.has_compat("binary");
        let dialect = dialects::dialect(&name, settings)
            .ok_or_else(|| Error::from_reason(format!("the dialect '{name}' is not built yet")))?;
        Ok(Self { dialect, interceptors, filter, describes_binary })
    }

    /// Returns the tools and their instructions, as JSON.
    #[napi(catch_unwind)]
    pub fn describe(&self) -> String {
        let (tools, instructions) = tools_and_instructions(&*self.dialect);
        let description = Description {
            tools,
            instructions: &instructions,
            job_ids: self.dialect.job_ids(),
            session: self.dialect.session(),
        };
        serde_json::to_string(&description).unwrap_or_default()
    }

    /// Decides what a call does. The arguments are JSON.
    #[napi(catch_unwind)]
    pub fn plan(&self, tool: String, arguments: String) -> ToolStep {
        let arguments = Arguments::from_json(&arguments);
        let planned = self.dialect.plan(&tool, &arguments).and_then(|action| {
            match blocked(&self.interceptors, &action, &arguments) {
                Some(outcome) => Err(self.dialect.answer(&tool, &arguments, &outcome)),
                None => Ok(action),
            }
        });
        match planned {
            Ok(action) => ToolStep { action: serde_json::to_string(&action).ok(), refusal: None },
            Err(answer) => ToolStep { action: None, refusal: Some(self.filter.answer(answer).into()) },
        }
    }

    /// Returns the answer to a call. Arguments and outcome are JSON; the outcome's streams are separate strings.
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
        stdout: String,
        stderr: String,
    ) -> Result<ToolAnswer> {
        let outcome: Outcome =
            serde_json::from_str(&outcome).map_err(|error| Error::from_reason(error.to_string()))?;
        let outcome = Outcome { stdout, stderr, ..outcome };
        let outcome = self.filter.outcome(if self.describes_binary { described(outcome) } else { outcome });
        let answer = self.dialect.answer(&tool, &Arguments::from_json(&arguments), &outcome);
        Ok(self.filter.answer(answer).into())
    }

    /// Returns whether a text is that of binary output, which answers describe.
    #[napi(catch_unwind)]
    pub fn is_binary(&self, text: String) -> bool {
        self.describes_binary && is_binary(&text)
    }

    /// Returns a text without the control characters that no answer has.
    #[napi(catch_unwind)]
    pub fn clean(&self, text: String) -> String {
        self.filter.output(text)
    }

    /// Returns the text that tells a model of the end of a job; `null` for dialects without one. The outcome is JSON.
    ///
    /// # Errors
    ///
    /// When the outcome can't be read: a bug of `lib/tools/`.
    #[napi(catch_unwind)]
    pub fn notice(&self, outcome: String, call_id: Option<String>) -> Result<Option<String>> {
        let outcome: Outcome =
            serde_json::from_str(&outcome).map_err(|error| Error::from_reason(error.to_string()))?;
        Ok(self.dialect.notice(&outcome, call_id.as_deref()).map(|text| self.filter.text(text)))
    }
}

impl From<Answer> for ToolAnswer {
    fn from(answer: Answer) -> Self {
        let Answer { text, is_error, data } = answer;
        Self { text, is_error, data }
    }
}
