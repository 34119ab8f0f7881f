//! The plan of a sandbox: plain data with nothing left to decide.
//!
//! [`make`](mod@make) makes the plan from the options and the [`machine`]: `defaults` has the default lists,
//! `paths` resolves them, [`visibility`] finds what a command sees, `git` the directories of repositories,
//! `protection` collects the protected paths, [`hardlinks`] finds second names of these, [`parts`] lists the
//! parts that a mechanism gives, [`sockets`] finds the UNIX sockets of the host that commands may connect to,
//! and [`watch`] finds paths that a command should not leave.

pub(super) mod defaults;
mod error;
pub mod git;
pub mod hardlinks;
pub mod machine;
pub mod make;
pub mod parts;
pub(crate) mod paths;
mod protection;
pub mod sockets;
pub mod visibility;
pub mod watch;

use std::ffi::CString;
use std::path::PathBuf;

pub use parts::Part;
use serde::{Deserialize, Serialize};

use self::sockets::PlannedSocket;
use crate::sandbox::network::allow::{AllowedDestination, listened_ports};
use crate::wire::raw;

/// The usual sets of limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Level {
    /// Writes nothing but a private `/tmp`.
    ReadOnly,
    /// Writes below the workspace, further writable paths, `/tmp`, and a private copy of the home.
    WorkspaceWrite,
    /// As `WorkspaceWrite`, and reads system directories and the listed paths only.
    Isolated,
}

impl Level {
    /// Every level.
    pub const ALL: [Self; 3] = [Self::ReadOnly, Self::WorkspaceWrite, Self::Isolated];
}

/// The mechanisms, from the strongest to the weakest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Tier {
    /// Namespaces, mounts, Landlock and seccomp: every part.
    Namespaces,
    /// The same without a process table of its own, where a new `/proc` can't be mounted.
    SharedProcesses,
    /// Landlock and seccomp alone.
    Landlock,
}

impl Tier {
    /// Returns the name that JavaScript gets.
    #[must_use]
    pub const fn mechanism(self) -> &'static str {
        match self {
            Self::Namespaces | Self::SharedProcesses => "namespaces",
            Self::Landlock => "landlock",
        }
    }
}

/// The network access of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum NetworkMode {
    /// A private loopback interface.
    Off,
    /// TCP to and from the host's loopback.
    Loopback,
    /// TCP and UDP of the host.
    On,
    /// A private loopback interface, and the allowed hosts through the engine.
    Allow,
}

impl NetworkMode {
    /// Returns whether the command has a network namespace of its own.
    #[must_use]
    pub const fn is_private(self) -> bool {
        matches!(self, Self::Off | Self::Allow)
    }
}

/// The plan of a sandbox: what its command can read, write and reach.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SandboxPlan {
    /// The requested level.
    pub level: Level,
    /// The mechanism that the helper uses. It never takes a weaker one by itself.
    pub tier: Tier,
    /// Whether namespaces without Landlock are an error: commands could write named pipes of the host.
    pub needs_landlock: bool,
    /// The paths that can be read, for [`Level::Isolated`]; everything else can't. `None`: all paths.
    #[serde(with = "raw")]
    pub readable: Option<Vec<PathBuf>>,
    /// Directories and files that are attached, parents first.
    pub places: Vec<Place>,
    /// Existing paths that stay read-only, without symbolic links among their parents.
    #[serde(with = "raw")]
    pub protected: Vec<PathBuf>,
    /// Missing paths that stay missing.
    pub stubs: Vec<Stub>,
    /// Existing paths that appear empty in the sandbox.
    #[serde(with = "raw")]
    pub hidden: Vec<PathBuf>,
    /// Files in hidden directories of which commands see a copy, unless they contain a private key.
    #[serde(with = "raw")]
    pub shown: Vec<PathBuf>,
    /// The network access.
    pub network: NetworkMode,
    /// The hosts that can be reached with [`NetworkMode::Allow`].
    pub allowed: Vec<AllowedDestination>,
    /// Whether a person is asked about other hosts, with [`NetworkMode::Allow`].
    pub asks: bool,
    /// The UNIX sockets of the host that can be connected to.
    pub sockets: Vec<PlannedSocket>,
    /// Files of the engine that commands see in place of others, or of none.
    pub attached: Vec<AttachedFile>,
    /// The directory with the journal of stubs; `None` without stubs.
    #[serde(with = "raw")]
    pub journal: Option<PathBuf>,
    /// The overlay whose namespaces the command enters. Their descriptors come before those of the
    /// command.
    pub overlay: Option<OverlayMount>,
}

