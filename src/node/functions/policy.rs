//! A policy for JavaScript: its rules are parsed once, and its decisions are objects.

#![allow(clippy::must_use_candidate, reason = "JavaScript calls these")]
#![allow(clippy::needless_pass_by_value, reason = "napi-derive hands arguments over by value")]

use napi::bindgen_prelude::Either;
use napi_derive::napi;

use crate::node::error::{NativeError, answer};
use crate::node::spec::surroundings::shell_of;
use crate::policy::lists::RuleError;
use crate::policy::read_only::hardening::{CommandText, harden};
use crate::policy::request::syntax_of;
use crate::policy::{
    Mode, NoLinks, OnDanger, PathStyle, Paths, Policy, PolicyRequest, check, check_words, native,
};
use crate::process::directory::links::Links;
use crate::sandbox::options::SandboxOptions;
use crate::sandbox::plan::git::filters::filter_drivers;

/// The lists of a policy, as JavaScript has checked them.
#[derive(Debug)]
#[napi(object, object_to_js = false)]
pub struct PolicySpec {
    /// The mode, one of [`policy_modes`].
    pub mode: Option<String>,
    pub dangerous: Option<OnDangerSpec>,
    pub deny: Vec<String>,
    pub ask: Vec<String>,
    pub allow: Vec<String>,
    /// Whether known queries need no rule.
    pub allows_queries: bool,
    /// Directories that redirections may write besides the root, absolute.
    pub writable: Vec<String>,
}

/// The verdict on dangerous commands.
#[napi(string_enum = "lowercase")]
#[derive(Clone, Copy, Debug)]
pub enum OnDangerSpec {
    Deny,
    Ask,
    Ignore,
}

/// A command line to be judged.
#[derive(Debug)]
#[napi(object, object_to_js = false)]
pub struct CheckSpec {
    /// The command line; empty with `argv`.
    pub command: String,
    /// A program and its arguments, without a shell.
    pub argv: Option<Vec<String>>,
    /// Whether the text is split into words, and run without a shell.
    pub split: Option<bool>,
    /// The path and the flags of the shell; absent for the usual one.
    pub shell: Option<Vec<String>>,
    /// The working directory, absolute; absent if it is not known.
    pub cwd: Option<String>,
    /// The root, absolute.
    pub root: Option<String>,
    /// `NAME=value` with a NUL behind each; absent if it is not known.
    pub environment: Option<String>,
    /// The sandbox in which it will run, as JSON.
    pub sandbox: Option<String>,
    /// Whether it will run on a target: the links there and the whole environment are not known.
    pub is_elsewhere: Option<bool>,
}

/// A command whose queries run no other programs.
#[derive(Debug)]
#[napi(object, object_from_js = false)]
pub struct HardenedCommand {
    /// The command line with more options; absent for a program and its arguments.
    pub command: Option<String>,
    /// The program and its arguments with more options; absent for a command line.
    pub argv: Option<Vec<String>>,
    pub environment: String,
}

impl Paths for Links {
    fn real(&self, path: &str) -> Option<String> {
        match native(path).filter(|_| Self::HAS_DRIVES) {
            Some(path) => self.real_path(&path),
            // Any other path there is one that only Git Bash knows.
            None if Self::HAS_DRIVES => Some(path.to_owned()),
            None => self.real_path(path),
        }
    }
}

/// Returns the names of the modes.
#[napi(catch_unwind)]
pub fn policy_modes() -> Vec<&'static str> {
    Mode::NAMED.iter().map(|(name, _)| *name).collect()
}

/// Reads the rules of a policy. The error is that of the first invalid rule.
#[napi(catch_unwind)]
pub fn read_policy(spec: PolicySpec) -> Either<NativePolicy, NativeError> {
    let policy = spec.policy().map_err(NativeError::from);
    answer(policy.map(|policy| NativePolicy { enforced: policy.enforced_by_sandbox(), policy }))
}

