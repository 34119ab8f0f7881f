//! What a dialect is: arguments to an action or a refusal, an outcome to text and data.

use std::borrow::Cow;
use std::fmt::Debug;

use serde::Serialize;
use serde_json::value::RawValue;

use super::action::Action;
use super::arguments::Arguments;
use super::outcome::Outcome;

/// The interface of a shell tool, with its companions. Pure: it reads no clock, no file and no environment.
///
/// [`Dialect::answer`] gets the arguments again, so that nothing is remembered between the two.
pub trait Dialect: Debug + Send + Sync {
    /// The tools; the main one first. Their names are those that `plan` and `answer` are asked by.
    fn tools(&self) -> Vec<Tool>;

    /// How the tools work together, for a system prompt.
    fn instructions(&self) -> Cow<'static, str>;

    /// How jobs are called: `job` (as the table does), `number`, `pid`, or a prefix before a number.
    fn job_ids(&self) -> &'static str {
        "job"
    }

    /// What of a shell's state is kept between calls, when the host does not say: `none`, `cwd`, `carry` or `live`.
    fn session(&self) -> &'static str {
        "none"
    }

    /// Decides what a call does.
    ///
    /// # Errors
    ///
    /// The answer to arguments with which nothing can be done.
    fn plan(&self, tool: &str, arguments: &Arguments) -> Result<Action, Answer>;

    /// Writes what the model reads, and the structured form.
    fn answer(&self, tool: &str, arguments: &Arguments, outcome: &Outcome) -> Answer;
}

/// A tool as a model is told of it.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Tool {
    /// The name that models call.
    pub name: &'static str,
    /// A name for people.
    pub title: &'static str,
    /// What it does, for a model.
    pub description: Cow<'static, str>,
    /// JSON Schema of the arguments.
    pub input_schema: Schema,
    /// JSON Schema of [`Answer::data`].
    pub output_schema: Schema,
    /// Whether it only looks at jobs. Otherwise it may do whatever a command may do.
    pub read_only: bool,
}

/// A JSON Schema, as text that is known to be JSON.
#[derive(Clone, Debug, Serialize)]
#[serde(transparent)]
pub struct Schema(Box<RawValue>);

impl Schema {
    /// Takes the text of a schema.
    ///
    /// Text that is not JSON gives the schema that takes everything. A test reads the schemas of all dialects.
    #[must_use]
    pub fn new(text: &str) -> Self {
        let parse = |text: &str| RawValue::from_string(text.to_owned());
        Self(parse(text).or_else(|_| parse("{}")).unwrap_or_default())
    }

    /// The text.
    #[must_use]
    pub fn get(&self) -> &str {
        self.0.get()
    }
}

/// What a call has come to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// What the model reads. [`Answer::new`] sees to it that it is not empty.
    pub text: String,
    /// Whether the model is to take it as a failure.
    pub is_error: bool,
    /// The structured form, as JSON.
    pub data: String,
}

impl Answer {
    /// Makes an answer, with `(no output)` for an empty text: two of the vendors' interfaces refuse one.
    #[must_use]
    pub fn new(text: String, is_error: bool, data: &impl Serialize) -> Self {
        let text = if text.is_empty() { "(no output)".to_owned() } else { text };
        let data = serde_json::to_string(data).unwrap_or_else(|_| "null".to_owned());
        Self { text, is_error, data }
    }
}
