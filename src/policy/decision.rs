//! The decision on a command line, as plain data that JavaScript gets as JSON.

use std::borrow::Cow;

use serde::{Serialize, Serializer};

use super::commands::{ExpandedCommand, Field, UNKNOWN};
use super::lists::ListName;
use super::writes::describe;
use crate::text::visible;

/// The beginning of a denial, in the words of `AgentRail`.
pub const DENIED: &str = "Permission denied for tool \"Bash\"";

/// Whether a command line may run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    Allow,
    /// A person decides.
    Ask,
    Deny,
}

/// The reason of a decision, as a name that stays the same in all versions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Code {
    Allowed,
    /// The command line needs an approval.
    NotApproved,
    Denied,
    /// The command line would do great harm.
    Dangerous,
    /// The command line can't be read beyond doubt.
    Unparseable,
}

/// The decision on a command line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Decision {
    pub verdict: Verdict,
    pub code: Code,
    /// The reason as a sentence for people and models.
    pub reason: String,
    /// Every simple command that may run, in the order of the text.
    pub commands: Vec<Judged>,
    /// The effect that makes the command line dangerous.
    pub dangerous: Option<Danger>,
    /// The rules that would allow the command line. Empty unless a safe rule exists for each command that
    /// lacks one.
    pub suggestions: Vec<String>,
}

impl Decision {
    /// Returns the decision with texts by which a person can decide: they quote the command line, which may
    /// have characters that nobody sees. The words of the commands stay as they are.
    pub(super) fn for_people(mut self) -> Self {
        let texts = self
            .commands
            .iter_mut()
            .flat_map(|command| std::iter::once(&mut command.why).chain(&mut command.redirections));
        for text in texts.chain([&mut self.reason]) {
            if let Cow::Owned(visible) = visible(text) {
                *text = visible;
            }
        }
        self
    }
}

/// A harmful effect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Danger {
    /// The kind of harm, as a name that stays the same in all versions.
    pub effect: Effect,
    /// The effect as a part of a sentence: "it would …".
    pub what: String,
    /// Whether the effect depends on an unknown part of the command.
    pub is_possible: bool,
}

/// JavaScript gets only the effect.
impl Serialize for Danger {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.effect.serialize(serializer)
    }
}

impl Danger {
    pub(super) fn new(effect: Effect, what: &str) -> Self {
        Self { effect, what: what.to_owned(), is_possible: false }
    }

    /// Returns the effect as a sentence for people and models.
    pub(super) fn reason(&self) -> String {
        let condition = if self.is_possible { " if a part of it that is not known is empty" } else { "" };
        format!("Command matches a known-dangerous pattern: it would {}{condition}", self.what)
    }
}

/// Kinds of harm.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Effect {
    /// The root, a system directory, a home or the project is removed.
    Removal,
    /// A disk, a partition or a system file is overwritten.
    Overwrite,
    /// The machine is exhausted or stopped.
    Shutdown,
    /// The whole system is opened to everybody.
    Permissions,
    /// Code is loaded into the kernel.
    Kernel,
    /// A download, or encoded text, runs without anyone having read it.
    Download,
}

/// A simple command with its verdict.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Judged {
    /// The name after quote removal; absent if the name is unknown, or if there are only assignments and
    /// redirections.
    pub name: Option<String>,
    /// The name and the arguments; `None` for each that is unknown.
    pub argv: Vec<Option<String>>,
    pub assignments: Vec<Assigned>,
    /// The redirections, as text.
    pub redirections: Vec<String>,
    /// The wrappers that run the command, the outermost first.
    pub wrappers: Vec<String>,
    pub verdict: Verdict,
    pub rule: Option<RuleRef>,
    /// The reason as a part of a sentence.
    #[serde(rename = "reason")]
    pub why: String,
    /// The rule that would allow the command, if the command lacks one and a safe one exists.
    pub suggestion: Option<String>,
}

impl Judged {
    /// Returns a command with this verdict, without wrappers and a suggestion.
    pub(super) fn of(
        command: &ExpandedCommand,
        verdict: Verdict,
        rule: Option<RuleRef>,
        why: String,
    ) -> Self {
        let known =
            |field: &Field| (!field.is_many && !field.text.contains(UNKNOWN)).then(|| field.text.clone());
        let assigned =
            |(name, value): &(String, Option<String>)| Assigned { name: name.clone(), value: value.clone() };
        Self {
            name: command.name().map(str::to_owned),
            argv: command.words.iter().map(known).collect(),
            assignments: command.assignments.iter().map(assigned).collect(),
            redirections: command.redirections.iter().map(describe).collect(),
            wrappers: Vec::new(),
            verdict,
            rule,
            why,
            suggestion: None,
        }
    }
}

/// An assignment before a command.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Assigned {
    pub name: String,
    /// The value, if it is known.
    pub value: Option<String>,
}

/// A rule of a policy.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RuleRef {
    pub list: ListName,
    pub index: usize,
    pub rule: String,
}
