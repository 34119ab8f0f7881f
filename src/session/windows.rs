//! Sessions on Windows, where no shell is kept: the options and the kinds of shells, which are the same on
//! all systems, and a session without a value.

pub mod plan;
pub mod status;
pub mod shell {
    //! The kinds of shells, and the lines that they read.

    pub mod flavor;
    pub mod lines {
        //! The lines about the statuses of a pipeline.

        pub mod pipe_status;
    }
    pub mod own_output;
    pub mod start_files;
}
pub mod handle {
    //! The handle of a session.

    use std::convert::Infallible;
    use std::sync::Arc;

    pub use super::shell::own_output::{OnDone, OwnOutput};
    use super::status::SessionFacts;
    use crate::job::JobHandle;
    use crate::job::io::backpressure::Backpressure;
    use crate::job::io::observer::Observer;
    use crate::job::model::plan::{Directory, Plan};
    use crate::process::signal::Signal;

    /// A session: without a value, since no shell is kept.
    #[derive(Clone, Debug)]
    pub struct SessionHandle {
        absent: Infallible,
    }

    impl SessionHandle {
        /// Queues a command.
        #[must_use]
        pub fn run(
            &self,
            _plan: Plan,
            _asks_pipe_status: bool,
            _flow: Arc<Backpressure>,
            _observer: Arc<dyn Observer>,
        ) -> JobHandle {
            match self.absent {}
        }

        /// Sends a signal to the running command.
        #[must_use]
        pub const fn interrupt(&self, _signal: Signal) -> bool {
            match self.absent {}
        }

        /// Ends the shell.
        pub fn restart(&self, _directory: Option<Directory>, _on_done: OnDone) {
            match self.absent {}
        }

        /// Ends the session.
        pub fn close(&self, _on_done: OnDone) {
            match self.absent {}
        }

        /// Ends the session at once.
        pub const fn abandon(&self) {
            match self.absent {}
        }

        /// Returns whether both are the same session.
        #[must_use]
        pub const fn is(&self, _other: &Self) -> bool {
            match self.absent {}
        }

        /// Removes the files of the shell.
        pub const fn remove_files(&self) {
            match self.absent {}
        }

        /// Returns the state of the session.
        #[must_use]
        pub const fn status(&self) -> &Arc<SessionFacts> {
            match self.absent {}
        }
    }
}

use std::io;

pub use self::handle::SessionHandle;
pub use self::plan::SessionPlan;
use crate::process::registry::Owner;

/// Opens no session.
///
/// # Errors
///
/// [`io::ErrorKind::Unsupported`].
pub fn open(_plan: SessionPlan, _owner: &Owner) -> io::Result<SessionHandle> {
    Err(io::ErrorKind::Unsupported.into())
}
