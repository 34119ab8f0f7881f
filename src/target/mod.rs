//! Commands on another machine or in a container: a *target*.
//!
//! A transport (`ssh`, `podman exec`, any program) carries one byte stream to a shell *there*, on the target.
//! The shell starts the helper program in its role as [supervisor](crate::helper::supervisor), which runs any
//! number of commands over that stream.
//!
//! ```text
//! job ── pipes ── connection ── stream ── transport ── sh ─exec→ supervisor ── commands
//! ```
//!
//! Read in this order:
//!
//! * [`options`] are the caller's. Each kind of a target has its place: [`exec`], [`ssh`], [`container`].
//!   `transport_command` is the program of the transport and its arguments for all of them. [`error`] has the
//!   codes and texts of failures. All of these are pure, except [`container`].
//! * [`Target`] is the way in. It opens a connection with its first command, and again after one was lost.
//! * `bootstrap` is the script for the shell there, and the states of the handshake with it. `helper` is the
//!   program that is copied there.
//! * [`container`] finds an engine, and makes containers.
//! * `describe` describes a target to a model.
//! * `transport` is the process that carries the stream. `connection` is the task of the I/O thread that owns
//!   the stream: it copies output to the pipes of jobs, and input from them.
//! * [`remote_command`] is a running command as its job sees it, [`shell`] the shell of a session.
//! * `degraded` runs commands by the shell there alone, where no helper can run.
//! * [`ports`] are connections of sockets here and there, beside the commands.
//! * [`files`] reads, writes and copies files there.
//! * `scripts` has the texts for that shell, as files.

mod bootstrap;
mod connection;
mod container;
mod degraded;
mod describe;
pub mod error;
pub mod exec;
pub mod files;
mod helper;
pub mod options;
pub mod ports;
pub mod remote_command;
mod scripts;
pub mod shell;
pub mod ssh;
mod transport;
mod transport_command;

use std::io;
use std::os::fd::OwnedFd;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::sync::oneshot;

use self::connection::connect;
use self::error::TargetError;
use self::options::TargetOptions;
use self::ports::gate::PortGate;
use self::remote_command::RemoteCommand;
use self::shell::RemoteShell;
use self::transport_command::{TransportCommand, TransportKind};
use crate::engine::Engine;
use crate::helper::supervisor::protocol::enums::{FailedStep, ProcessSelection, SignalScope};
use crate::helper::supervisor::protocol::plan::RemotePlan;
use crate::helper::supervisor::protocol::ports::RemotePort;
use crate::helper::supervisor::protocol::shell_scan::ShellScan;
use crate::process::identity::Identity;
use crate::process::pty::WindowSize;
use crate::process::registry::Owner;

/// A target that several commands share. Its connection ends with the last command and the last reference.
#[derive(Debug)]
pub struct Target {
    shared: Arc<SharedTarget>,
}

/// The part of a target that its connection knows.
#[derive(Debug)]
struct SharedTarget {
    options: TargetOptions,
    transport_command: TransportCommand,
    /// The environment of the transport: `NAME=value`.
    environment: Vec<String>,
    /// The files of the helpers for other machines.
    other_helpers: Vec<PathBuf>,
    state: Mutex<TargetState>,
}

/// The state of a target's connection.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ConnectionPhase {
    /// No connection: no command has needed one yet, or the last one was idle for too long.
    #[default]
    New,
    Connecting,
    Open,
    /// The target was disposed.
    Closed,
    /// The last connection could not be opened, or was lost.
    Lost,
}

#[derive(Debug, Default)]
struct TargetState {
    phase: ConnectionPhase,
    requests: Option<UnboundedSender<TargetRequest>>,
    is_disposed: bool,
    /// The connections that have not ended: the current one, and earlier ones whose transports still exit.
    connections: usize,
    /// The callers that wait for the end of all connections.
    disposals: Vec<oneshot::Sender<()>>,
}

