//! The imports of every dialect: `use crate::tools::prelude::*`.

pub use std::borrow::Cow;

pub use super::call::action::{
    Action, Keep, OutputOptions, PartAction, ReadAction, RunAction, TerminalSize, WriteAction,
};
pub use super::call::arguments::Arguments;
pub use super::call::request::EscalationRequest;
pub use super::dialect::{Answer, Dialect, JobEnd, Schema, StartingCall, Tool};
pub use super::guidance::Guidance;
pub use super::object::Object;
pub(crate) use super::object::object;
pub use super::outcome::command::{CommandOutcome, CommandOutput, CommandStatus, OutputFile};
pub use super::outcome::{CallOutcome, JobOutcome, KillOutcome, LineExcerpt, Refusal, RunOutcome};
pub use super::profile::{DialectProfile, LimitVariable, OptionKind, ToolIdentity};
pub use super::session::SessionMode;
pub use super::settings::ToolsetSettings;
pub use crate::sandbox::escalation::ExtraRights;
pub use crate::sandbox::options::{Network, UsualNetwork};
