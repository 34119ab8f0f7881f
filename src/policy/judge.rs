//! The verdict on each command of a line: by a rule, by an obstacle to rules, or by the mode.

use super::commands::{Field, Findings, Found, Obstacle, Trust, UNKNOWN};
use super::decision::{Assigned, Judged, RuleRef, Verdict};
use super::lists::{ListName, Mode, Policy};
use super::request::Request;
use super::rules::{self, Match, Rule};
use super::writes::{describe, write_is_covered};

/// Returns the strictest verdict of the commands that were found.
pub(super) fn check_found(found: &Findings, request: &Request) -> Verdict {
    judge(found, request).iter().map(|command| command.verdict).max().unwrap_or(Verdict::Ask)
}

/// Judges a line without any command. Only rules about all commands match it.
pub(super) fn nothing(policy: &Policy) -> Judged {
    let command = Found::default();
    let rule = policy.allow.iter().find(|(_, rule)| rule.is_about_all());
    let denied = policy.deny.iter().find(|(_, rule)| rule.is_about_all());
    let asked = policy.ask.iter().find(|(_, rule)| rule.is_about_all());
    match (denied, asked, rule) {
        (Some(rule), _, _) => by_rule(&command, Verdict::Deny, ListName::Deny, rule),
        (_, Some(rule), _) => by_rule(&command, asks(policy), ListName::Ask, rule),
        (_, _, Some(rule)) => by_rule(&command, Verdict::Allow, ListName::Allow, rule),
        _ => judged(&command, by_mode(policy.mode), None, "no rule matches it".to_owned()),
    }
}

const fn by_mode(mode: Mode) -> Verdict {
    match mode {
        Mode::Default | Mode::AcceptEdits => Verdict::Ask,
        Mode::BypassPermissions => Verdict::Allow,
        Mode::DontAsk | Mode::Strict | Mode::ReadOnly => Verdict::Deny,
    }
}

/// Returns the verdict of an ask rule.
pub(super) fn asks(policy: &Policy) -> Verdict {
    if policy.mode == Mode::DontAsk { Verdict::Deny } else { Verdict::Ask }
}

/// Judges each command.
pub(super) fn judge(found: &Findings, request: &Request) -> Vec<Judged> {
    let mut grants: Vec<Option<Grant>> = Vec::with_capacity(found.commands.len());
    let mut all = Vec::with_capacity(found.commands.len());
    let mut has_inner = vec![false; found.commands.len()];
    for (parent, _) in found.commands.iter().filter_map(|command| command.parent) {
        has_inner[parent] = true;
    }
    for (command, has_inner) in found.commands.iter().zip(has_inner) {
        let grant = grant(command, &grants, request);
        all.push(judge_one(command, grant.as_ref(), has_inner, request));
        grants.push(grant);
    }
    all
}

/// An allow rule that covers a command, and perhaps the commands that it runs.
#[derive(Clone, Debug)]
struct Grant {
    rule: (usize, Rule),
    /// Whether the rule covers every command that the command runs.
    covers_inner: bool,
    /// The number of words, from the name on, that the rule fixes. An inner command that begins within them is covered too.
    words: usize,
}

/// Returns the allow rule that covers a command: by the words of the command, or by those of the command that runs it.
fn grant(command: &Found, grants: &[Option<Grant>], request: &Request) -> Option<Grant> {
    let inherited = command.parent.and_then(|(parent, index)| {
        let grant = grants.get(parent)?.as_ref()?;
        let reaches = grant.covers_inner || index.is_some_and(|index| grant.words > index);
        reaches.then(|| Grant {
            covers_inner: grant.covers_inner,
            words: grant.words.saturating_sub(index.unwrap_or(0)),
            ..grant.clone()
        })
    });
    if inherited.is_some() {
        return inherited;
    }
    let is_runner = command.trust == Some(Trust::Runner);
    let mut best: Option<Grant> = None;
    for rule in &request.policy.allow {
        if !covers(&rule.1, command) {
            continue;
        }
        let is_exact = rule.1.is_exact();
        let grant = Grant {
            rule: rule.clone(),
            covers_inner: is_runner || is_exact || rule.1.is_about_all(),
            words: if is_exact { usize::MAX } else { rule.1.fixed_words() },
        };
        let is_wider = best
            .as_ref()
            .is_none_or(|best| grant.covers_inner && !best.covers_inner || grant.words > best.words);
        if is_wider {
            best = Some(grant);
        }
    }
    best
}

