//! A policy for JavaScript: its rules are parsed once, and its decisions are objects.

#![allow(clippy::must_use_candidate, reason = "JavaScript calls these")]
#![allow(clippy::needless_pass_by_value, reason = "napi-derive hands arguments over by value")]

use napi_derive::napi;

use crate::policy::commands::Findings;
use crate::policy::commands::scope::{Scope, resolve};
use crate::policy::read_only::hardening;
use crate::policy::{self, Mode, OnDanger, Paths, Policy, Request, Syntax, check, check_words};
use crate::process::directory::links::Links;
use crate::process::git_filters::filter_drivers;

/// The lists of a policy, as JavaScript has checked them.
#[derive(Debug)]
#[napi(object, object_to_js = false)]
pub struct PolicySpec {
    /// The mode, by its name in `index.d.ts`.
    pub mode: String,
    /// `deny`, `ask` or `ignore`.
    pub dangerous: String,
    /// Rules that deny.
    pub deny: Vec<String>,
    /// Rules that ask.
    pub ask: Vec<String>,
    /// Rules that allow.
    pub allow: Vec<String>,
}

/// A command line to be judged.
#[derive(Debug)]
#[napi(object, object_to_js = false)]
pub struct CheckSpec {
    /// The command line; empty with `argv`.
    pub command: String,
    /// A program and its arguments, without a shell.
    pub argv: Option<Vec<String>>,
    /// `bash`, `posix`, `zsh`, or something else that is not read.
    pub syntax: String,
    /// The working directory, absolute.
    pub cwd: Option<String>,
    /// The root, absolute.
    pub root: Option<String>,
    /// `NAME=value` with a NUL behind each.
    pub environment: Option<String>,
}

/// An invalid rule.
#[derive(Debug)]
#[napi(object, object_from_js = false)]
pub struct WrongRule {
    /// `allow`, `ask` or `deny`.
    pub list: &'static str,
    /// The index of the rule in its list.
    pub index: u32,
    /// The rule as written.
    pub rule: String,
    /// The fault of the rule.
    pub fault: String,
}

/// The environment and options that keep a command that only reads from running other programs.
#[derive(Debug)]
#[napi(object, object_from_js = false)]
pub struct HardeningObject {
    /// The command line with more options.
    pub command: String,
    /// The environment of the command.
    pub environment: String,
}

impl Paths for Links {
    fn real(&self, path: &str) -> Option<String> {
        self.real_path(path)
    }
}

/// A policy whose rules have been read.
#[derive(Debug, Default)]
#[napi]
pub struct NativePolicy {
    policy: Policy,
    wrong: Option<policy::RuleError>,
}

#[napi]
impl NativePolicy {
    /// Parses the rules. [`Self::wrong_rule`] reports an invalid rule.
    #[napi(constructor, catch_unwind)]
    pub fn new(spec: PolicySpec) -> Self {
        let mode = match spec.mode.as_str() {
            "acceptEdits" => Mode::AcceptEdits,
            "bypassPermissions" => Mode::BypassPermissions,
            "dontAsk" => Mode::DontAsk,
            "strict" => Mode::Strict,
            "readOnly" => Mode::ReadOnly,
            _ => Mode::Default,
        };
        let dangerous = match spec.dangerous.as_str() {
            "ask" => OnDanger::Ask,
            "ignore" => OnDanger::Ignore,
            _ => OnDanger::Deny,
        };
        match Policy::new(mode, dangerous, &spec.deny, &spec.ask, &spec.allow) {
            Ok(policy) => Self { policy, wrong: None },
            // A policy with an invalid rule allows nothing.
            Err(wrong) => {
                Self { policy: Policy { mode: Mode::Strict, ..Policy::default() }, wrong: Some(wrong) }
            }
        }
    }

    /// Returns the first invalid rule.
    #[napi(catch_unwind)]
    pub fn wrong_rule(&self) -> Option<WrongRule> {
        let wrong = self.wrong.as_ref()?;
        Some(WrongRule {
            list: wrong.list.name(),
            index: number(wrong.index),
            rule: wrong.rule.clone(),
            fault: wrong.fault.to_string(),
        })
    }

    /// Decides whether a command may run. Returns the decision as JSON.
    #[napi(catch_unwind)]
    pub fn check(&self, spec: CheckSpec) -> String {
        let links = Links::default();
        let request = self.request(&spec, &links);
        let decision = match &spec.argv {
            Some(argv) => check_words(argv, &request),
            None => check(&spec.command, &request),
        };
        serde_json::to_string(&decision).unwrap_or_default()
    }

    /// Returns the plan for a command that only reads; null for a command that can't be parsed.
    #[napi(catch_unwind)]
    pub fn harden(&self, spec: CheckSpec) -> Option<HardeningObject> {
        let syntax = syntax(&spec.syntax)?;
        let list = policy::syntax::read(&spec.command, syntax).ok()?;
        let scope = Scope::new(spec.cwd.clone(), spec.environment.as_deref());
        let found = policy::commands::find(&list, &spec.command, syntax, scope).ok()?;
        let filters = filter_drivers(&directories(&found, spec.cwd.as_deref()))?;
        let plan = hardening::harden(&spec.command, &list, &filters);
        let environment = spec.environment.as_deref().unwrap_or_default();
        Some(HardeningObject { environment: plan.environment(environment), command: plan.command })
    }
}

impl NativePolicy {
    fn request<'a>(&'a self, spec: &'a CheckSpec, links: &'a Links) -> Request<'a> {
        Request {
            policy: &self.policy,
            syntax: syntax(&spec.syntax),
            directory: spec.cwd.as_deref(),
            root: spec.root.as_deref(),
            environment: spec.environment.as_deref(),
            paths: links,
        }
    }
}

/// Returns the directories in which commands of a command line run, also by `git -C`.
fn directories(found: &Findings, cwd: Option<&str>) -> Vec<String> {
    let mut directories: Vec<String> = cwd.map(str::to_owned).into_iter().collect();
    for command in &found.commands {
        let mut directory = command.directory.clone();
        directories.extend(directory.clone());
        for pair in command.words.windows(2).filter(|pair| pair[0].text == "-C") {
            directory = resolve(directory.as_deref(), &pair[1].text);
            directories.extend(directory.clone());
        }
    }
    directories.sort_unstable();
    directories.dedup();
    directories
}

fn syntax(name: &str) -> Option<Syntax> {
    match name {
        "bash" => Some(Syntax::Bash),
        "posix" => Some(Syntax::Posix),
        "zsh" => Some(Syntax::Zsh),
        _ => None,
    }
}

fn number(index: usize) -> u32 {
    u32::try_from(index).unwrap_or(u32::MAX)
}
