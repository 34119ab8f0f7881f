//! The decision on a command line: reads the line, finds its commands, judges each, and concludes.

use super::commands::{self, Analysis, line_of};
use super::danger;
use super::decision::{Code, DENIED, Danger, Decision, Judged, Verdict};
use super::judge::{asks, judge, nothing};
use super::lists::{Mode, OnDanger, Policy};
use super::paths::PathStyle;
use super::read_only;
use super::request::PolicyRequest;
use super::suggestion::suggest;
use super::windows::with_slashes;
use crate::syntax::{self, Syntax};

/// Decides whether a command line may run.
#[must_use]
pub fn check(text: &str, request: &PolicyRequest) -> Decision {
    if request.style() == PathStyle::Unix {
        return decision(text, request).for_people();
    }
    let policy = request.policy.on_windows();
    let request = PolicyRequest { policy: &policy, ..*request };
    let found = decision(text, &request);
    let other = with_slashes(text).map(|text| decision(&text, &request));
    // Where only a part of the readings can be read, the shell decides which one it takes.
    let stricter = other.filter(|other| other.code != Code::Unparseable && other.verdict > found.verdict);
    stricter.unwrap_or(found).for_people()
}

fn decision(text: &str, request: &PolicyRequest) -> Decision {
    let Some(language) = request.syntax else {
        return unreadable(request.policy, "this shell's language is not read");
    };
    let read = syntax::read(text, language);
    match read.and_then(|list| commands::find(&list, language, request.surroundings())) {
        Ok(found) => {
            let is_read_only = request.policy.mode == Mode::ReadOnly;
            if is_read_only { read_only::decide(&found, request) } else { decide(&found, request) }
        }
        Err(error) => unreadable(request.policy, &format!("it can't be read beyond doubt: {error}")),
    }
}

/// Decides whether a program may run with these words, without a shell.
#[must_use]
pub fn check_words(words: &[String], request: &PolicyRequest) -> Decision {
    check(&line_of(words), &PolicyRequest { syntax: Some(Syntax::Bash), ..*request })
}

fn unreadable(policy: &Policy, why: &str) -> Decision {
    let verdict = match policy.mode {
        Mode::DontAsk | Mode::Strict | Mode::ReadOnly => Verdict::Deny,
        _ => Verdict::Ask,
    };
    Decision {
        verdict,
        code: Code::Unparseable,
        reason: format!("The command is not allowed: {why}"),
        commands: Vec::new(),
        dangerous: None,
        suggestions: Vec::new(),
    }
}

fn decide(found: &Analysis, request: &PolicyRequest) -> Decision {
    let policy = request.policy;
    let dangerous = match policy.dangerous {
        OnDanger::Ignore => None,
        _ => danger::find(found, request),
    };
    let mut commands = judge(found, request);
    let is_empty = commands.is_empty();
    if is_empty {
        commands.push(nothing(policy));
    }
    let strictest = commands.iter().map(|command| command.verdict).max().unwrap_or(Verdict::Ask);
    let suggestions = if strictest == Verdict::Allow || dangerous.is_some() {
        Vec::new()
    } else {
        suggest(&mut commands, found, request)
    };
    let (verdict, code, reason) = match &dangerous {
        Some(danger) => of_danger(danger, strictest, policy),
        None => of_commands(&commands, strictest),
    };
    if is_empty {
        commands.clear();
    }
    Decision { verdict, code, reason, commands, dangerous, suggestions }
}

fn of_danger(danger: &Danger, strictest: Verdict, policy: &Policy) -> (Verdict, Code, String) {
    let may_ask = policy.dangerous == OnDanger::Ask || danger.is_possible;
    let verdict = if may_ask && strictest != Verdict::Deny { asks(policy) } else { Verdict::Deny };
    (verdict, Code::Dangerous, danger.reason())
}

fn of_commands(commands: &[Judged], strictest: Verdict) -> (Verdict, Code, String) {
    let decisive = commands.iter().find(|command| command.verdict == strictest);
    let subject = decisive.map_or_else(String::new, title);
    let why = decisive.map_or("", |command| command.why.as_str());
    let (code, reason) = match strictest {
        Verdict::Allow => (Code::Allowed, "Every command is allowed".to_owned()),
        Verdict::Ask => (Code::NotApproved, format!("{subject} needs an approval: {why}")),
        Verdict::Deny => (Code::Denied, format!("{DENIED}: {subject}: {why}")),
    };
    (strictest, code, reason)
}

fn title(command: &Judged) -> String {
    let words: Vec<&str> = command.argv.iter().take(3).map(|word| word.as_deref().unwrap_or("…")).collect();
    let mut text = words.join(" ");
    if text.is_empty() {
        text = if command.redirections.is_empty() {
            "this command".to_owned()
        } else {
            command.redirections.join(" ")
        };
    } else if command.argv.len() > 3 {
        text.push_str(" …");
    }
    let text: String = text.chars().take(120).collect();
    format!("`{text}`")
}
