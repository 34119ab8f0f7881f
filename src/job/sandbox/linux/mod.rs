//! Sandboxes, which only Linux has.

mod machine;
mod planned;
mod private;
mod running;
mod supervised;

pub use self::machine::sandbox_levels;
pub(in crate::job) use self::planned::{CommandInside, PlannedSandbox};
pub(in crate::job) use self::private::forget_sandboxes;
pub use self::running::RunningSandbox;
pub(in crate::job) use self::supervised::{not_built_there, plan_for_supervisor};
