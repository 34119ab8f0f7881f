//! The interceptor of this process, which is started when it is needed, and again when it has died.

use std::collections::HashMap;
use std::ffi::CString;
use std::fs::{File, OpenOptions};
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::SyncSender;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rustix::process::Pid;
use tokio::io::unix::AsyncFd;
use tokio::runtime::Handle;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tracing::{debug, warn};

use super::link::PassedLog;
use crate::process::errno::Errno;
use crate::process::fd::above_standard_streams;
use crate::process::fd::readiness::{register_readable, register_writable};
use crate::process::helper_program::VERSION;
use crate::process::spawn::{Attributes, Limits, SpawnError, SpawnRequest, Spawned, StandardStreams, spawn};
use crate::process::wait::{ExitWatch, reap};
use crate::sandbox::protocol::intercept::messages::{HostMessage, InterceptorMessage, SecretText};
use crate::sandbox::protocol::intercept::socket::InterceptSocket;

/// The name under which the program appears in `ps`.
const NAME: &std::ffi::CStr = c"agent-bash-interceptor";

/// The longest start of the program: it takes some milliseconds, and more on a busy machine.
const START_DEADLINE: Duration = Duration::from_secs(10);

/// A question for a value that a function gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NeededValue {
    /// The number of the question, for the answer.
    pub request: u64,
    /// The position of the secret in its scope.
    pub secret: u32,
    pub is_renewal: bool,
}

/// Passes a question on to the owner of the function.
pub type Asker = Arc<dyn Fn(NeededValue) + Send + Sync>;

/// The answer to a new scope: the certificate of its authority, or why it can't be used.
pub(super) type Certificate = Result<String, String>;

/// A message with its descriptors.
pub(super) type Outgoing = (HostMessage, Vec<OwnedFd>);

/// A program that runs.
pub struct Interceptor {
    program: PathBuf,
    outgoing: UnboundedSender<Outgoing>,
    state: Mutex<State>,
    /// Signals the first message, and the end.
    changed: Condvar,
}

impl std::fmt::Debug for Interceptor {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Interceptor").field("program", &self.program).finish_non_exhaustive()
    }
}

#[derive(Default)]
struct State {
    /// The version of the program, once it has said it.
    version: Option<String>,
    is_over: bool,
    scopes: HashMap<u32, OpenedScope>,
    connections: HashMap<u64, PassedLog>,
    last_connection: u64,
    /// The questions that wait for their answers, by their numbers for the functions' owner.
    questions: HashMap<u64, Question>,
}

/// A question of the program.
struct Question {
    /// The program's number.
    request: u64,
    scope: u32,
    secret: u32,
}

/// A scope that the program has, or is getting.
struct OpenedScope {
    asker: Asker,
    /// Takes the certificate, while the scope is being opened.
    opening: Option<SyncSender<Certificate>>,
}

impl Interceptor {
    /// Returns the program of this process. Starts it if it does not run, and waits for its first message:
    /// some milliseconds.
    ///
    /// # Errors
    ///
    /// Why there is none, as text for people.
    pub fn running(program: &Path, runtime: &Handle) -> Result<Arc<Self>, String> {
        static CURRENT: Mutex<Option<Arc<Interceptor>>> = Mutex::new(None);
        let mut current = CURRENT.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(running) = current.as_ref().filter(|running| !running.is_over()) {
            return Ok(Arc::clone(running));
        }
        let started = Self::start(program, runtime)?;
        *current = Some(Arc::clone(&started));
        Ok(started)
    }

