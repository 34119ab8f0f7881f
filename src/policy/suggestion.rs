//! The narrowest rule that would allow a command line, if one is safe to offer.

use super::commands::{Findings, Found, is_interpreter, is_shell};
use super::decision::{Judged, Verdict};
use super::judge::check_found;
use super::lists::Policy;
use super::request::Request;
use super::rules::Rule;

/// Programs for which no rule is offered: they run any other program.
const NEVER: [&str; 26] = [
    "env", "sudo", "doas", "su", "pkexec", "xargs", "find", "fd", "eval", "source", ".", "exec", "command",
    "builtin", "trap", "alias", "ssh", "parallel", "watch", "npx", "bunx", "pnpx", "chroot", "nsenter",
    "unshare", "at",
];

/// The most words of a rule that is offered: a person has to read it.
const MAX_WORDS: usize = 64;

/// Returns the rule that a command line lacks, if it is asked about or denied only because no rule matches one command.
pub(super) fn suggest(commands: &[Judged], found: &Findings, request: &Request) -> Option<String> {
    if commands.len() != found.commands.len() {
        return None;
    }
    let mut missing =
        found.commands.iter().zip(commands).filter(|(_, judged)| judged.verdict != Verdict::Allow);
    let (command, judged) = missing.next()?;
    if judged.rule.is_some() {
        return None;
    }
    let source = rule_for(command)?;
    let policy = with_rule(request.policy, &source)?;
    let would = check_found(found, &Request { policy: &policy, ..*request });
    (would == Verdict::Allow).then_some(source)
}

fn with_rule(policy: &Policy, source: &str) -> Option<Policy> {
    let rule = Rule::parse(source).ok()??;
    let mut policy = policy.clone();
    policy.allow.push((policy.allow.len(), rule));
    Some(policy)
}

/// Returns the rule with exactly the words of a command.
fn rule_for(command: &Found) -> Option<String> {
    let name = command.base_name()?;
    if is_shell(name)
        || is_interpreter(name)
        || NEVER.contains(&name)
        || command.trust.is_some()
        || !command.obstacles.is_empty()
    {
        return None;
    }
    if command.words.len() > MAX_WORDS {
        return None;
    }
    let words: Option<Vec<String>> = command.words.iter().map(|field| field.literal().map(quoted)).collect();
    Some(format!("Bash({})", words?.join(" ")))
}

/// Returns a word as it is written in a rule.
fn quoted(word: &str) -> String {
    let is_plain = |char: char| char.is_alphanumeric() || "_-./=@%+,".contains(char);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}
