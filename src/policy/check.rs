//! The decision on a command line: reads it, finds its commands, judges each, and concludes.

use super::commands::{self, Findings};
use super::danger;
use super::decision::{Code, Danger, Decision, Judged, Verdict};
use super::judge::{asks, judge, nothing};
use super::lists::{Mode, OnDanger, Policy};
use super::read_only;
use super::request::Request;
use super::suggestion::suggest;
use super::syntax::{self, Syntax, SyntaxError};

/// Decides whether a command line may run.
#[must_use]
pub fn check(text: &str, request: &Request) -> Decision {
    let Some(language) = request.syntax else {
        return unreadable(request.policy, "this shell's language is not read");
    };
    let read = syntax::read(text, language);
    match read.and_then(|list| commands::find(&list, text, language, request.scope())) {
        Ok(found) if request.policy.mode == Mode::ReadOnly => read_only::decide(&found, text, request),
        Ok(found) => decide(&found, request),
        Err(error) => unreadable(request.policy, &because(&error)),
    }
}

/// Decides whether a program may run with these words, without a shell.
#[must_use]
pub fn check_words(words: &[String], request: &Request) -> Decision {
    let text: Vec<String> = words.iter().map(|word| format!("'{}'", word.replace('\'', "'\\''"))).collect();
    check(&text.join(" "), &Request { syntax: Some(Syntax::Bash), ..*request })
}

fn because(error: &SyntaxError) -> String {
    format!("it can't be read beyond doubt: {error}")
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
        suggestion: None,
    }
}

fn decide(found: &Findings, request: &Request) -> Decision {
    let policy = request.policy;
    let dangerous = match policy.dangerous {
        OnDanger::Ignore => None,
        _ => danger::find(found, request),
    };
    let mut commands = judge(found, request);
    if found.commands.is_empty() {
        commands.push(nothing(policy));
    }
    let strictest = commands.iter().map(|command| command.verdict).max().unwrap_or(Verdict::Ask);
    let suggestion = if strictest == Verdict::Allow || dangerous.is_some() {
        None
    } else {
        suggest(&commands, found, request)
    };
    let decision = conclude(strictest, commands, found.commands.is_empty(), dangerous, policy);
    Decision { suggestion, ..decision }
}

fn conclude(
    strictest: Verdict,
    mut commands: Vec<Judged>,
    is_empty: bool,
    dangerous: Option<Danger>,
    policy: &Policy,
) -> Decision {
    let on_danger = if policy.dangerous == OnDanger::Ask && strictest != Verdict::Deny {
        asks(policy)
    } else {
        Verdict::Deny
    };
    let (verdict, code, reason) = match &dangerous {
        Some(danger) => (
            on_danger,
            Code::Dangerous,
            format!("Command matches a known-dangerous pattern: it would {}", danger.what),
        ),
        None => {
            let code = match strictest {
                Verdict::Allow => Code::Allowed,
                Verdict::Ask => Code::NotApproved,
                Verdict::Deny => Code::Denied,
            };
            let decisive = commands.iter().find(|command| command.verdict == strictest);
            let subject = decisive.map_or_else(String::new, title);
            let why = decisive.map_or("", |command| command.why.as_str());
            let reason = match strictest {
                Verdict::Allow => "Every command is allowed".to_owned(),
                Verdict::Ask => format!("{subject} needs an approval: {why}"),
                Verdict::Deny => format!("Permission denied for tool \"Bash\": {subject}: {why}"),
            };
            (strictest, code, reason)
        }
    };
    if is_empty {
        commands.clear();
    }
    // A guess is listed only where it decided.
    commands
        .retain(|command| !command.is_guess || command.verdict == strictest && strictest != Verdict::Allow);
    Decision { verdict, code, reason, commands, dangerous, suggestion: None }
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
