//! The facts about a dialect that hold before one is created. `lib/tools/` reads them as JSON.

use serde::Serialize;

use super::dialect::Dialect;
use super::guidance::Guidance;
use super::session::SessionMode;
use super::settings::ToolsetSettings;

/// The facts about a dialect. [`DialectProfile::new`] has the usual ones.
#[allow(clippy::struct_excessive_bools, reason = "they are independent facts")]
#[derive(Clone, Copy, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct DialectProfile {
    /// The name that hosts give.
    pub name: &'static str,
    /// Creates the dialect with the host's settings.
    #[serde(skip)]
    pub create: fn(ToolsetSettings) -> Box<dyn Dialect>,
    /// The options of this dialect alone.
    pub options: &'static [OwnOption],
    /// The forms of the original's text that `compat` selects; `None` for a dialect without an original.
    pub compat: Option<&'static [&'static str]>,
    /// Returns what is kept between calls: the host's option, or the dialect's default.
    #[serde(skip)]
    pub session: fn(&ToolsetSettings) -> SessionMode,
    /// Whether the descriptions and instructions say what is kept between calls.
    #[serde(skip)]
    pub tells_session: bool,
    /// Whether bash runs the commands, which sessions need.
    pub uses_bash: bool,
    /// The form of the job ids: `job` (the table's ids), `number`, `pid`, or a prefix before a number.
    pub job_ids: &'static str,
    /// The most jobs that run at a time; `None` for the default of `Jobs`.
    pub max_running: Option<u32>,
    /// Whether answers say which parts of a pipeline have failed, where the host does not say.
    pub reports_pipe_status: bool,
    /// Whether dangerous commands are denied where the host has no policy.
    pub denies_danger: bool,
    /// Paths below the root that are protected in a sandbox, whether they exist or not.
    pub protected: &'static [&'static str],
    /// Whether the arguments can ask for more than a sandbox gives.
    pub asks_for_more: bool,
    /// Whether answers have a random id.
    pub has_answer_id: bool,
    /// Whether answers have the time.
    pub has_answer_time: bool,
    /// The variables of the original that set limits, below the host's options.
    pub limits: &'static [LimitVariable],
    /// The variable of the original that turns terminals off with `1`.
    pub no_terminals_variable: Option<&'static str>,
    /// The time between two updates on the output of a call, where the host does not say (ms).
    pub update_interval_ms: f64,
    /// The most of the latest output that an update has, where the host does not say (bytes).
    pub update_bytes: u64,
    /// Whether arguments that are no JSON object are the command, as text.
    pub takes_bare_command: bool,
    /// The words that direct a model to the agent's other tools.
    #[serde(skip)]
    pub guidance: Guidance,
    /// The item of the original's registry that is the tool.
    pub identity: Option<ToolIdentity>,
}

impl DialectProfile {
    /// Creates the profile of a dialect whose facts are the usual ones.
    #[must_use]
    pub const fn new(name: &'static str, create: fn(ToolsetSettings) -> Box<dyn Dialect>) -> Self {
        Self {
            name,
            create,
            options: &[],
            compat: Some(&[]),
            session: |settings| settings.session.unwrap_or_default(),
            tells_session: false,
            uses_bash: true,
            job_ids: "job",
            max_running: None,
            reports_pipe_status: false,
            denies_danger: false,
            protected: &[],
            asks_for_more: false,
            has_answer_id: false,
            has_answer_time: false,
            limits: &[],
            no_terminals_variable: None,
            update_interval_ms: 100.0,
            update_bytes: 16 * 1024,
            takes_bare_command: false,
            guidance: Guidance::Usual,
            identity: None,
        }
    }

    /// Returns whether the dialect is that of another tool, whose words it has.
    #[must_use]
    pub const fn has_original(&self) -> bool {
        self.compat.is_some()
    }

    /// Creates the dialect. Settles what is kept between calls.
    #[must_use]
    pub fn dialect(&self, settings: ToolsetSettings) -> Box<dyn Dialect> {
        let session = (self.session)(&settings);
        (self.create)(ToolsetSettings { session: Some(session), ..settings })
    }
}

/// The identity of a tool in the registry of its original.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct ToolIdentity {
    /// The id of the item.
    pub id: &'static str,
    /// The part of the id that items with related purposes share.
    pub namespace: &'static str,
    /// The version of the tool whose answers the dialect gives.
    pub version: &'static str,
}

/// An option of a dialect.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct OwnOption {
    name: &'static str,
    #[serde(flatten)]
    kind: OptionKind,
}

/// The values of an option. `lib/tools/options/own-options.ts` has the check of each kind.
#[derive(Clone, Copy, Debug, Serialize)]
#[serde(tag = "kind", rename_all = "camelCase")]
pub enum OptionKind {
    /// True or false.
    Flag,
    /// One of these texts.
    Choice {
        /// The texts.
        choices: &'static [&'static str],
    },
    /// A time (ms); 0 for no limit.
    Milliseconds,
    /// A whole number.
    Integer { least: u32, most: u32 },
    /// A list of texts.
    Names,
    /// A function, which stays in JavaScript.
    Function,
    /// True, false, or an object with `thresholdMs`.
    Threshold,
    /// Permission modes and rules: another form of a policy, which stays in JavaScript.
    Permissions,
}

impl OptionKind {
    /// Creates the option of this name.
    #[must_use]
    pub const fn named(self, name: &'static str) -> OwnOption {
        OwnOption { name, kind: self }
    }
}

/// A variable of the environment that sets a limit.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct LimitVariable {
    /// The name of the variable, whose value is a whole number from 1.
    pub name: &'static str,
    /// The setting, by its name in JSON.
    pub setting: &'static str,
    /// The most that the variable can set.
    pub most: Option<u32>,
}
