//! The messages of the helper on its control socket.

use std::path::PathBuf;

use crate::process::errno::Errno;
use crate::sandbox::wire::{Malformed, Wire, wire_enum};

/// The longest message (bytes): a path and some numbers.
pub const MAX_REPORT: usize = 8192;

/// A message of the helper.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Report {
    /// The command has been executed. With the network `off`, the message carries the files of the network's
    /// counters.
    Running(Running),
    /// Nothing has run.
    Failed(Failure),
    /// A call was refused.
    Refused(Refusal),
    /// The listeners of a private network with allowed hosts are open. The message carries their descriptors.
    Listening,
    /// A copy-on-write mount is made. The message carries its [`MOUNT_DESCRIPTORS`].
    Mounted,
}

/// The number of descriptors of a copy-on-write mount: its mount namespace, its user namespace, the context
/// by which it is reconfigured, and its root directory.
pub const MOUNT_DESCRIPTORS: usize = 4;

/// A command that runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Running {
    /// The pid of the sandbox init on the host; `None` without one. A kill of the init kills all processes of
    /// the sandbox.
    pub init: Option<i32>,
    /// The pid of the command on the host; `None` if the helper has executed the program itself.
    pub command: Option<i32>,
    /// The pid of the process that removes stubs when the sandbox has ended. It is no process of the command.
    pub keeper: Option<i32>,
    /// The kernel's version of Landlock, 0 without it.
    pub landlock: u32,
}

/// The step at which the building of a sandbox failed, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    pub step: SandboxStep,
    /// The system's error.
    pub errno: Errno,
    /// The path, if the step concerns one.
    pub path: Option<PathBuf>,
}

wire_enum! {
    /// The steps of building a sandbox, in order.
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
}

wire_enum! {
    /// Why a connection was refused.
    #[derive(serde::Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum Reason {
        /// The address is not one of this machine's loopback.
        NotLoopback,
        /// The host is not in the list of allowed hosts.
        NotAllowed,
        /// The name is in the list, but its address is private and not in the list.
        PrivateAddress,
    }
}

wire_enum! {
    /// What a command without a network tried in vain.
    #[derive(serde::Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum NoNetwork {
        /// To reach an address outside, such as that of a name server.
        Unreachable,
        /// To reach a server on its own loopback interface, where none was.
        NoServer,
    }
}

/// A refusal of the sandbox init or the engine. Deserialized from the form that JavaScript gets.
#[derive(Clone, Debug, PartialEq, Eq, serde::Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum Refusal {
    /// A connection.
    Network {
        /// The name or address.
        host: String,
        port: u16,
        /// Why.
        reason: Reason,
    },
    /// A name that was looked up. Only the engine refuses names.
    Name {
        /// The name.
        host: String,
    },
    /// A UNIX socket outside of the writable paths; an abstract name begins with `@`.
    Socket {
        /// The path as the command gave it.
        path: PathBuf,
    },
    /// Everything that a command tried to reach without a network. Only the engine learns of it.
    #[serde(rename = "no-network")]
    NoNetwork {
        /// What it tried.
        reason: NoNetwork,
    },
}

impl Report {
    /// Writes a message.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let mut out = Vec::new();
        match self {
            Self::Running(running) => {
                out.push(0);
                running.init.put(&mut out);
                running.command.put(&mut out);
                running.keeper.put(&mut out);
                running.landlock.put(&mut out);
            }
            Self::Failed(failure) => {
                out.push(1);
                failure.step.put(&mut out);
                failure.errno.0.put(&mut out);
                failure.path.put(&mut out);
            }
            Self::Refused(Refusal::Network { host, port, reason }) => {
                out.push(2);
                host.put(&mut out);
                port.put(&mut out);
                reason.put(&mut out);
            }
            Self::Refused(Refusal::Socket { path }) => {
                out.push(3);
                path.put(&mut out);
            }
            Self::Refused(Refusal::Name { host }) => {
                out.push(4);
                host.put(&mut out);
            }
            Self::Refused(Refusal::NoNetwork { reason }) => {
                out.push(7);
                reason.put(&mut out);
            }
            Self::Listening => out.push(5),
            Self::Mounted => out.push(6),
        }
        out
    }

    /// Reads a message.
    ///
    /// # Errors
    ///
    /// [`Malformed`] for anything else.
    pub fn decode(mut bytes: &[u8]) -> Result<Self, Malformed> {
        let from = &mut bytes;
        let report = match u8::take(from)? {
            0 => Self::Running(Running {
                init: Wire::take(from)?,
                command: Wire::take(from)?,
                keeper: Wire::take(from)?,
                landlock: Wire::take(from)?,
            }),
            1 => Self::Failed(Failure {
                step: Wire::take(from)?,
                errno: Errno(Wire::take(from)?),
                path: Wire::take(from)?,
            }),
            2 => Self::Refused(Refusal::Network {
                host: Wire::take(from)?,
                port: Wire::take(from)?,
                reason: Wire::take(from)?,
            }),
            3 => Self::Refused(Refusal::Socket { path: Wire::take(from)? }),
            4 => Self::Refused(Refusal::Name { host: Wire::take(from)? }),
            5 => Self::Listening,
            6 => Self::Mounted,
            7 => Self::Refused(Refusal::NoNetwork { reason: Wire::take(from)? }),
            _ => return Err(Malformed),
        };
        if bytes.is_empty() { Ok(report) } else { Err(Malformed) }
    }
}