fn covers(rule: &Rule, command: &Found) -> bool {
    if rule.is_about_all() {
        return true;
    }
    if rules::covers(rule, &command.words) {
        return true;
    }
    // A rule for `git log` covers `git --no-pager log`.
    let is_quiet_git = command.words.first().is_some_and(|field| field.literal() == Some("git"))
        && command.words.get(1).is_some_and(|field| matches!(field.literal(), Some("--no-pager" | "-P")));
    is_quiet_git && {
        let mut words = command.words.clone();
        words.remove(1);
        rules::covers(rule, &words)
    }
}

fn judge_one(command: &Found, grant: Option<&Grant>, has_inner: bool, request: &Request) -> Judged {
    let judged = judge_plainly(command, grant, has_inner, request);
    // A guess counts only where a rule denies it or asks: the command behind the guess is judged itself.
    let is_by_restriction = judged.rule.as_ref().is_some_and(|rule| rule.list != ListName::Allow);
    if command.guess_of.is_some() && !is_by_restriction {
        return Judged { verdict: Verdict::Allow, ..judged };
    }
    judged
}

fn judge_plainly(command: &Found, grant: Option<&Grant>, has_inner: bool, request: &Request) -> Judged {
    let policy = request.policy;
    if let Some(rule) = policy.deny.iter().find(|(_, rule)| matches(rule, command) == Match::Yes) {
        return by_rule(command, Verdict::Deny, ListName::Deny, rule);
    }
    let asked = policy.ask.iter().find(|(_, rule)| matches(rule, command) == Match::Yes);
    if let Some(rule) = asked {
        return by_rule(command, asks(policy), ListName::Ask, rule);
    }
    let mut lists = [(ListName::Deny, &policy.deny), (ListName::Ask, &policy.ask)].into_iter();
    let possible = lists.find_map(|(list, rules)| {
        let rule = rules.iter().find(|(_, rule)| matches(rule, command) == Match::Possible)?;
        Some((list, rule))
    });
    if let Some((list, rule)) = possible {
        return by_rule(command, unsure(policy), list, rule)
            .because("it depends on words that are not known whether this rule matches it");
    }
    if let Some(obstacle) = hidden(command, policy) {
        return judged(command, unsure(policy), None, obstacle);
    }
    if policy.mode == Mode::BypassPermissions {
        return judged(command, Verdict::Allow, None, "the mode allows it".to_owned());
    }
    allowed(command, grant, has_inner, request)
}

impl Judged {
    fn because(self, why: &str) -> Self {
        Self { why: why.to_owned(), ..self }
    }
}

/// Returns the verdict where unknown words decide whether a rule matches.
fn unsure(policy: &Policy) -> Verdict {
    if matches!(policy.mode, Mode::DontAsk | Mode::Strict) { Verdict::Deny } else { Verdict::Ask }
}

fn matches(rule: &Rule, command: &Found) -> Match {
    if command.words.is_empty() {
        return if rule.is_about_all() { Match::Yes } else { Match::No };
    }
    if command.obstacles.contains(&Obstacle::UnknownName) && !rule.is_about_all() {
        // `hidden` gives this reason, once for all rules.
        return Match::No;
    }
    rules::matches(rule, &command.words)
}

