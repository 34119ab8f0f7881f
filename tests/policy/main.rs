//! Tables of command lines with the decision that the policy must make.
//!
//! * [`rules`]: which rules match.
//! * [`usual`]: everyday commands of agents.
//! * [`bypasses`]: tricks that hide a command.
//! * [`arguments`]: options of harmless programs that run other programs or write files.
//! * [`evaluation`]: text that a shell evaluates as code.
//! * [`values`]: the values of variables.
//! * [`names`]: each wrapper, and each variable that can run code.
//! * [`dangerous`]: harmful commands, and harmless ones that look like them.
//! * [`read_only`]: queries, and commands that look like queries.
//! * [`quotes`]: random quotes, compared with bash.
//! * [`seldom`]: commands that need no rule.
//! * [`unknown`]: what the policy does not follow.
//! * [`properties`]: properties of any text.
//! * [`windows`]: requests of Windows.

#![allow(clippy::disallowed_methods, reason = "nobody changes the environment of a test")]
#![allow(clippy::too_many_lines, reason = "tables of command lines: they are long, and say it all")]
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]

mod arguments;
mod bypasses;
mod dangerous;
mod evaluation;
mod names;
mod properties;
mod quotes;
mod read_only;
mod rules;
mod seldom;
mod unknown;
mod usual;
mod usual_commands;
mod values;
mod windows;

use agent_bash::policy::{
    Code, Decision, Mode, NoLinks, OnDanger, Policy, PolicyRequest, Syntax, Verdict, check,
};

const ENVIRONMENT: &str = "HOME=/home/ann\0PATH=/usr/local/bin:/usr/bin:/bin\0USER=ann\0SHELL=/bin/bash\0";
const ROOT: &str = "/work/project";

fn policy(mode: Mode, deny: &[&str], ask: &[&str], allow: &[&str]) -> Policy {
    let own = |rules: &[&str]| rules.iter().map(|rule| (*rule).to_owned()).collect::<Vec<_>>();
    Policy::new(mode, OnDanger::Deny, &own(deny), &own(ask), &own(allow)).expect("rules")
}

fn decide(text: &str, policy: &Policy) -> Decision {
    decide_for(Syntax::Bash, text, policy)
}

fn decide_for(syntax: Syntax, text: &str, policy: &Policy) -> Decision {
    let request = PolicyRequest {
        policy,
        syntax: Some(syntax),
        directory: Some(ROOT),
        root: Some(ROOT),
        environment: Some(ENVIRONMENT),
        paths: &NoLinks,
    };
    check(text, &request)
}

/// Fails with a list of the command lines whose decision is wrong.
fn all(texts: &[&str], policy: &Policy, what: &str, is_right: impl Fn(&Decision) -> bool) {
    all_of(texts, &|text| decide(text, policy), what, is_right);
}

/// Fails with a list of the command lines for which `decide` is wrong.
fn all_of(
    texts: &[&str],
    decide: &dyn Fn(&str) -> Decision,
    what: &str,
    is_right: impl Fn(&Decision) -> bool,
) {
    let wrong: Vec<String> = texts
        .iter()
        .filter_map(|text| {
            let decision = decide(text);
            let line = format!("{text:?} is {:?}: {}", decision.verdict, decision.reason);
            (!is_right(&decision)).then_some(line)
        })
        .collect();
    assert!(wrong.is_empty(), "{} of {} are not {what}:\n{}", wrong.len(), texts.len(), wrong.join("\n"));
}

fn allowed(rules: &[&str], texts: &[&str]) {
    let policy = policy(Mode::Default, &[], &[], rules);
    all(texts, &policy, "allowed", |decision| decision.verdict == Verdict::Allow);
}

fn asked(rules: &[&str], texts: &[&str]) {
    let policy = policy(Mode::Default, &[], &[], rules);
    all(texts, &policy, "asked about", |decision| decision.verdict == Verdict::Ask);
}

/// Checks that the deny rules deny these command lines, with everything else allowed.
fn denied(rules: &[&str], texts: &[&str]) {
    for mode in [Mode::BypassPermissions, Mode::Default] {
        let mut policy = policy(mode, rules, &[], &["Bash"]);
        policy.dangerous = OnDanger::Ignore;
        all(texts, &policy, "denied", |decision| decision.verdict == Verdict::Deny);
    }
}

/// Checks that these command lines are denied or asked about, with deny rules and everything else allowed.
fn never_allowed(rules: &[&str], texts: &[&str]) {
    for mode in [Mode::BypassPermissions, Mode::Default] {
        let mut policy = policy(mode, rules, &[], &["Bash"]);
        policy.dangerous = OnDanger::Ignore;
        all(texts, &policy, "stopped", |decision| decision.verdict != Verdict::Allow);
    }
}

fn dangerous(texts: &[&str]) {
    let policy = policy(Mode::BypassPermissions, &[], &[], &["Bash"]);
    all(texts, &policy, "dangerous", |decision| {
        decision.code == Code::Dangerous && decision.verdict == Verdict::Deny && decision.dangerous.is_some()
    });
}

fn harmless(texts: &[&str]) {
    let policy = policy(Mode::BypassPermissions, &[], &[], &["Bash"]);
    all(texts, &policy, "harmless", |decision| {
        decision.verdict == Verdict::Allow && decision.dangerous.is_none()
    });
}

fn reads(texts: &[&str]) {
    let policy = policy(Mode::ReadOnly, &[], &[], &[]);
    all(texts, &policy, "read-only", |decision| decision.verdict == Verdict::Allow);
}

fn does_more(texts: &[&str]) {
    let policy = policy(Mode::ReadOnly, &[], &[], &[]);
    all(texts, &policy, "more than read-only", |decision| decision.verdict == Verdict::Deny);
}