impl PolicySpec {
    fn policy(self) -> Result<Policy, RuleError> {
        let Self { mode, dangerous, deny, ask, allow, allows_queries, writable } = self;
        let mode = mode.and_then(|name| Mode::by_name(&name)).unwrap_or_default();
        let dangerous = dangerous.map_or(OnDanger::default(), OnDanger::from);
        let policy = Policy::new(mode, dangerous, &deny, &ask, &allow)?;
        Ok(Policy { allows_queries, writable, ..policy })
    }
}

impl From<OnDangerSpec> for OnDanger {
    fn from(spec: OnDangerSpec) -> Self {
        match spec {
            OnDangerSpec::Deny => Self::Deny,
            OnDangerSpec::Ask => Self::Ask,
            OnDangerSpec::Ignore => Self::Ignore,
        }
    }
}

impl From<RuleError> for NativeError {
    fn from(RuleError { list, index, rule, fault }: RuleError) -> Self {
        Self::of_option(format!("{}[{index}]", list.name()), format!("{fault}, got '{rule}'"))
    }
}

/// A policy whose rules have been read.
#[derive(Debug)]
#[napi]
pub struct NativePolicy {
    policy: Policy,
    /// The policy for commands whose sandbox lets them only read, if it differs.
    enforced: Option<Policy>,
}

#[napi]
impl NativePolicy {
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

    /// Returns whether this sandbox, as JSON, keeps commands to what the mode allows.
    #[napi(catch_unwind)]
    pub fn is_enforced_by(&self, sandbox: Option<String>) -> bool {
        self.enforced_in(sandbox.as_deref()).is_some()
    }

    /// Hardens the queries of a command that was allowed; null where that can't be done, so that the command
    /// must not run.
    #[napi(catch_unwind)]
    pub fn harden(&self, spec: CheckSpec) -> Option<HardenedCommand> {
        if self.enforced_in(spec.sandbox.as_deref()).is_some() {
            // Programs that git's settings run are in the sandbox too.
            let command = spec.argv.is_none().then_some(spec.command);
            return Some(HardenedCommand { command, argv: spec.argv, environment: spec.environment? });
        }
        let links = Links::default();
        let line =
            spec.argv.clone().map_or_else(|| CommandText::Text(spec.command.clone()), CommandText::Words);
        let hardened = harden(&line, &self.request(&spec, &links), &filter_drivers)?;
        let (command, argv) = match hardened.line {
            CommandText::Text(text) => (Some(text), None),
            CommandText::Words(words) => (None, Some(words)),
        };
        Some(HardenedCommand { command, argv, environment: hardened.environment })
    }
}

impl NativePolicy {
    fn enforced_in(&self, sandbox: Option<&str>) -> Option<&Policy> {
        let sandbox = sandbox.filter(|_| self.enforced.is_some())?;
        let only_reads = SandboxOptions::parse(sandbox).is_ok_and(|options| options.only_reads());
        self.enforced.as_ref().filter(|_| only_reads)
    }

    fn request<'a>(&'a self, spec: &'a CheckSpec, links: &'a Links) -> PolicyRequest<'a> {
        let shell = shell_of(spec.shell.clone());
        let is_elsewhere = spec.is_elsewhere == Some(true);
        let request = PolicyRequest {
            policy: self.enforced_in(spec.sandbox.as_deref()).unwrap_or(&self.policy),
            syntax: if spec.split == Some(true) { None } else { syntax_of(&shell.program, &shell.flags) },
            directory: spec.cwd.as_deref(),
            root: spec.root.as_deref(),
            environment: spec.environment.as_deref().filter(|_| !is_elsewhere),
            paths: &NoLinks,
        };
        // The file system here has no paths of Windows, unless it is one.
        let is_elsewhere = is_elsewhere || !Links::HAS_DRIVES && request.style() == PathStyle::Windows;
        if is_elsewhere { request } else { PolicyRequest { paths: links, ..request } }
    }
}
