//! Ports: connections between sockets on this machine and sockets on the target, over the stream of the
//! target's connection.
//!
//! * [`PortPlan`] is what a caller asks for. [`gate`] is the way to the connection: its frames wait there
//!   while the stream is full.
//! * `forward` listens here for a server there, `reverse` listens there for a server here. Each connection
//!   has a task, `relay`, which copies between its socket, `host_socket`, and the gate. `paths` removes the
//!   paths of listeners here.
//! * The connection's side is `connection/ports.rs`, the target's side [`crate::helper::supervisor`].

mod forward;
pub(super) mod gate;
mod host_socket;
mod paths;
mod relay;
mod reverse;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::oneshot;
use tokio::task::JoinSet;

use self::gate::PortGate;
pub use self::paths::remove_paths;
use super::error::TargetError;
use super::{Target, TargetRequest};
use crate::engine::Engine;
use crate::helper::supervisor::protocol::ports::{ListenAt, PortEnd};
use crate::process::registry::Owner;

/// A listener, and what its connections reach on the other side.
#[derive(Clone, Debug)]
pub struct PortPlan {
    /// Whether the listener is on the target.
    pub is_reverse: bool,
    pub end: PortEnd,
    pub listen: ListenAt,
}

/// A report about a listener. Nothing follows [`Self::Closed`].
#[derive(Clone, Debug)]
pub enum PortReport {
    /// The port is 0 for a path.
    Listening {
        port: u16,
    },
    Closed(Option<PortError>),
}

/// The reason why there is no listener, or none any more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PortError {
    pub code: String,
    pub message: String,
}

/// A listener. Dropping it closes the listener and its connections.
#[derive(Debug)]
pub struct PortHandle {
    close: Mutex<Option<oneshot::Sender<()>>>,
    connections: Arc<AtomicUsize>,
}

impl PortHandle {
    /// Closes the listener and its connections. Idempotent.
    pub fn close(&self) {
        self.close.lock().unwrap_or_else(PoisonError::into_inner).take();
    }

    /// Returns the number of open connections.
    #[must_use]
    pub fn connections(&self) -> usize {
        self.connections.load(Ordering::Relaxed)
    }
}

impl Target {
    /// Listens on this machine or on the target. Connects first if there is no connection, and keeps it open.
    pub fn open_port(
        &self,
        engine: &'static Engine,
        owner: &Owner,
        plan: PortPlan,
        mut report: impl FnMut(PortReport) + Send + 'static,
    ) -> PortHandle {
        let (answer, gate) = oneshot::channel();
        let (close, closed) = oneshot::channel::<()>();
        let connections = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&connections);
        self.request(engine, owner, TargetRequest::Ports(answer));
        let owner = owner.clone();
        engine.runtime().spawn(async move {
            let mut open = OpenPort { owner, gate, count, tasks: JoinSet::new(), report: &mut report };
            let error = tokio::select! {
                error = open.serve(&plan) => Some(error),
                _ = closed => None,
            };
            open.tasks.shutdown().await;
            report(PortReport::Closed(error));
        });
        PortHandle { close: Mutex::new(Some(close)), connections }
    }
}

/// A listener that is served.
struct OpenPort<'a> {
    owner: Owner,
    gate: oneshot::Receiver<Result<PortGate, TargetError>>,
    count: Arc<AtomicUsize>,
    /// The connections.
    tasks: JoinSet<()>,
    report: &'a mut (dyn FnMut(PortReport) + Send),
}

impl OpenPort<'_> {
    /// Serves the listener until it fails or its target is lost.
    async fn serve(&mut self, plan: &PortPlan) -> PortError {
        let served = if plan.is_reverse { self.reverse(plan).await } else { self.forward(plan).await };
        match served {
            Ok(never) => match never {},
            Err(error) => error,
        }
    }

    async fn gate(&mut self) -> Result<PortGate, PortError> {
        let answered = (&mut self.gate).await;
        Ok(answered.unwrap_or_else(|_| Err(TargetError::closed()))?)
    }
}

impl PortError {
    /// Returns the error of a listener that can't be opened.
    fn of_listener(plan: &PortPlan, code: &str) -> Self {
        let option = if plan.is_reverse { "remote" } else { "local" };
        let there = if plan.is_reverse { " on the target" } else { "" };
        let at = match &plan.listen {
            ListenAt::Tcp { address, port } => std::net::SocketAddr::new(*address, *port).to_string(),
            ListenAt::Unix { path } => path.clone(),
        };
        let message = format!("options.{option}: can't listen on {at}{there}: {code}");
        Self { code: code.to_owned(), message }
    }
}

impl From<TargetError> for PortError {
    fn from(TargetError { code, message }: TargetError) -> Self {
        Self { code: code.to_owned(), message }
    }
}

/// Counts a connection while it is open.
struct OpenConnection(Arc<AtomicUsize>);

impl OpenConnection {
    fn new(count: &Arc<AtomicUsize>) -> Self {
        count.fetch_add(1, Ordering::Relaxed);
        Self(Arc::clone(count))
    }
}

impl Drop for OpenConnection {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}