    fn start(program: &Path, runtime: &Handle) -> Result<Arc<Self>, String> {
        let shown = program.display();
        let failed = |reason: &str| format!("the interceptor {shown} can't be started: {reason}");
        let on_error = |error: io::Error| failed(&Errno::of(&error).name());
        let (host, theirs) = InterceptSocket::pair().map_err(on_error)?;
        let Spawned { pid, pidfd } =
            spawn_program(program, &theirs).map_err(|errno| failed(&errno.name()))?;
        // The program has the only copy, so its death closes the other end.
        drop(theirs);
        let (outgoing, queue) = unbounded_channel();
        let interceptor = Arc::new(Self {
            program: program.to_owned(),
            outgoing,
            state: Mutex::default(),
            changed: Condvar::new(),
        });
        {
            let _inside = runtime.enter();
            let ends = Ends::new(host).map_err(on_error)?;
            runtime.spawn(serve(Arc::clone(&interceptor), ends, queue));
            runtime.spawn(reaped(pid, pidfd));
        }
        let waits = |state: &mut State| state.version.is_none() && !state.is_over;
        let waited = interceptor.changed.wait_timeout_while(interceptor.state(), START_DEADLINE, waits);
        let (state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        match state.version.as_deref() {
            Some(VERSION) => debug!(pid = pid.as_raw_nonzero(), "interceptor runs"),
            Some(version) => {
                return Err(failed(&format!("it is version {version}, and agent-bash is {VERSION}")));
            }
            None => return Err(failed("it ends, or does not report its version")),
        }
        drop(state);
        Ok(interceptor)
    }

    /// Queues a message. A program that is gone gets none.
    pub(super) fn tell(&self, message: HostMessage, descriptors: Vec<OwnedFd>) {
        // The queue is gone with the program.
        let _ = self.outgoing.send((message, descriptors));
    }

    /// Notes a scope that is about to be opened, unless the program is gone.
    pub(super) fn add_scope(&self, id: u32, asker: Asker, opening: SyncSender<Certificate>) {
        let mut state = self.state();
        if !state.is_over {
            state.scopes.insert(id, OpenedScope { asker, opening: Some(opening) });
        }
    }

    /// Ends a scope, and drops the questions for its values.
    pub(super) fn end_scope(&self, id: u32) {
        let mut state = self.state();
        let ended = state.scopes.remove(&id);
        state.questions.retain(|_, question| question.scope != id);
        drop(state);
        if ended.is_some() {
            self.tell(HostMessage::EndScope { id }, Vec::new());
        }
    }

    /// Answers a question of this program about a secret of the scope. Other questions are ignored: they were
    /// answered, or are those of a program before this one.
    pub(super) fn answer(&self, scope: u32, number: u64, value: Result<SecretText, String>) {
        let mut state = self.state();
        if state.questions.get(&number).is_none_or(|question| question.scope != scope) {
            return;
        }
        let Some(Question { request, secret, .. }) = state.questions.remove(&number) else { return };
        drop(state);
        self.tell(HostMessage::Value { request, scope, secret, value }, Vec::new());
    }

    /// Notes a connection that is about to be passed, and returns its id; `None` if the program is gone.
    pub(super) fn add_connection(&self, log: PassedLog) -> Option<u64> {
        let mut state = self.state();
        if state.is_over {
            return None;
        }
        state.last_connection += 1;
        let id = state.last_connection;
        state.connections.insert(id, log);
        Some(id)
    }

    /// Closes a connection, unless it has ended.
    pub(super) fn close_connection(&self, id: u64) {
        if self.state().connections.contains_key(&id) {
            self.tell(HostMessage::Close { id }, Vec::new());
        }
    }

    /// Returns whether the program is gone.
    pub(super) fn is_over(&self) -> bool {
        self.state().is_over
    }

    /// Does what a message of the program asks for.
    pub(super) fn take(&self, message: InterceptorMessage) {
        let mut state = self.state();
        match message {
            InterceptorMessage::Hello { version } => {
                state.version = Some(version);
                self.changed.notify_all();
            }
            InterceptorMessage::Scope { id, certificate } => {
                let opening = state.scopes.get_mut(&id).and_then(|scope| scope.opening.take());
                if let Some(opening) = opening {
                    let _ = opening.try_send(certificate);
                }
            }
            InterceptorMessage::NeedValue { request, scope, secret, is_renewal } => {
                let Some(asker) = state.scopes.get(&scope).map(|scope| Arc::clone(&scope.asker)) else {
                    return;
                };
                // The program asks again only when it waits for the earlier answer no more.
                state.questions.retain(|_, earlier| (earlier.scope, earlier.secret) != (scope, secret));
                let number = next_question();
                state.questions.insert(number, Question { request, scope, secret });
                drop(state);
                asker(NeededValue { request: number, secret, is_renewal });
            }
            InterceptorMessage::Used { connection, secret } => {
                if let Some(log) = state.connections.get(&connection) {
                    log.note_use(secret);
                }
            }
            InterceptorMessage::Refused { connection, refusal } => {
                if let Some(log) = state.connections.get(&connection) {
                    log.note_refusal(refusal);
                }
            }
            InterceptorMessage::Ended { connection } => {
                let ended = state.connections.remove(&connection);
                // The log may have the last reference to its scope, which then ends here, under this lock.
                drop(state);
                drop(ended);
            }
        }
    }

    /// Returns a program that does not run, and the queue of the messages to it.
    #[cfg(test)]
    pub(super) fn unconnected() -> (Arc<Self>, UnboundedReceiver<Outgoing>) {
        let (outgoing, queue) = unbounded_channel();
        let interceptor =
            Self { program: PathBuf::new(), outgoing, state: Mutex::default(), changed: Condvar::new() };
        (Arc::new(interceptor), queue)
    }

    /// Notes that the program is gone.
    pub(super) fn finish(&self) {
        let mut state = self.state();
        state.is_over = true;
        state.questions.clear();
        let ended = (std::mem::take(&mut state.scopes), std::mem::take(&mut state.connections));
        drop(state);
        self.changed.notify_all();
        // Ends the waits for certificates, and for the ends of connections. The logs may have the last
        // references to their scopes, which take the lock when they end.
        drop(ended);
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns a number that no other question of this process has: a late answer must not become that to another
/// question, as of a program that was started again.
fn next_question() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

/// Starts the program with its end of the socket as its standard input.
fn spawn_program(program: &Path, theirs: &InterceptSocket) -> Result<Spawned, Errno> {
    let on_error = |error: io::Error| Errno::of(&error);
    let path = CString::new(program.as_os_str().as_bytes()).map_err(|_| Errno(libc::EINVAL))?;
    let null = OpenOptions::new().write(true).open("/dev/null").map_err(on_error)?;
    let null = above_standard_streams(null.into()).map_err(on_error)?;
    let root = File::open("/").map_err(on_error)?;
    spawn(&SpawnRequest {
        candidates: &[path],
        arguments: &[NAME.to_owned()],
        environment: &[],
        directory: root.as_fd(),
        stdio: StandardStreams { stdin: theirs.as_fd(), stdout: null.as_fd(), stderr: null.as_fd() },
        extra_fd: None,
        record: None,
        attributes: Attributes::default(),
        limits: &Limits::default(),
        tag: None,
    })
    .map_err(|SpawnError { errno, .. }| errno)
}

/// Waits for the exit of the program.
async fn reaped(pid: Pid, pidfd: Option<OwnedFd>) {
    let Ok(mut watch) = ExitWatch::new(pid, pidfd) else { return };
    watch.exited().await;
    warn!(pid = pid.as_raw_nonzero(), "interceptor exited");
    reap(pid);
}

/// The host's end of the socket, registered for both directions: a registration has one.
struct Ends {
    socket: InterceptSocket,
    readable: AsyncFd<OwnedFd>,
    writable: AsyncFd<OwnedFd>,
}

impl Ends {
    /// Registers the socket. Must be called in the runtime.
    fn new(socket: InterceptSocket) -> io::Result<Self> {
        let readable = register_readable(socket.as_fd().try_clone_to_owned()?)?;
        let writable = register_writable(socket.as_fd().try_clone_to_owned()?)?;
        Ok(Self { socket, readable, writable })
    }

    async fn next(&self) -> io::Result<Option<InterceptorMessage>> {
        loop {
            let mut ready = self.readable.readable().await?;
            match self.socket.next_report() {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => ready.clear_ready(),
                other => return other,
            }
        }
    }

    async fn send(&self, (message, descriptors): Outgoing) -> io::Result<()> {
        loop {
            let mut ready = self.writable.writable().await?;
            let descriptors: Vec<_> = descriptors.iter().map(AsFd::as_fd).collect();
            match self.socket.tell(&message, &descriptors) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => ready.clear_ready(),
                other => return other,
            }
        }
    }
}

/// Exchanges messages with the program until one side has ended. Reads also while a message waits to be
/// written: the program may do the same.
async fn serve(interceptor: Arc<Interceptor>, ends: Ends, mut queue: UnboundedReceiver<Outgoing>) {
    let read = async {
        while let Ok(Some(message)) = ends.next().await {
            interceptor.take(message);
        }
    };
    let write = async {
        while let Some(outgoing) = queue.recv().await {
            if ends.send(outgoing).await.is_err() {
                return;
            }
        }
    };
    tokio::select! {
        () = read => {}
        () = write => {}
    }
    interceptor.finish();
}
