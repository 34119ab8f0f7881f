//! A policy for JavaScript: its rules are parsed once, and its decisions are objects.

#![allow(clippy::must_use_candidate, reason = "JavaScript calls these")]
#![allow(clippy::needless_pass_by_value, reason = "napi-derive hands arguments over by value")]

use napi_derive::napi;

use crate::policy::read_only::hardening::{Line, harden};
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
    /// Whether known queries need no rule.
    pub allows_queries: bool,
    /// Directories that redirections may write besides the root, absolute.
    pub writable: Vec<String>,
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

/// A command whose queries run no other programs.
#[derive(Debug)]
#[napi(object, object_from_js = false)]
pub struct HardenedCommand {
    /// The command line with more options; absent for a program and its arguments.
    pub command: Option<String>,
    /// The program and its arguments with more options; absent for a command line.
    pub argv: Option<Vec<String>>,
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
            Ok(policy) => {
                let policy =
                    Policy { allows_queries: spec.allows_queries, writable: spec.writable, ..policy };
                Self { policy, wrong: None }
            }
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

    /// Hardens the queries of a command that was allowed; null where that can't be done, so that the command
    /// must not run.
    #[napi(catch_unwind)]
    pub fn harden(&self, spec: CheckSpec) -> Option<HardenedCommand> {
        let links = Links::default();
        let line = spec.argv.clone().map_or_else(|| Line::Text(spec.command.clone()), Line::Words);
        let hardened = harden(&line, &self.request(&spec, &links), &filter_drivers)?;
        let (command, argv) = match hardened.line {
            Line::Text(text) => (Some(text), None),
            Line::Words(words) => (None, Some(words)),
        };
        Some(HardenedCommand { command, argv, environment: hardened.environment })
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
