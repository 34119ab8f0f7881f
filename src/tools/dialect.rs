//! The trait of the dialects: turns arguments into an action or a refusal, and an outcome into text and data.

use std::borrow::Cow;
use std::fmt::Debug;

use serde::Serialize;
use serde_json::value::RawValue;

use super::call::action::Action;
use super::call::arguments::Arguments;
use super::object::Object;
use super::outcome::{CallOutcome, JobOutcome};

/// The interface of a shell tool, with its companions. Pure: it reads no clock, no file and no environment.
///
/// [`Dialect::answer`] gets the arguments again, so that a dialect keeps no state between the two.
pub trait Dialect: Debug + Send + Sync {
    /// Returns the tools, the main one first. `plan` and `answer` get their names.
    fn tools(&self) -> Vec<Tool>;

    /// Returns the instructions for a system prompt: how the tools work together.
    fn instructions(&self) -> Cow<'static, str>;

    /// Returns the directories besides the host's own in which a `cd` stays from call to call; `None` for no
    /// bound but the host's root.
    fn directories(&self) -> Option<Vec<String>> {
        None
    }

    /// Decides what a call does.
    ///
    /// # Errors
    ///
    /// The answer to invalid arguments.
    fn plan(&self, tool: &str, arguments: &Arguments) -> Result<Action, Answer>;

    /// Returns the answer: the text for the model, and the structured form.
    fn answer(&self, tool: &str, arguments: &Arguments, outcome: &CallOutcome) -> Answer;

    /// Returns what tells of the end of a job, whose start an earlier answer has told.
    fn ended(&self, call: &StartingCall<'_>, job: &JobOutcome) -> JobEnd {
        JobEnd { notice: None, answer: self.answer(call.tool, call.arguments, &job.clone().into()) }
    }

    /// Returns whether the caller of a call gets updates on a job after the answer that names it, where the
    /// host does not say.
    fn updates_in_background(&self) -> bool {
        false
    }
}

/// The call that has started a job.
#[derive(Clone, Copy, Debug)]
pub struct StartingCall<'a> {
    pub tool: &'a str,
    pub arguments: &'a Arguments,
    /// The caller's name of the call.
    pub id: Option<&'a str>,
}

/// The notices of the end of a job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JobEnd {
    /// The text that the host passes to the model, for dialects whose answers promise one.
    pub notice: Option<String>,
    /// The answer that the call would have given if it had waited for the end.
    pub answer: Answer,
}

/// The description of a tool for a model.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Tool {
    /// The name that models call.
    pub name: &'static str,
    /// A name for people.
    pub title: &'static str,
    /// The description for a model.
    pub description: Cow<'static, str>,
    /// JSON Schema of the arguments.
    pub input_schema: Schema,
    /// JSON Schema of [`Answer::data`].
    pub output_schema: Schema,
    /// Whether the tool only reads jobs. Any other tool may do whatever a command may do.
    pub read_only: bool,
}

/// A JSON Schema, as text that was checked to be JSON.
#[derive(Clone, Debug, Serialize)]
#[serde(transparent)]
pub struct Schema(Box<RawValue>);

impl Schema {
    /// Creates a schema from its text.
    ///
    /// Text that is not JSON gives the schema that accepts every value; a test parses the schemas of all
    /// dialects.
    #[must_use]
    pub fn new(text: &str) -> Self {
        let parse = |text: &str| RawValue::from_string(text.to_owned());
        Self(parse(text).or_else(|_| parse("{}")).unwrap_or_default())
    }

    /// Returns the text.
    #[must_use]
    pub fn get(&self) -> &str {
        self.0.get()
    }
}

/// The answer to a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The text for the model, never empty: see [`Answer::new`].
    pub text: String,
    /// Whether the answer counts as a failure.
    pub is_error: bool,
    /// The structured form, as JSON.
    pub data: String,
}

impl Answer {
    /// Creates an answer. An empty text becomes `(no output)`, because two vendors' interfaces refuse empty
    /// texts.
    #[must_use]
    pub fn new(text: String, is_error: bool, data: &impl Serialize) -> Self {
        Self::raw(text, is_error, serde_json::to_string(data).unwrap_or_else(|_| "null".to_owned()))
    }

    /// Creates an answer as [`Answer::new`] does.
    #[must_use]
    pub fn of(text: String, is_error: bool, data: Object) -> Self {
        Self::raw(text, is_error, data.into_json())
    }

    /// Creates an answer as [`Answer::new`] does, from JSON.
    #[must_use]
    pub fn raw(text: String, is_error: bool, data: String) -> Self {
        let text = if text.is_empty() { "(no output)".to_owned() } else { text };
        Self { text, is_error, data }
    }
}
