//! What is decided about a command line, and why.

use super::lists::ListName;

/// Whether a command line may run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Verdict {
    /// It may.
    Allow,
    /// A person decides.
    Ask,
    /// It may not.
    Deny,
}

impl Verdict {
    /// As JavaScript has it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Ask => "ask",
            Self::Deny => "deny",
        }
    }
}

/// Why, as a name that is stable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Code {
    /// All commands of it are allowed.
    Allowed,
    /// It needs an approval.
    NotApproved,
    /// A rule or the mode denies it.
    Denied,
    /// It would do great harm.
    Dangerous,
    /// It can't be read beyond doubt.
    Unparseable,
}

impl Code {
    /// As JavaScript has it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Allowed => "ALLOWED",
            Self::NotApproved => "NOT_APPROVED",
            Self::Denied => "DENIED",
            Self::Dangerous => "DANGEROUS",
            Self::Unparseable => "UNPARSEABLE",
        }
    }
}

/// What is decided about a command line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decision {
    /// Whether it may run.
    pub verdict: Verdict,
    /// Why, as a name.
    pub code: Code,
    /// Why, as a sentence for people and models.
    pub reason: String,
    /// Every simple command that may run, in order.
    pub commands: Vec<Judged>,
    /// The effect that makes it dangerous.
    pub dangerous: Option<Danger>,
    /// The narrowest rule that would allow it, where one is safe to offer.
    pub suggestion: Option<String>,
}

/// A harmful effect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Danger {
    /// Which kind, as a name that is stable.
    pub effect: Effect,
    /// What would happen, as a part of a sentence.
    pub what: String,
}

impl Danger {
    pub(super) fn new(effect: Effect, what: &str) -> Self {
        Self { effect, what: what.to_owned() }
    }
}

/// Kinds of harm.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
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

impl Effect {
    /// As JavaScript has it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Removal => "removal",
            Self::Overwrite => "overwrite",
            Self::Shutdown => "shutdown",
            Self::Permissions => "permissions",
            Self::Kernel => "kernel",
            Self::Download => "download",
        }
    }
}

/// A simple command, and what was decided about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Judged {
    /// The name after quote removal; absent where it is not known, and for assignments and redirections alone.
    pub name: Option<String>,
    /// The arguments with the name; absent ones are not known.
    pub argv: Vec<Option<String>>,
    /// Assignments before it.
    pub assignments: Vec<(String, Option<String>)>,
    /// Its redirections, as text.
    pub redirections: Vec<String>,
    /// The wrappers behind which it was found, the outermost first.
    pub wrappers: Vec<String>,
    /// Whether it may run.
    pub verdict: Verdict,
    /// The rule that decided.
    pub rule: Option<RuleRef>,
    /// Why, as a part of a sentence.
    pub why: String,
    /// Whether it is only what the command is with the likely values of its variables.
    pub is_guess: bool,
}

/// A rule of a policy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuleRef {
    /// In which list.
    pub list: ListName,
    /// Its place in the list.
    pub index: usize,
    /// As it was written.
    pub rule: String,
}
