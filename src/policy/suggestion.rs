//! Rules that would allow a command line, where they are safe to offer.

use std::borrow::Cow;

use super::commands::{Analysis, ExpandedCommand, Field, is_shell};
use super::decision::{Judged, Verdict};
use super::judge::judge;
use super::lists::Policy;
use super::programs::{Offer, Program, is_interpreter};
use super::read_only::is_query_program;
use super::request::PolicyRequest;
use super::rules::Rule;
use crate::text::visible_lines;

/// Subcommands after which every rule names the task that they run.
const RUNS_TASK: [&str; 2] = ["run", "run-script"];

/// The most words in an offered rule: a person has to read it.
const MAX_WORDS: usize = 64;

/// The most rules offered for one command line.
const MAX_RULES: usize = 8;

/// Records the rule that each command lacks, and returns all of them if they would allow the command line.
pub(super) fn suggest(commands: &mut [Judged], found: &Analysis, request: &PolicyRequest) -> Vec<String> {
    let missing = |judged: &Judged| judged.verdict != Verdict::Allow && judged.rule.is_none();
    let mut rules: Vec<String> = Vec::new();
    let mut offered: Vec<Option<String>> = Vec::with_capacity(commands.len());
    for (command, judged) in found.commands.iter().zip(commands.iter()) {
        let source = if missing(judged) { rule_for(command) } else { None };
        if let Some(source) = source.as_ref().filter(|source| !rules.contains(source)) {
            rules.push(source.clone());
        }
        if rules.len() > MAX_RULES {
            return Vec::new();
        }
        offered.push(source);
    }
    if rules.is_empty() {
        return rules;
    }
    let policy = with_rules(request.policy, &rules);
    let after = judge(found, &PolicyRequest { policy: &policy, ..*request });
    for ((judged, after), source) in commands.iter_mut().zip(&after).zip(offered) {
        judged.suggestion = source.filter(|_| after.verdict == Verdict::Allow);
    }
    if after.iter().all(|judged| judged.verdict == Verdict::Allow) { rules } else { Vec::new() }
}

fn with_rules(policy: &Policy, sources: &[String]) -> Policy {
    let mut policy = policy.clone();
    for rule in sources.iter().filter_map(|source| Rule::parse(source).ok().flatten()) {
        policy.allow.push((policy.allow.len(), rule));
    }
    policy
}

/// Returns the narrowest rule that a person would write for a command: its subcommand with any arguments if
/// that is safe, otherwise exactly its words.
fn rule_for(command: &ExpandedCommand) -> Option<String> {
    let name = command.base_name()?;
    let offer = command.program().map(|program| program.offer);
    if is_shell(name)
        || is_interpreter(name) && offer != Some(Offer::Targets)
        || offer == Some(Offer::Nothing)
    {
        return None;
    }
    if command.trust.is_some() || !command.obstacles.is_empty() || command.words.len() > MAX_WORDS {
        return None;
    }
    let words: Option<Vec<&str>> = command.words.iter().map(Field::literal).collect();
    if let Some(prefix) = prefix_of(&command.words) {
        return seen(format!("Bash({}:*)", spelled(&prefix)));
    }
    seen(format!("Bash({})", spelled(&words?)))
}

/// Returns a rule that a person can see as it is.
fn seen(rule: String) -> Option<String> {
    matches!(visible_lines(&rule), Cow::Borrowed(_)).then_some(rule)
}

fn prefix_of(words: &[Field]) -> Option<Vec<&str>> {
    let literal = |at: usize| words.get(at).and_then(Field::literal);
    let name = literal(0).filter(|name| !name.contains('/'))?;
    let offer = Program::of(name).map_or(Offer::Exact, |program| program.offer);
    let subcommands: &[&str] = match offer {
        Offer::Subcommands(subcommands) => subcommands,
        Offer::Targets => &["run"],
        Offer::Any => return Some(vec![name]),
        Offer::Exact | Offer::Nothing => return is_query_program(name).then(|| vec![name]),
    };
    let first = literal(1).filter(|word| !word.starts_with('-'))?;
    let pair = literal(2).map(|second| format!("{first} {second}"));
    if offer == Offer::Targets && words.len() == 2 {
        return Some(vec![name, first]);
    }
    if RUNS_TASK.contains(&first) && subcommands.contains(&first) {
        let task = literal(2).filter(|task| !task.starts_with('-') && !task.contains(['*', ' ']))?;
        return Some(vec![name, first, task]);
    }
    if pair.is_some_and(|pair| subcommands.contains(&pair.as_str())) {
        return Some(vec![name, first, literal(2)?]);
    }
    subcommands.contains(&first).then(|| vec![name, first])
}

/// Returns words as a rule spells them.
fn spelled(words: &[&str]) -> String {
    let is_plain = |char: char| char.is_alphanumeric() || "_-./=@%+,".contains(char);
    let spelled = words.iter().enumerate().map(|(at, word)| {
        if !word.is_empty() && word.chars().all(|char| is_plain(char) || char == ':' && at > 0) {
            (*word).to_owned()
        } else {
            super::commands::quoted(word)
        }
    });
    spelled.collect::<Vec<_>>().join(" ")
}
