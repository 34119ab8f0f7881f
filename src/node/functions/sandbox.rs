//! Functions about sandboxes for JavaScript: the probe, texts for models, checks of options.

use std::path::{Path, PathBuf};

use napi::bindgen_prelude::{AsyncTask, Either, Env, Result, Task};
use napi_derive::napi;

use crate::job::sandbox::sandbox_levels;
use crate::node::error::{NativeError, answer, guarded};
use crate::node::spec::surroundings::{home_of, sandbox_of};
use crate::sandbox::availability::Availability;
use crate::sandbox::escalation::{self, EscalationLimits, ExtraRights};
use crate::sandbox::options::SandboxOptions;
use crate::sandbox::plan::Tier;
use crate::sandbox::plan::make::{PlanError, check_with_overlay, outline};
use crate::sandbox::texts;

/// This machine's support of one level.
#[derive(Debug)]
#[napi(object, object_from_js = false)]
pub struct LevelResult {
    pub level: &'static str,
    pub available: bool,
    pub mechanism: Option<&'static str>,
    pub missing: Vec<&'static str>,
    pub reason: Option<String>,
}

impl From<Availability> for LevelResult {
    fn from(found: Availability) -> Self {
        Self {
            level: found.level.name(),
            available: found.is_available,
            mechanism: found.tier.map(Tier::mechanism),
            missing: found.missing.iter().map(|part| part.name()).collect(),
            reason: found.reason,
        }
    }
}

/// Probes this machine on a thread of libuv.
#[derive(Debug)]
pub struct ProbeTask {
    home: Option<PathBuf>,
    is_inside: bool,
}

impl Task for ProbeTask {
    type Output = std::result::Result<Vec<Availability>, NativeError>;
    type JsValue = Either<Vec<LevelResult>, NativeError>;

    fn compute(&mut self) -> Result<Self::Output> {
        let probe = || Ok(sandbox_levels(self.home.as_deref(), self.is_inside));
        Ok(guarded("the sandboxes of this machine could not be probed", probe))
    }

    fn resolve(&mut self, _: Env, levels: Self::Output) -> Result<Self::JsValue> {
        Ok(answer(levels.map(|levels| levels.into_iter().map(LevelResult::from).collect())))
    }
}

/// Probes the sandboxes of this machine, on a thread of libuv. `home` is the user's home directory, and
/// `is_inside` says whether Node.js itself runs in a sandbox of this package.
#[napi(catch_unwind)]
#[must_use]
pub fn probe_sandboxes(home: Option<String>, is_inside: bool) -> AsyncTask<ProbeTask> {
    AsyncTask::new(ProbeTask { home: home.map(PathBuf::from), is_inside })
}

/// Returns the paragraph that tells a model what commands in a sandbox (JSON) may do. `has_overlay` says
/// whether an overlay covers `root`.
#[allow(clippy::needless_pass_by_value, reason = "napi-derive hands arguments over by value")]
#[napi(catch_unwind)]
#[must_use]
pub fn sandbox_paragraph(
    sandbox: String,
    root: String,
    environment: String,
    has_overlay: bool,
) -> Either<String, NativeError> {
    let paragraph = || {
        let options = sandbox_of(&sandbox, &root, &environment)?;
        if has_overlay {
            check_with_overlay(&options)?;
        }
        let (root, home) = (real_path(&root), home_of(&environment).map(Path::new));
        let listed = options.sockets.clone();
        let plan = match outline(&options, &root, home) {
            // The path may exist when a command runs; until then, each command fails and names it.
            Err(PlanError::Path { .. }) => {
                let rest = SandboxOptions { writable: Vec::new(), visible: Vec::new(), ..options };
                outline(&rest, &root, home)?
            }
            other => other?,
        };
        Ok(texts::for_model(&plan, &root, &listed))
    };
    answer(paragraph())
}

/// Returns the mistake in a sandbox (JSON) for this root, whose commands have this environment; `null` for
/// none.
#[allow(clippy::needless_pass_by_value, reason = "napi-derive hands arguments over by value")]
#[napi(catch_unwind)]
#[must_use]
pub fn sandbox_mistake(sandbox: String, root: String, environment: String) -> Option<NativeError> {
    sandbox_of(&sandbox, &root, &environment).err()
}

/// The extra rights of a command beyond its sandbox.
#[derive(Debug, Default)]
#[napi(object, object_from_js = false)]
pub struct Escalated {
    /// The rights as JSON, resolved and without those that the sandbox gives already; absent for none.
    pub more: Option<String>,
    /// The changed options of the sandbox, as JSON; absent for none, and without a sandbox.
    pub widened: Option<String>,
    /// The rights, as a part of a sentence.
    pub gives: String,
    /// The rights and the reason of the request, as a sentence.
    pub text: String,
}

/// Resolves a model's request for more than a sandbox (JSON), or the host's grant (`granted`, JSON) of a
/// request that was resolved before. `root` and `environment` are those of the command, `reason` is the
/// model's. The error says why the rights can't be given.
#[allow(clippy::needless_pass_by_value, reason = "napi-derive hands arguments over by value")]
#[napi(catch_unwind)]
#[must_use]
pub fn escalated(
    sandbox: String,
    root: String,
    environment: String,
    asked: String,
    granted: Option<String>,
    reason: Option<String>,
) -> Either<Escalated, NativeError> {
    let escalate = || -> std::result::Result<Escalated, String> {
        let options = sandbox_of(&sandbox, &root, &environment).map_err(|wrong| wrong.message)?;
        let home = home_of(&environment).map(Path::new);
        let root = real_path(&root);
        let limits = EscalationLimits { options: &options, root: &root, home };
        let asked = ExtraRights::parse(&asked)?;
        let more = match granted {
            None => asked.beyond(limits)?,
            Some(granted) => {
                let granted = ExtraRights::parse(&granted)?.as_granted(limits)?;
                if !granted.is_within(&asked) {
                    return Err("it is more than was asked for".to_owned());
                }
                granted
            }
        };
        let json = |is_needed: bool, text: serde_json::Result<String>| text.ok().filter(|_| is_needed);
        Ok(Escalated {
            more: json(!more.is_nothing(), serde_json::to_string(&more)),
            widened: json(
                !more.is_nothing() && !more.unsandboxed,
                serde_json::to_string(&more.widened(&options)),
            ),
            gives: escalation::texts::beyond(&more),
            text: escalation::texts::request(&more, reason.as_deref()),
        })
    };
    answer(escalate().map_err(NativeError::invalid))
}

/// Returns whether a grant (JSON) covers a request (JSON). Both are resolved.
#[allow(clippy::needless_pass_by_value, reason = "napi-derive hands arguments over by value")]
#[napi(catch_unwind)]
#[must_use]
pub fn covers_escalation(granted: String, asked: String) -> bool {
    let (granted, asked) = (ExtraRights::parse(&granted), ExtraRights::parse(&asked));
    granted.is_ok_and(|granted| asked.is_ok_and(|asked| asked.is_within(&granted)))
}

/// Returns a root without symbolic links; as it is, if it does not exist.
fn real_path(root: &str) -> PathBuf {
    std::fs::canonicalize(root).unwrap_or_else(|_| PathBuf::from(root))
}
