//! A policy: lists of rules, and what holds where none of them matches.

use super::rules::{Fault, Rule};

/// What holds for a command that no rule matches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Mode {
    /// It is asked about.
    #[default]
    Default,
    /// As `Default`: edits are made by other tools.
    AcceptEdits,
    /// It is allowed.
    BypassPermissions,
    /// It is denied, and so is what an ask rule matches.
    DontAsk,
    /// It is denied.
    Strict,
    /// It is denied unless it only reads; no allow rule is needed, and none helps.
    ReadOnly,
}

/// What the check of dangerous commands leads to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum OnDanger {
    /// They are denied.
    #[default]
    Deny,
    /// They are asked about.
    Ask,
    /// There is no check.
    Ignore,
}

/// One of the lists of a policy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ListName {
    /// Rules that deny.
    Deny,
    /// Rules that ask.
    Ask,
    /// Rules that allow.
    Allow,
}

impl ListName {
    /// As it is written in a policy.
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
    /// What holds where no rule matches.
    pub mode: Mode,
    /// What dangerous commands lead to.
    pub dangerous: OnDanger,
    /// Rules with their places in the list as it was given.
    pub deny: Vec<(usize, Rule)>,
    /// As above.
    pub ask: Vec<(usize, Rule)>,
    /// As above.
    pub allow: Vec<(usize, Rule)>,
}

/// A rule that can't be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{list}[{index}]: {fault} in '{rule}'", list = list.name())]
pub struct RuleError {
    /// In which list.
    pub list: ListName,
    /// Its place in the list.
    pub index: usize,
    /// As it was written.
    pub rule: String,
    /// What is wrong with it.
    pub fault: Fault,
}

impl Policy {
    /// Reads the rules of a policy. Rules of other tools are left out.
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
        })
    }

    /// Whether there are rules about names that a command could evade by hiding its own.
    #[must_use]
    pub fn restricts_names(&self) -> bool {
        let names = |rules: &[(usize, Rule)]| rules.iter().any(|(_, rule)| !rule.is_about_all());
        names(&self.deny) || names(&self.ask) || self.mode != Mode::BypassPermissions && names(&self.allow)
    }
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
