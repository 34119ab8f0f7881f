//! Requests of Windows, whose directory has a drive.
//!
//! * [`forms`]: the spellings of a path.
//! * [`dangerous`]: harmful commands of Windows, and harmless ones that look like them.
//! * [`shells`]: what cmd, PowerShell and other programs run.
//! * [`rules`]: names and paths in rules, and variables.
//! * [`properties`]: all spellings of a path have one verdict.

mod dangerous;
mod forms;
mod properties;
mod rules;
mod shells;

use crate::{Decision, Mode, NoLinks, Policy, PolicyRequest, Syntax, Verdict, all_of, check, policy};
use agent_bash::policy::Code;

const ENVIRONMENT: &str =
    "USERPROFILE=C:\\Users\\Ann\0APPDATA=C:\\Users\\Ann\\AppData\\Roaming\0SystemRoot=C:\\Windows\0";
const ROOT: &str = r"C:\Work\Project";

fn decide(text: &str, policy: &Policy) -> Decision {
    let request = PolicyRequest {
        policy,
        syntax: Some(Syntax::Bash),
        directory: Some(ROOT),
        root: Some(ROOT),
        environment: Some(ENVIRONMENT),
        paths: &NoLinks,
    };
    check(text, &request)
}

fn all(texts: &[&str], policy: &Policy, what: &str, is_right: impl Fn(&Decision) -> bool) {
    all_of(texts, &|text| decide(text, policy), what, is_right);
}

fn dangerous(texts: &[&str]) {
    let policy = policy(Mode::BypassPermissions, &[], &[], &["Bash"]);
    all(texts, &policy, "dangerous", |decision| {
        decision.code == Code::Dangerous && decision.verdict == Verdict::Deny
    });
}

fn harmless(texts: &[&str]) {
    let policy = policy(Mode::BypassPermissions, &[], &[], &["Bash"]);
    all(texts, &policy, "harmless", |decision| {
        decision.dangerous.is_none() && decision.code != Code::Unparseable
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