/// A copy-on-write mount over a directory, which many commands share.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OverlayMount {
    /// The directory: a workspace or a home.
    #[serde(with = "raw")]
    pub root: PathBuf,
    /// The directory that gets the writes.
    #[serde(with = "raw")]
    pub upper: PathBuf,
    /// The directory of the kernel's work directory, on the same file system.
    #[serde(with = "raw")]
    pub work: PathBuf,
    /// Whether the mount is the only one of its namespace. Otherwise, it is at its place among the mounts
    /// of the host.
    pub is_alone: bool,
    /// Whether the kernel may leave out writing to the disk: the writes are lost with this process.
    pub is_volatile: bool,
}

impl SandboxPlan {
    /// Returns a plan in which a command reads the files of the host, writes nothing, and has no network.
    #[must_use]
    pub const fn of(level: Level, tier: Tier) -> Self {
        Self {
            level,
            tier,
            needs_landlock: true,
            readable: None,
            places: Vec::new(),
            protected: Vec::new(),
            stubs: Vec::new(),
            hidden: Vec::new(),
            shown: Vec::new(),
            network: NetworkMode::Off,
            allowed: Vec::new(),
            asks: false,
            sockets: Vec::new(),
            attached: Vec::new(),
            journal: None,
            overlay: None,
        }
    }

    /// Returns the ports that have listeners of the engine in the sandbox.
    #[must_use]
    pub fn listened_ports(&self) -> Vec<u16> {
        listened_ports(&self.allowed, self.asks)
    }

    /// Returns the copy-on-write mount of the private home, if there is one.
    #[must_use]
    pub fn private_home(&self) -> Option<OverlayMount> {
        self.places.iter().find_map(|place| match &place.source {
            Source::Overlay { upper, work } => Some(OverlayMount {
                root: place.path.clone(),
                upper: upper.clone(),
                work: work.clone(),
                is_alone: true,
                is_volatile: true,
            }),
            _ => None,
        })
    }
}

/// A path in the sandbox, and the source of its content.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    /// The absolute path without symbolic links.
    #[serde(with = "raw")]
    pub path: PathBuf,
    pub source: Source,
}

/// A file of the engine, and the path at which commands read it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AttachedFile {
    /// The path on the host, without symbolic links.
    #[serde(with = "raw")]
    pub source: PathBuf,
    /// The absolute path in the sandbox, without symbolic links.
    #[serde(with = "raw")]
    pub path: PathBuf,
}

/// The source of the content at a [`Place`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Source {
    /// The host's own path, writable.
    Host,
    /// Another directory of the host, writable.
    Directory(#[serde(with = "raw")] PathBuf),
    /// A new file system in memory of this size (bytes).
    Memory(u64),
    /// A copy-on-write mount over the host's own path, which the commands of a root share. The engine makes
    /// it and passes its mount namespace. A plan has at most one.
    Overlay {
        /// The directory that gets the writes.
        #[serde(with = "raw")]
        upper: PathBuf,
        /// The directory of the kernel's work directory, on the same file system.
        #[serde(with = "raw")]
        work: PathBuf,
    },
}

/// A missing path that commands can't create: while a command runs, an empty read-only file or directory
/// is in its place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stub {
    /// The absolute path, without symbolic links among the existing parents.
    #[serde(with = "raw")]
    pub path: PathBuf,
    /// The content of a stub that is a file; `None` for an empty directory.
    #[serde(with = "raw")]
    pub content: Option<Vec<u8>>,
}

/// The command that runs in the sandbox.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SandboxedCommand {
    /// The paths of the program to try, in order.
    pub candidates: Vec<CString>,
    /// The arguments, the program's own name first.
    pub arguments: Vec<CString>,
    /// The whole environment, as `NAME=value`.
    pub environment: Vec<CString>,
    /// The working directory: an absolute path.
    #[serde(with = "raw")]
    pub directory: PathBuf,
    /// The numbers, inside of the command, of the descriptors that are passed to it besides the standard
    /// streams.
    pub descriptors: Vec<i32>,
    /// Whether standard input is the controlling terminal.
    pub has_terminal: bool,
    /// The resource limits: the number of the resource, the soft and the hard limit.
    pub limits: Vec<(u32, (u64, u64))>,
    /// Whether the helper ends successfully instead of executing the program: a test of the machine.
    pub is_probe: bool,
}
