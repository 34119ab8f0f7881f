//! A scan of the shell of a session: the facts by which it stops a command without losing the
//! shell.

use std::time::Duration;

use rustix::process::Signal;
use serde::{Deserialize, Serialize};

use crate::process::identity::Identity;

/// The most processes of one scan, which fit in a frame: a stop that kills them finds the others by its next
/// scan.
pub const MAX_PROCESSES: usize = 1_250;

/// A set of signals, as the kernel writes it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SignalSet(pub u64);

impl SignalSet {
    /// Returns whether a signal is in the set.
    #[must_use]
    pub const fn has(self, signal: Signal) -> bool {
        self.0 >> (signal.as_raw() - 1) & 1 == 1
    }
}

/// The shell of a session, at one moment.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[allow(clippy::struct_excessive_bools, reason = "they are independent of each other")]
pub struct ShellScan {
    /// Whether the shell is stopped or gone.
    pub is_stopped: bool,
    /// Whether the shell has read all lines and waits for the next one.
    pub is_idle: bool,
    /// Whether the shell waits until it can open a file.
    pub waits_for_open: bool,
    /// Whether the path of the question names the shell's directory.
    pub names_directory: bool,
    /// The shell's directory, by the kernel's path.
    pub directory: Option<String>,
    /// How many more descriptors the shell can open; the largest number where that is not known.
    pub room: u64,
    /// The signals that the shell ignores.
    pub ignored: SignalSet,
    /// The processor time of the shell and of the programs that it has waited for.
    pub user: Duration,
    pub system: Duration,
    /// The living processes below the shell, and those that were. Parents come before their children.
    pub processes: Vec<ProcessBelow>,
}

/// A process below the shell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProcessBelow {
    pub identity: Identity,
    pub parent: i32,
    pub is_exiting: bool,
    /// The signals that the process ignores.
    pub ignored: SignalSet,
    /// The signals for which the process may have its parent's handler.
    pub inherited: SignalSet,
}
