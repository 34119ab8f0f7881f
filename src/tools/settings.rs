//! The host's settings, which `lib/tools/options/toolset-options.ts` has checked.

use serde::Deserialize;

use super::call::action::{Keep, OutputOptions};
use super::call::arguments::Arguments;
use super::interception::InterceptorsOption;
use super::session::SessionMode;

/// The host's settings. For an absent one the dialect has a default.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[allow(clippy::struct_excessive_bools, reason = "they are independent settings")]
pub struct ToolsetSettings {
    /// The timeout of a command for which the model gives none (ms); 0 for no limit.
    pub timeout_ms: Option<f64>,
    /// The longest timeout that a model can ask for (ms).
    pub max_timeout_ms: Option<f64>,
    /// Whether a command goes on as a job at its timeout.
    pub moves_at_timeout: Option<bool>,
    /// The time after which a call answers while its command goes on (ms).
    pub yield_ms: Option<f64>,
    /// The most output that the model reads (bytes).
    pub max_bytes: Option<u64>,
    /// The most output that the model reads (characters).
    pub max_chars: Option<u64>,
    /// The part of longer output that is kept: `head`, `tail` or `both`.
    pub keep: Option<String>,
    /// Whether escape sequences are removed.
    pub strip_ansi: Option<bool>,
    /// Whether all output goes to a file.
    pub spill: Option<bool>,
    /// Whether the model reads a view of the output.
    pub has_view: Option<bool>,
    /// The texts for which the original's wording is used where ours differs: a name, or `true` for all.
    pub compat: Option<String>,
    /// Whether the toolset has the companions.
    pub has_companions: bool,
    /// The state that is kept between calls.
    pub session: Option<SessionMode>,
    /// Whether commands may get a terminal.
    pub has_terminals: bool,
    /// Rules that block commands for which the agent has a better tool.
    pub interceptors: Option<InterceptorsOption>,
    /// The names of the agent's tools.
    pub tools: Vec<String>,
    /// The name that models call the main tool by; `None` for that of the dialect.
    pub name: Option<String>,
    /// The paragraph about the shell and its form of paths, where they are not those of Unix.
    pub shell: Option<String>,
    /// The paragraph about the sandbox in which all commands run; `None` without one.
    pub sandbox: Option<String>,
    /// Whether a command may ask for more than its sandbox gives.
    pub escalates: bool,
    /// The paragraph about the target on which all commands run; `None` on this machine.
    pub place: Option<String>,
    /// Whether all commands run in a container that was made for them.
    pub is_in_container: bool,
    /// The dialect's own options.
    pub own: serde_json::Value,
}

/// The longest timeout that a model can ask for, unless the host or the dialect sets one (ms).
const MAX_TIMEOUT_MS: f64 = 3_600_000.0;

impl ToolsetSettings {
    /// Returns the timeout of a command (ms): the model's, at most `max`, or else the default. `None` for no
    /// limit.
    #[must_use]
    pub fn timeout(&self, asked: Option<f64>, default: Option<f64>, max: Option<f64>) -> Option<f64> {
        let most = self.max_timeout_ms.or(max).unwrap_or(MAX_TIMEOUT_MS);
        match asked.filter(|time| *time > 0.0) {
            Some(time) => Some(time.min(most)),
            None => self.timeout_ms.or(default).filter(|time| *time > 0.0),
        }
    }

    /// Returns the kept part of the output: the dialect's, changed by the host's settings.
    #[must_use]
    pub fn output(&self, own: OutputOptions) -> OutputOptions {
        OutputOptions {
            max_bytes: self.max_bytes.unwrap_or(own.max_bytes),
            keep: match self.keep.as_deref() {
                Some("head") => Keep::Head,
                Some("tail") => Keep::Tail,
                Some(_) => Keep::Both,
                None => own.keep,
            },
            strip_ansi: self.strip_ansi.unwrap_or(own.strip_ansi),
            spill: self.spill.unwrap_or(own.spill),
            view: self.has_view(own.view),
            ..own
        }
    }

    /// Returns whether escape sequences are removed from the output. Originals that keep them do so by
    /// `compat`.
    #[must_use]
    pub fn strips_escapes(&self) -> bool {
        self.strip_ansi.unwrap_or(!self.has_compat("escapes"))
    }

    /// Returns whether an answer names the processes that a command has left. Originals without words for
    /// them name none.
    #[must_use]
    pub fn names_processes(&self) -> bool {
        !self.has_compat("processes")
    }

    /// Returns whether the model reads a view; `own` is the dialect's default. A host that sets `keep` or
    /// keeps escape sequences gets plain output, because a view has neither.
    #[must_use]
    pub fn has_view(&self, own: bool) -> bool {
        self.has_view.unwrap_or(own && self.keep.is_none() && self.strip_ansi != Some(false))
    }

    /// Returns what is kept between calls, which
    /// [`DialectProfile::dialect`](super::profile::DialectProfile::dialect) has settled.
    #[must_use]
    pub fn session(&self) -> SessionMode {
        self.session.unwrap_or_default()
    }

    /// Returns the dialect's own options.
    #[must_use]
    pub fn own(&self) -> Arguments {
        Arguments::from_value(self.own.clone())
    }

    /// Returns whether commands run in a sandbox.
    #[must_use]
    pub const fn has_sandbox(&self) -> bool {
        self.sandbox.is_some()
    }

    /// Returns whether a command runs in a sandbox that it may not leave.
    #[must_use]
    pub const fn is_confined(&self) -> bool {
        self.has_sandbox() && !self.escalates
    }

    /// Returns whether the original's wording is used for all texts.
    #[must_use]
    pub fn is_original(&self) -> bool {
        self.compat.as_deref() == Some("true")
    }

    /// Returns whether the original's wording is used for the text of this name.
    #[must_use]
    pub fn has_compat(&self, form: &str) -> bool {
        self.compat.as_deref().is_some_and(|asked| asked == "true" || asked == form)
    }
}