/// A command to start.
pub struct RemoteStart {
    pub plan: RemotePlan,
    /// Whether the processes that the command leaves are the job then.
    pub adopts_leftovers: bool,
    /// Takes the input, if it was given in advance, instead of writing it to the command. Called where no
    /// helper runs.
    pub take_input: Box<dyn FnOnce() -> Option<Vec<u8>> + Send>,
    /// Decides, just before the command starts, whether it still should.
    pub claim: Box<dyn FnOnce() -> bool + Send>,
    /// Takes the running command, or the reason why there is none.
    pub answer: Box<dyn FnOnce(Result<StartedCommand, StartError>) + Send>,
}

/// A command that runs, and the host's ends of its streams.
#[derive(Debug)]
pub struct StartedCommand {
    pub command: RemoteCommand,
    pub stdin: Option<OwnedFd>,
    pub stdout: Option<OwnedFd>,
    pub stderr: Option<OwnedFd>,
    /// The command as the shell of a session, if it is one.
    pub shell: Option<RemoteShell>,
}

/// The reasons why a command does not run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StartError {
    /// The target can't run commands now.
    Target(TargetError),
    /// The supervisor could not start the command.
    Failed { step: FailedStep, errno: i32, path: String },
    /// This machine has no pipe left.
    System(i32),
}

/// A request to the connection.
enum TargetRequest {
    Start(Box<RemoteStart>),
    Command(u32, CommandRequest),
    /// Asks for the way to the connection, for ports.
    Ports(oneshot::Sender<Result<PortGate, TargetError>>),
    /// Closes a connection or a listener of a port, whose task has ended.
    PortGone(u32),
    /// Ends everything.
    Dispose,
}

/// A request about a command that runs.
#[derive(Debug)]
enum CommandRequest {
    Signal {
        number: i32,
        scope: SignalScope,
    },
    Kill,
    /// The host takes no more output; the processes run on.
    Release,
    Resize(WindowSize),
    List(ProcessSelection, oneshot::Sender<Vec<i32>>),
    /// Asks for the ports on which the processes listen.
    ListPorts {
        asks_namespaces: bool,
        answer: oneshot::Sender<Vec<RemotePort>>,
    },
    /// Lines for a shell.
    Lines(Vec<u8>),
    EndLines,
    SignalEach {
        number: i32,
        identities: Vec<Identity>,
    },
    ScanShell {
        first: u32,
        named: Vec<u8>,
        answer: oneshot::Sender<ShellScan>,
    },
}

impl Target {
    /// Creates a target. `environment` is that of the transport, `other_helpers` are the files of the helpers
    /// for other machines. Nothing is started before the first command.
    #[must_use]
    pub fn new(options: TargetOptions, environment: Vec<String>, other_helpers: Vec<PathBuf>) -> Self {
        let transport_command = TransportCommand::of(&options);
        let state = Mutex::default();
        Self {
            shared: Arc::new(SharedTarget { options, transport_command, environment, other_helpers, state }),
        }
    }

