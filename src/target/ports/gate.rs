//! The way from the tasks of ports to the connection of their target, and back.

use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};

use tokio::sync::mpsc::error::SendError;
use tokio::sync::mpsc::{Permit, Sender, UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::sync::watch;

use crate::helper::supervisor::protocol::ports::{MAX_LARGE_CONNECTIONS, PortEnd, PortFlow, PortMessage};
use crate::target::TargetRequest;
use crate::target::error::TargetError;

/// A frame that a task sends.
#[derive(Debug)]
pub(in crate::target) enum PortOutgoing {
    /// Opens a connection or a listener there. `inbox` gets what arrives for it.
    Open {
        id: u32,
        message: PortMessage,
        inbox: UnboundedSender<PortIncoming>,
    },
    Message {
        id: u32,
        message: PortMessage,
    },
    Data {
        id: u32,
        bytes: Vec<u8>,
    },
    /// The connection has ended in both directions.
    Over {
        id: u32,
    },
}

/// A frame that arrives for a task.
#[derive(Debug)]
pub(in crate::target) enum PortIncoming {
    Data(Vec<u8>),
    Message(PortMessage),
    /// A connection, for its listener.
    Accepted {
        id: u32,
        inbox: UnboundedReceiver<PortIncoming>,
    },
}

/// A task's way to the connection. The connection stays open while there is one.
#[derive(Clone, Debug)]
pub(in crate::target) struct PortGate {
    /// Takes a few frames, and no more while the stream is full. Those who wait have their turns.
    pub(in crate::target) frames: Sender<PortOutgoing>,
    /// Keeps the connection's inbox open, and takes what must not wait.
    pub(in crate::target) requests: UnboundedSender<TargetRequest>,
    pub(in crate::target) last_id: Arc<AtomicU32>,
    /// The number of connections with enlarged windows.
    pub(in crate::target) large: Arc<AtomicUsize>,
    /// The reason for the end of the connection.
    pub(in crate::target) lost: watch::Receiver<Option<TargetError>>,
    /// Shows the connection that a task has not ended yet.
    pub(in crate::target) _presence: Sender<Infallible>,
}

/// A connection or listener of a task. Dropping it closes it there, unless it is over.
#[derive(Debug)]
pub(super) struct PortRoute {
    pub(super) id: u32,
    pub(super) gate: PortGate,
    pub(super) inbox: UnboundedReceiver<PortIncoming>,
    is_over: bool,
    is_large: bool,
}

/// The connection has ended.
#[derive(Clone, Copy, Debug)]
pub(super) struct GateLost;

impl<T> From<SendError<T>> for GateLost {
    fn from(_: SendError<T>) -> Self {
        Self
    }
}

impl PortGate {
    /// Waits for the end of the connection, and returns the reason. Cancel-safe.
    pub(super) async fn lost(&mut self) -> TargetError {
        let lost = self.lost.wait_for(Option::is_some).await;
        lost.ok().and_then(|reason| reason.clone()).unwrap_or_else(TargetError::closed)
    }

    /// Opens a connection to what is there.
    pub(super) async fn connect(&self, end: PortEnd) -> Result<PortRoute, GateLost> {
        self.open(PortMessage::Connect(end)).await
    }

    pub(super) async fn open(&self, message: PortMessage) -> Result<PortRoute, GateLost> {
        let (sender, inbox) = unbounded_channel();
        let permit = self.frames.reserve().await?;
        // Nothing waits between the choice of the id and its frame, so ids arrive in order.
        let id = self.last_id.fetch_add(1, Ordering::Relaxed) + 1;
        permit.send(PortOutgoing::Open { id, message, inbox: sender });
        Ok(self.route(id, inbox))
    }

    /// Waits for room for one frame of a connection. Cancel-safe.
    pub(super) async fn permit(&self, id: u32) -> Result<PortPermit<'_>, GateLost> {
        Ok(PortPermit { id, permit: self.frames.reserve().await? })
    }

    /// Returns the route of an open connection.
    pub(super) fn route(&self, id: u32, inbox: UnboundedReceiver<PortIncoming>) -> PortRoute {
        PortRoute { id, gate: self.clone(), inbox, is_over: false, is_large: false }
    }
}

impl PortRoute {
    pub(super) async fn send(&self, message: PortMessage) -> Result<(), GateLost> {
        self.gate.permit(self.id).await?.message(message);
        Ok(())
    }

    /// Notes that the other side has closed the connection.
    pub(super) const fn note_closed(&mut self) {
        self.is_over = true;
    }

    /// Ends a connection that has ended in both directions.
    pub(super) async fn finish(mut self) {
        if self.gate.frames.send(PortOutgoing::Over { id: self.id }).await.is_ok() {
            self.is_over = true;
        }
    }

    /// Enlarges the window of a connection that needs it, if few have large ones. Returns the credit to
    /// grant.
    pub(super) fn grow(&mut self, flow: &mut PortFlow) -> Option<u32> {
        if !self.is_large && self.gate.large.load(Ordering::Relaxed) >= MAX_LARGE_CONNECTIONS {
            return None;
        }
        let grown = flow.grow();
        if grown.is_some() && !std::mem::replace(&mut self.is_large, true) {
            self.gate.large.fetch_add(1, Ordering::Relaxed);
        }
        grown
    }
}

impl Drop for PortRoute {
    fn drop(&mut self) {
        if self.is_large {
            self.gate.large.fetch_sub(1, Ordering::Relaxed);
        }
        if !self.is_over {
            let _ = self.gate.requests.send(TargetRequest::PortGone(self.id));
        }
    }
}

/// Room for one frame of a connection.
pub(super) struct PortPermit<'a> {
    id: u32,
    permit: Permit<'a, PortOutgoing>,
}

impl PortPermit<'_> {
    pub(super) fn data(self, bytes: Vec<u8>) {
        self.permit.send(PortOutgoing::Data { id: self.id, bytes });
    }

    pub(super) fn message(self, message: PortMessage) {
        self.permit.send(PortOutgoing::Message { id: self.id, message });
    }
}
