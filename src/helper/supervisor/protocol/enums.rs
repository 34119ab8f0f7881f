//! The enums of messages.

use serde::{Deserialize, Serialize};

/// A pipe of a command whose bytes the supervisor passes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum OutputPipe {
    Stdout,
    Stderr,
    /// The reports of the shell of a session.
    Control,
}

/// The processes that a signal is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum SignalScope {
    Leader,
    /// The leader's process group.
    Group,
    /// The processes of the command.
    Tree,
    /// The processes of the command, to end them: a stopped process also gets SIGCONT, and in a terminal,
    /// a process that ignores the signal also gets SIGHUP.
    End,
}

/// The steps at which the start of a command can fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum FailedStep {
    Plan,
    Pipe,
    Fork,
    Directory,
    Root,
    Limit,
    Terminal,
    Execute,
    /// Too many commands run already.
    TooMany,
    /// The command had started, and its reaper was killed: the processes are dead, the exit is unknown.
    Lost,
}

/// The processes that a list has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ProcessSelection {
    /// Every process except the leader.
    All,
    /// The processes that a living leader does not wait for.
    Background,
}
