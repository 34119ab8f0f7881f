//! The types of sandboxes without a value, for the launch of macOS.

#[cfg(feature = "emulate-darwin")]
mod emulated;
mod none;
mod none_planned;

#[cfg(feature = "emulate-darwin")]
pub(in crate::job) use self::emulated::{not_built_there, plan_for_supervisor};
pub use self::none::*;
pub(in crate::job) use self::none_planned::{CommandInside, PlannedSandbox};
use super::SandboxPids;
