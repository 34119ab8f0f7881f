//! A policy: lists of rules, and the mode for commands that no rule matches.

use serde::Serialize;

use super::rules::{Fault, Rule};

/// The verdict on a command that no rule matches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Mode {
    /// Asks.
    #[default]
    Default,
    /// Asks, as `Default` does: this mode concerns edits, which other tools make.
    AcceptEdits,
    /// Allows.
    BypassPermissions,
    /// Denies, even where an ask rule matches.
    DontAsk,
    /// Denies.
    Strict,
    /// Denies each command that does more than read. Rules have no effect.
    ReadOnly,
}

impl Mode {
    /// The modes by their names, in the order in which errors list them.
    pub const NAMED: [(&str, Self); 6] = [
        ("default", Self::Default),
        ("acceptEdits", Self::AcceptEdits),
        ("bypassPermissions", Self::BypassPermissions),
        ("dontAsk", Self::DontAsk),
        ("strict", Self::Strict),
        ("readOnly", Self::ReadOnly),
    ];

    /// Returns the mode of a name.
    #[must_use]
    pub fn by_name(name: &str) -> Option<Self> {
        Self::NAMED.iter().find_map(|&(own, mode)| (own == name).then_some(mode))
    }
}

/// The verdict on dangerous commands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum OnDanger {
    #[default]
    Deny,
    Ask,
    /// Turns the check off.
    Ignore,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ListName {
    Deny,
    Ask,
    Allow,
}

impl ListName {
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Deny => "deny",
            Self::Ask => "ask",
            Self::Allow => "allow",
        }
    }
}

/// A policy whose rules have been read.
#[derive(Clone, Debug, Default)]
pub struct Policy {
    /// The verdict on a command that no rule matches.
    pub mode: Mode,
    pub dangerous: OnDanger,
    /// Deny rules, each with its index in the given list, which may have rules of other tools too.
    pub deny: Vec<(usize, Rule)>,
    /// Ask rules, with their indices.
    pub ask: Vec<(usize, Rule)>,
    /// Allow rules, with their indices.
    pub allow: Vec<(usize, Rule)>,
    /// Whether known queries in the root need no rule.
    pub allows_queries: bool,
    /// Directories besides the root that a redirection of an allowed command may write; absolute.
    pub writable: Vec<String>,
}

/// A rule that can't be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{list}[{index}]: {fault} in '{rule}'", list = list.name())]
pub struct RuleError {
    pub list: ListName,
    pub index: usize,
    pub rule: String,
    pub fault: Fault,
}

impl Policy {
    /// Reads the rules of a policy. Skips rules of other tools.
    ///
    /// # Errors
    ///
    /// The first rule that can't be read.
    pub fn new(
        mode: Mode,
        dangerous: OnDanger,
        deny: &[String],
        ask: &[String],
        allow: &[String],
    ) -> Result<Self, RuleError> {
        Ok(Self {
            mode,
            dangerous,
            deny: rules(ListName::Deny, deny)?,
            ask: rules(ListName::Ask, ask)?,
            allow: rules(ListName::Allow, allow)?,
            ..Self::default()
        })
    }

    /// Returns the policy for a request of Windows, whose programs have no ending and no case.
    #[must_use]
    pub(super) fn on_windows(&self) -> Self {
        let rules = |rules: &[(usize, Rule)]| {
            rules.iter().map(|(index, rule)| (*index, rule.on_windows())).collect::<Vec<_>>()
        };
        let (deny, ask, allow) = (rules(&self.deny), rules(&self.ask), rules(&self.allow));
        Self { deny, ask, allow, ..self.clone() }
    }

    /// Returns whether the policy has rules about names, which a command could evade by hiding its name.
    #[must_use]
    pub fn restricts_names(&self) -> bool {
        let by_allowing = names_commands(&self.allow) || self.allows_queries;
        self.restricts_by_name() || self.mode != Mode::BypassPermissions && by_allowing
    }

    /// Returns the policy for commands whose sandbox lets them only read: `None` if it is the same.
    ///
    /// The kernel then enforces the mode `ReadOnly`, and the text decides by danger, deny and ask rules
    /// alone.
    #[must_use]
    pub fn enforced_by_sandbox(&self) -> Option<Self> {
        let is_enforced = self.mode == Mode::ReadOnly;
        is_enforced.then(|| Self { mode: Mode::BypassPermissions, ..self.clone() })
    }

    /// Returns whether deny or ask rules are about names.
    pub(super) fn restricts_by_name(&self) -> bool {
        names_commands(&self.deny) || names_commands(&self.ask)
    }
}

fn names_commands(rules: &[(usize, Rule)]) -> bool {
    rules.iter().any(|(_, rule)| !rule.is_about_all())
}

fn rules(list: ListName, sources: &[String]) -> Result<Vec<(usize, Rule)>, RuleError> {
    let mut rules = Vec::with_capacity(sources.len());
    for (index, source) in sources.iter().enumerate() {
        match Rule::parse(source) {
            Ok(Some(rule)) => rules.push((index, rule)),
            Ok(None) => {}
            Err(fault) => return Err(RuleError { list, index, rule: source.clone(), fault }),
        }
    }
    Ok(rules)
}
