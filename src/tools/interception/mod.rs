//! The interceptors of a toolset: the host's rules about the commands of calls. [`rules`] reads and applies
//! them.

pub mod rules;

use serde::Deserialize;

use self::rules::{Interceptors, RuleText};

use crate::tools::call::action::{Action, RunAction};
use crate::tools::call::arguments::Arguments;
use crate::tools::outcome::Refusal;
use crate::tools::outcome::command::CommandStatus;

/// The host's option: `true` for the default rules, or rules of its own.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub enum InterceptorsOption {
    /// The default rules, or none.
    Defaults(bool),
    Rules(Vec<InterceptorRule>),
}

#[derive(Clone, Debug, Deserialize)]
pub struct InterceptorRule {
    pattern: String,
    #[serde(default)]
    flags: String,
    tool: String,
    message: String,
}

/// Parses the rules. `tools` are the names of the agent's tools.
///
/// # Errors
///
/// The first rule that can't be read, as the message of an option's error.
pub fn interceptors(asked: Option<&InterceptorsOption>, tools: &[String]) -> Result<Interceptors, String> {
    let rules: Vec<_> = match asked {
        None | Some(InterceptorsOption::Defaults(false)) => return Ok(Interceptors::default()),
        Some(InterceptorsOption::Defaults(true)) => return Ok(Interceptors::defaults(tools)),
        Some(InterceptorsOption::Rules(rules)) => rules.iter().cloned().map(RuleText::from).collect(),
    };
    Interceptors::new(&rules, tools).map_err(|wrong| {
        format!("Invalid option 'options.interceptors[{}].{}': {}", wrong.index, wrong.part, wrong.fault)
    })
}

impl From<InterceptorRule> for RuleText {
    fn from(InterceptorRule { pattern, flags, tool, message }: InterceptorRule) -> Self {
        Self { pattern, flags, tool, message }
    }
}

/// Returns the refusal of a call that a rule blocks, or `None`. The rules test the model's own text, and the
/// command that the dialect makes of it.
#[must_use]
pub fn blocked(rules: &Interceptors, action: &Action, arguments: &Arguments) -> Option<Refusal> {
    let runs: &[RunAction] = match action {
        Action::Run(run) | Action::Restart { then: Some(run) } => std::slice::from_ref(&**run),
        Action::Batch { runs, .. } => runs,
        _ => return None,
    };
    let given = ["command", "cmd"].into_iter().find_map(|name| arguments.text(name)).map(str::to_owned);
    given.into_iter().chain(runs.iter().filter_map(script)).find_map(|command| {
        let message = rules.blocks(&command)?;
        let error = format!("Blocked: {message}\n\nOriginal command: {command}");
        Some(Refusal { status: CommandStatus::Denied, error, error_code: Some("INTERCEPTED".to_owned()) })
    })
}

/// Returns the text that a shell runs, also if it is an argument of an explicit shell.
fn script(run: &RunAction) -> Option<String> {
    if let Some(command) = &run.command {
        return Some(command.clone());
    }
    match run.argv.as_deref()? {
        [shell, flags, script, ..]
            if shell.ends_with("sh") && flags.starts_with('-') && flags.ends_with('c') =>
        {
            Some(script.clone())
        }
        words => Some(words.join(" ")),
    }
}
