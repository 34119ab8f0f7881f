//! A process below a shell, on this machine or on another one.

use crate::process::signal::Signal;

use crate::helper::supervisor::protocol::shell_scan::{ProcessBelow, SignalSet};
use crate::process::identity::Identity;
use crate::process::table;
use crate::process::table::row::Process;

#[derive(Clone, Copy, Debug)]
pub(in crate::session) struct BelowShell {
    pub(in crate::session) identity: Identity,
    pub(in crate::session) parent: i32,
    pub(in crate::session) is_exiting: bool,
    /// The signals that it ignores, and those for which it may have its parent's handler, where they were
    /// seen together with the process.
    signals: Option<[SignalSet; 2]>,
}

impl BelowShell {
    pub(in crate::session) const fn pid(&self) -> i32 {
        self.identity.pid.as_raw_nonzero().get()
    }

    pub(in crate::session) fn ignores(&self, signal: Signal) -> bool {
        match self.signals {
            Some([ignored, _]) => ignored.has(signal),
            None => table::ignores(self.identity.pid, signal),
        }
    }

    pub(in crate::session) fn may_inherit_handler(&self, signal: Signal) -> bool {
        match self.signals {
            Some([_, inherited]) => inherited.has(signal),
            None => table::may_inherit_handler(self.identity.pid, signal),
        }
    }
}

impl From<Process> for BelowShell {
    fn from(process: Process) -> Self {
        let Process { identity, parent, is_exiting, .. } = process;
        Self { identity, parent, is_exiting, signals: None }
    }
}

impl From<ProcessBelow> for BelowShell {
    fn from(process: ProcessBelow) -> Self {
        let ProcessBelow { identity, parent, is_exiting, ignored, inherited } = process;
        Self { identity, parent, is_exiting, signals: Some([ignored, inherited]) }
    }
}
