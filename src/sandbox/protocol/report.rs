//! The messages of the helper on its control socket.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::intercept::messages::RequestRefusal;
use crate::process::errno::Errno;
use crate::wire::raw;

/// The longest message (bytes): a path and some numbers.
pub const MAX_REPORT: usize = 8192;

/// A message of the helper.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum HelperReport {
    /// The command has been executed. With the network `off`, the message carries the files of the network's
    /// counters.
    Running(Running),
    /// Nothing has run.
    Failed(SandboxFailure),
    /// A call was refused.
    Refused(SandboxRefusal),
    /// The listeners of a private network with allowed hosts are open. The message carries their descriptors.
    Listening,
    /// A copy-on-write mount is made. The message carries its [`MOUNT_DESCRIPTORS`].
    Mounted,
}

/// The number of descriptors of a copy-on-write mount: its mount namespace, its user namespace, the context
/// by which it is reconfigured, and its root directory.
pub const MOUNT_DESCRIPTORS: usize = 4;

/// A command that runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Running {
    /// The pid of the sandbox init on the host; `None` without one. A kill of the init kills all processes of
    /// the sandbox.
    pub init: Option<i32>,
    /// The pid of the command on the host; `None` if the helper has executed the program itself.
    pub command: Option<i32>,
    /// The pid of the process that removes stubs when the sandbox has ended. It is no process of the command.
    pub remover: Option<i32>,
    /// The kernel's version of Landlock, 0 without it.
    pub landlock: u32,
}

/// The step at which the building of a sandbox failed, and why.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SandboxFailure {
    pub step: SandboxStep,
    /// The system's error.
    pub errno: Errno,
    /// The path, if the step concerns one.
    #[serde(with = "raw")]
    pub path: Option<PathBuf>,
}

/// The steps of building a sandbox, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum SandboxStep {
    /// Reading the plan.
    Plan,
    /// Making a stub for a missing protected path.
    Stub,
    /// New namespaces.
    Namespaces,
    /// Mounting an overlay.
    Overlay,
    /// The ids of users and groups.
    IdMap,
    /// The loopback interface.
    Loopback,
    /// The listeners for allowed hosts.
    Listen,
    /// Making all mounts private or read-only.
    ReadOnly,
    /// Cloning the mount of a path.
    Source,
    /// The new root directory of an isolated sandbox.
    Root,
    /// A new `/dev`.
    Devices,
    /// Attaching a place.
    Place,
    /// Attaching a file of the engine.
    File,
    /// Attaching a UNIX socket of the host; `ESTALE` for another one than that of the plan.
    Socket,
    /// The settings by which programs find the name server.
    Names,
    /// Protecting a path.
    Protect,
    /// Hiding a path.
    Hide,
    /// Starting a process.
    Fork,
    /// A new `/proc`.
    Proc,
    /// The command's descriptors and terminal.
    Descriptors,
    /// The command's working directory.
    Directory,
    /// The command's limits.
    Limits,
    /// Dropping capabilities.
    Capabilities,
    Landlock,
    /// The filter of system calls.
    Seccomp,
    /// Executing the program.
    Execute,
}

/// Why a connection was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RefusalReason {
    /// The address is not one of this machine's loopback.
    NotLoopback,
    /// The host is not in the list of allowed hosts.
    NotAllowed,
    /// The name is in the list, or was answered with yes, but its address is private and not in the list.
    PrivateAddress,
    /// A person was asked, and nobody answered in time.
    Unanswered,
    /// A person was asked, and declined.
    Declined,
    /// The host has rules, and the client asked in its TLS handshake for another name.
    OtherName,
}

/// A failed attempt of a command without a network.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NoNetwork {
    /// To reach an address outside, such as that of a name server.
    Unreachable,
    /// To reach a server on its own loopback interface, where none was.
    NoServer,
}

/// A refusal of the sandbox init or the engine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum SandboxRefusal {
    /// A connection.
    Network {
        /// The name or address.
        host: String,
        port: u16,
        /// Why.
        reason: RefusalReason,
    },
    /// A request to a host with rules. Only the engine learns of it.
    Request {
        /// The name or address.
        host: String,
        port: u16,
        method: String,
        /// The path without the query.
        path: String,
        /// The reason of the refusal.
        reason: RequestRefusal,
    },
    /// A name that was looked up. Only the engine refuses names.
    Name {
        /// The name.
        host: String,
    },
    /// A UNIX socket outside of the writable paths; an abstract name begins with `@`.
    Socket {
        /// The path as the command gave it.
        #[serde(with = "raw")]
        path: PathBuf,
    },
    /// An attempt to reach others without a network. Only the engine learns of it.
    NoNetwork {
        /// The kind of the attempt.
        reason: NoNetwork,
    },
}
