//! The decision on a command line, as plain data. Its JSON is what JavaScript gets.

use serde::{Serialize, Serializer};

use super::lists::ListName;

/// The beginning of a denial, in the words of `AgentRail`.
pub const DENIED: &str = "Permission denied for tool \"Bash\"";

/// Whether a command line may run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// The command line may run.
    Allow,
    /// A person decides.
    Ask,
    /// The command line must not run.
    Deny,
}

/// The reason of a decision, as a name that does not change between versions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Code {
    /// Every command of the line is allowed.
    Allowed,
    /// The command line needs an approval.
    NotApproved,
    /// A rule or the mode denies the command line.
    Denied,
    /// The command line would do great harm.
    Dangerous,
    /// The command line can't be read beyond doubt.
    Unparseable,
}

/// The decision on a command line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Decision {
    /// Whether the command may run.
    pub verdict: Verdict,
    /// The reason as a name.
    pub code: Code,
    /// The reason as a sentence for people and models.
    pub reason: String,
    /// Every simple command that may run, in the order of the text.
    pub commands: Vec<Judged>,
    /// The effect that makes the command line dangerous.
    pub dangerous: Option<Danger>,
    /// The rules that would allow the command line, where one is safe to offer for each command that lacks one; else none.
    pub suggestions: Vec<String>,
}

/// A harmful effect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Danger {
    /// The kind of harm, as a name that does not change between versions.
    pub effect: Effect,
    /// The effect as a part of a sentence: "it would …".
    pub what: String,
    /// Whether the effect depends on a part of the command that is not known.
    pub is_possible: bool,
}

/// JavaScript gets the effect alone.
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
    /// A download, or hidden text, is run unseen.
    Download,
}

/// A simple command with its verdict.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Judged {
    /// The name after quote removal; absent where the name is not known, and where a line has only assignments and redirections.
    pub name: Option<String>,
    /// The name and the arguments; `None` for each that is not known.
    pub argv: Vec<Option<String>>,
    /// Assignments before the name.
    pub assignments: Vec<Assigned>,
    /// The redirections, as text.
    pub redirections: Vec<String>,
    /// The wrappers that run the command, the outermost first.
    pub wrappers: Vec<String>,
    /// Whether the command may run.
    pub verdict: Verdict,
    /// The rule that decided.
    pub rule: Option<RuleRef>,
    /// The reason as a part of a sentence.
    #[serde(rename = "reason")]
    pub why: String,
    /// The rule that would allow the command, where it lacks one and one is safe to offer.
    pub suggestion: Option<String>,
}

/// An assignment before a command.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Assigned {
    /// The name of the variable.
    pub name: String,
    /// The value, if it is known.
    pub value: Option<String>,
}

/// A rule of a policy.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RuleRef {
    /// The list of the rule.
    pub list: ListName,
    /// The index of the rule in the list.
    pub index: usize,
    /// The text of the rule.
    pub rule: String,
}
