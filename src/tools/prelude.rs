//! What a dialect is made of: `use crate::tools::prelude::*`.

pub use std::borrow::Cow;

pub use super::action::{
    Action, Keep, OutputOptions, PartAction, ReadAction, RunAction, TerminalSize, WriteAction,
};
pub use super::arguments::Arguments;
pub use super::dialect::{Answer, Dialect, Schema, Tool};
pub use super::object::Object;
pub(crate) use super::object::object;
pub use super::outcome::command::{CommandOutcome, CommandOutput, CommandStatus, OutputFile};
pub use super::outcome::{CallOutcome, JobOutcome, KillOutcome, LineExcerpt, Refusal, RunOutcome};
pub use super::profile::{DialectProfile, LimitVariable, OptionKind};
pub use super::session::SessionMode;
pub use super::settings::Settings;