/// Returns why rules about names can't be applied to a command, if the policy has such rules.
fn hidden(command: &Found, policy: &Policy) -> Option<String> {
    if !policy.restricts_names() {
        return None;
    }
    command.obstacles.iter().find_map(|obstacle| match obstacle {
        Obstacle::UnknownName => Some("its name is not known before it runs".to_owned()),
        Obstacle::UnknownCode(what) => {
            Some(format!("it runs text that is not known before it runs ({what})"))
        }
        _ => None,
    })
}

/// Judges a command by the allow rules, and then by the mode.
fn allowed(command: &Found, grant: Option<&Grant>, has_inner: bool, request: &Request) -> Judged {
    let mode = request.policy.mode;
    if let Some(why) = uncovered(command, grant, request) {
        return judged(command, by_mode(mode), None, why);
    }
    if let Some(Grant { rule, .. }) = grant {
        return by_rule(command, Verdict::Allow, ListName::Allow, rule);
    }
    if command.words.is_empty() {
        return judged(command, Verdict::Allow, None, "it writes below the root only".to_owned());
    }
    if command.redirections.is_empty() && matches!(command.name(), Some("break" | "continue")) {
        return judged(command, Verdict::Allow, None, "it is a part of a loop".to_owned());
    }
    if command.is_function {
        return judged(
            command,
            Verdict::Allow,
            None,
            "it is a function whose commands are judged".to_owned(),
        );
    }
    if has_inner && command.trust == Some(Trust::Transparent) {
        return judged(command, Verdict::Allow, None, "what it runs is judged".to_owned());
    }
    judged(command, by_mode(mode), None, "no rule matches it".to_owned())
}

/// Returns why no allow rule covers a command.
fn uncovered(command: &Found, grant: Option<&Grant>, request: &Request) -> Option<String> {
    let is_exact = grant.is_some_and(|grant| grant.rule.1.is_exact());
    // A rule that takes any arguments of an interpreter takes any code as well.
    let takes_any_script = grant.is_some_and(|grant| !is_exact && grant.rule.1.fixed_words() <= 1);
    let obstacle = command.obstacles.iter().find_map(|obstacle| match obstacle {
        Obstacle::Variable(name) => Some(format!("the variable {name} can make programs run code")),
        Obstacle::Argument(argument) if !is_exact => {
            Some(format!("{argument} can make it run another program"))
        }
        Obstacle::Shell(what) => Some(format!("{what} can make the shell run other code")),
        Obstacle::WrittenScript(script) if !takes_any_script => {
            Some(format!("the same command line writes {script}, which it runs"))
        }
        _ => None,
    });
    obstacle.or_else(|| {
        let outputs = command.outputs.iter().filter(|_| !is_exact);
        let mut files = command.redirections.iter().chain(outputs);
        let redirect = files.find(|redirect| !write_is_covered(redirect, request))?;
        Some(format!(
            "it writes outside of the root or to a file that is not known ({})",
            redirect.target.shown()
        ))
    })
}

fn by_rule(command: &Found, verdict: Verdict, list: ListName, (index, rule): &(usize, Rule)) -> Judged {
    let rule = RuleRef { list, index: *index, rule: rule.source.clone() };
    let why = format!("{}[{}] is {}", list.name(), rule.index, rule.rule);
    judged(command, verdict, Some(rule), why)
}

pub(super) fn judged(command: &Found, verdict: Verdict, rule: Option<RuleRef>, why: String) -> Judged {
    let known = |field: &Field| (!field.is_many && !field.text.contains(UNKNOWN)).then(|| field.text.clone());
    let assigned =
        |(name, value): &(String, Option<String>)| Assigned { name: name.clone(), value: value.clone() };
    Judged {
        name: command.name().map(str::to_owned),
        argv: command.words.iter().map(known).collect(),
        assignments: command.assignments.iter().map(assigned).collect(),
        redirections: command.redirections.iter().map(describe).collect(),
        wrappers: command.wrappers.clone(),
        verdict,
        rule,
        why,
        is_guess: command.guess_of.is_some(),
    }
}
