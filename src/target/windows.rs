//! Targets on Windows, where no transport is started: the options, errors and reports that are the same on
//! all systems, and a target without a value.

mod container {
    //! The options of containers.

    pub(super) mod options;
}
pub mod error;
pub mod exec;
pub mod options;
pub mod ports {
    //! The forwarded ports of targets.

    use crate::process::registry::Owner;

    /// Does nothing: no port is forwarded.
    pub const fn remove_paths(_: &Owner) {}
}
pub mod remote_command {
    //! The report about a command's target.

    pub mod report;

    pub use self::report::TargetReport;
}
pub mod shell {
    //! The shell of a session on a target.

    use std::sync::Arc;

    /// A slot for a shell on a target: always empty, since none starts here.
    pub type ShellSlot = Arc<()>;
}
pub mod ssh;
mod transport_command;

/// A target: without a value, since no command runs elsewhere.
#[derive(Debug)]
pub enum Target {}