    /// Returns the directory of the container that has the files of the workspace on this machine.
    #[must_use]
    pub fn workspace(&self) -> Option<&'static str> {
        self.shared.options.own_container()?.workspace_there()
    }

    /// Returns the paragraph that tells a model where its commands run.
    #[must_use]
    pub fn paragraph(&self) -> String {
        describe::paragraph(&self.shared.options)
    }

    /// Returns whether the target is a container that is made for it.
    #[must_use]
    pub fn is_own_container(&self) -> bool {
        self.shared.options.own_container().is_some()
    }

    /// Returns the path on the target. A path below the workspace on this machine has another name there.
    #[must_use]
    pub fn path_there(&self, path: String) -> String {
        let own = self.shared.options.own_container();
        own.and_then(|own| own.path_there(&path)).unwrap_or(path)
    }

    /// Returns the state of the connection.
    #[must_use]
    pub fn phase(&self) -> ConnectionPhase {
        let state = self.shared.lock();
        if state.is_disposed { ConnectionPhase::Closed } else { state.phase }
    }

    /// Starts a command, which belongs to `owner`. Connects first if there is no connection.
    pub fn start(&self, engine: &'static Engine, owner: &Owner, start: RemoteStart) {
        self.request(engine, owner, TargetRequest::Start(Box::new(start)));
    }

    /// Passes a request on to the connection. Connects first if there is none.
    fn request(&self, engine: &'static Engine, owner: &Owner, request: TargetRequest) {
        let mut state = self.shared.lock();
        if state.is_disposed {
            drop(state);
            return request.refuse(&TargetError::closed());
        }
        let request = match &state.requests {
            Some(requests) => match requests.send(request) {
                Ok(()) => return,
                Err(error) => error.0,
            },
            None => request,
        };
        let (sender, inbox) = unbounded_channel();
        let _ = sender.send(request);
        state.requests = Some(sender.clone());
        state.phase = ConnectionPhase::Connecting;
        state.connections += 1;
        drop(state);
        let shared = Arc::downgrade(&self.shared);
        let (owner, own) = (owner.clone(), sender.downgrade());
        engine.runtime().spawn(async move {
            let _presence = Presence(shared.clone());
            if let Some(rest) = connect(engine, owner.clone(), shared.clone(), own, inbox).await {
                degraded::serve(engine, owner, shared, rest).await;
            }
        });
    }

    /// Ends all commands and the connection for good. The sender of the returned channel is dropped when that
    /// is done. Idempotent.
    #[must_use]
    pub fn dispose(&self) -> oneshot::Receiver<()> {
        let (sender, done) = oneshot::channel();
        let mut state = self.shared.lock();
        state.is_disposed = true;
        if let Some(requests) = &state.requests {
            let _ = requests.send(TargetRequest::Dispose);
        }
        if state.connections > 0 {
            state.disposals.push(sender);
        }
        done
    }
}

impl SharedTarget {
    /// Returns the name of a container that is entered.
    fn container_name(&self) -> Option<String> {
        (self.transport_command.kind == TransportKind::Container).then(|| self.transport_command.name.clone())
    }

    fn lock(&self) -> MutexGuard<'_, TargetState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Forgets the connection, unless a request has arrived in the meantime.
    fn close_if_idle(shared: &Weak<Self>, inbox: &mut UnboundedReceiver<TargetRequest>) -> bool {
        let Some(shared) = shared.upgrade() else { return inbox.is_empty() };
        let mut state = shared.lock();
        if !inbox.is_empty() {
            return false;
        }
        state.requests = None;
        inbox.close();
        true
    }
}

/// A connection from its start to the exit of its transport.
struct Presence(Weak<SharedTarget>);

impl Drop for Presence {
    fn drop(&mut self) {
        let Some(shared) = self.0.upgrade() else { return };
        let mut state = shared.lock();
        state.connections -= 1;
        if state.connections == 0 {
            state.disposals.clear();
        }
    }
}

impl TargetRequest {
    /// Refuses what is asked for.
    fn refuse(self, error: &TargetError) {
        match self {
            Self::Start(start) => start.refuse(StartError::Target(error.clone())),
            Self::Ports(answer) => drop(answer.send(Err(error.clone()))),
            Self::Command(..) | Self::PortGone(_) | Self::Dispose => {}
        }
    }
}

impl RemoteStart {
    /// Creates the start of a command that no job owns, and the receiver of its answer. `input` is for
    /// targets without a helper.
    pub(in crate::target) fn without_job(
        plan: RemotePlan,
        input: Option<Vec<u8>>,
    ) -> (Self, oneshot::Receiver<Result<StartedCommand, StartError>>) {
        let (sender, answer) = oneshot::channel();
        let start = Self {
            plan,
            adopts_leftovers: false,
            take_input: Box::new(|| input),
            claim: Box::new(|| true),
            answer: Box::new(move |started| drop(sender.send(started))),
        };
        (start, answer)
    }

    fn refuse(self, error: StartError) {
        (self.answer)(Err(error));
    }
}

impl std::fmt::Debug for RemoteStart {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("RemoteStart").field("plan", &self.plan).finish_non_exhaustive()
    }
}

impl From<TargetError> for StartError {
    fn from(error: TargetError) -> Self {
        Self::Target(error)
    }
}

impl From<io::Error> for StartError {
    fn from(error: io::Error) -> Self {
        Self::System(error.raw_os_error().unwrap_or(libc::EIO))
    }
}
