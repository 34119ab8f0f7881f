//! The connections of ports that pass through a target's connection.

use std::collections::HashMap;
use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicUsize};
use std::time::Duration;

use tokio::sync::mpsc::{Receiver, Sender, UnboundedSender, channel, unbounded_channel};
use tokio::sync::watch;
use tokio::time::timeout;

use super::FULL;
use super::stream::Stream;
use crate::helper::supervisor::protocol::message::ToSupervisor;
use crate::helper::supervisor::protocol::ports::{
    FIRST_ACCEPTED, FIRST_PORT_WINDOW, MAX_CONNECTIONS, PortMessage,
};
use crate::target::TargetRequest;
use crate::target::error::TargetError;
use crate::target::ports::gate::{PortGate, PortIncoming, PortOutgoing};

/// The frames that wait for the stream, beside those that tasks hold back.
const MAX_FRAMES: usize = 8;

/// The longest wait for the tasks of ports at the end of a connection. They close their sockets at once.
const TASKS_DEADLINE: Duration = Duration::from_secs(2);

/// The ports of a connection.
#[derive(Debug)]
pub(super) struct PortTable {
    frames: Receiver<PortOutgoing>,
    sender: Sender<PortOutgoing>,
    entries: HashMap<u32, PortEntry>,
    /// The last ids of this side, as far as the supervisor knows them, and of the supervisor.
    last_id: u32,
    last_accepted: u32,
    next_id: Arc<AtomicU32>,
    large: Arc<AtomicUsize>,
    lost: watch::Sender<Option<TargetError>>,
    presence: (Sender<Infallible>, Receiver<Infallible>),
}

/// A connection or a listener.
#[derive(Debug)]
struct PortEntry {
    inbox: UnboundedSender<PortIncoming>,
    /// The bytes that may still arrive.
    granted: usize,
}

impl PortTable {
    pub(super) fn new() -> Self {
        let (sender, frames) = channel(MAX_FRAMES);
        Self {
            frames,
            sender,
            entries: HashMap::new(),
            last_id: 0,
            last_accepted: FIRST_ACCEPTED - 1,
            next_id: Arc::default(),
            large: Arc::default(),
            lost: watch::Sender::new(None),
            presence: channel(1),
        }
    }

    /// Returns a gate for a listener and its connections.
    pub(super) fn gate(&self, requests: UnboundedSender<TargetRequest>) -> PortGate {
        PortGate {
            frames: self.sender.clone(),
            requests,
            last_id: Arc::clone(&self.next_id),
            large: Arc::clone(&self.large),
            lost: self.lost.subscribe(),
            _presence: self.presence.0.clone(),
        }
    }

    /// Returns whether a listener or a connection is open.
    pub(super) fn is_used(&self) -> bool {
        self.frames.sender_strong_count() > 1
    }

    /// Waits for the next frame of a task. Cancel-safe.
    pub(super) async fn next(&mut self) -> PortOutgoing {
        match self.frames.recv().await {
            Some(outgoing) => outgoing,
            // The table has a sender itself.
            None => std::future::pending().await,
        }
    }

    /// Sends what tasks have, as far as the stream takes it.
    pub(super) fn relay(&mut self, stream: &mut Stream) {
        while stream.unsent() < FULL
            && let Ok(outgoing) = self.frames.try_recv()
        {
            self.send(outgoing, stream.out());
        }
    }

    /// Sends a frame of a task.
    pub(super) fn send(&mut self, outgoing: PortOutgoing, out: &mut Vec<u8>) {
        match outgoing {
            PortOutgoing::Open { id, message, inbox } => {
                // A task that was ended meanwhile has no inbox.
                if !inbox.is_closed() {
                    self.last_id = id;
                    self.entries.insert(id, PortEntry { inbox, granted: FIRST_PORT_WINDOW });
                    ToSupervisor::Port(message).put(id, out);
                }
            }
            PortOutgoing::Message { id, message } => {
                if let Some(entry) = self.entries.get_mut(&id) {
                    if let PortMessage::Credit { count } = message {
                        entry.granted = entry.granted.saturating_add(count as usize);
                    }
                    ToSupervisor::Port(message).put(id, out);
                }
            }
            PortOutgoing::Data { id, bytes } => {
                if self.entries.contains_key(&id) {
                    ToSupervisor::PortData(&bytes).put(id, out);
                }
            }
            PortOutgoing::Over { id } => drop(self.entries.remove(&id)),
        }
    }

    /// Closes a connection or listener whose task has ended.
    pub(super) fn close(&mut self, id: u32, out: &mut Vec<u8>) {
        if self.entries.remove(&id).is_some() {
            ToSupervisor::Port(PortMessage::Closed { error: String::new() }).put(id, out);
        }
    }

    /// Takes a message of the supervisor. An error is what is wrong with it.
    pub(super) fn receive(
        &mut self,
        id: u32,
        message: PortMessage,
        out: &mut Vec<u8>,
    ) -> Result<(), &'static str> {
        match message {
            PortMessage::Accepted { listener } => return self.accept(id, listener, out),
            PortMessage::Connect(_) | PortMessage::Listen(_) => return Err("a request of a host"),
            message => {
                let is_closed = matches!(message, PortMessage::Closed { .. });
                self.pass_on(id, PortIncoming::Message(message))?;
                if is_closed {
                    self.entries.remove(&id);
                }
            }
        }
        Ok(())
    }

    /// Takes bytes of the supervisor.
    pub(super) fn receive_data(&mut self, id: u32, bytes: &[u8]) -> Result<(), &'static str> {
        if let Some(entry) = self.entries.get_mut(&id) {
            let left = entry.granted.checked_sub(bytes.len());
            entry.granted = left.ok_or("more bytes of a port than were granted")?;
        }
        self.pass_on(id, PortIncoming::Data(bytes.to_vec()))
    }

    fn pass_on(&mut self, id: u32, incoming: PortIncoming) -> Result<(), &'static str> {
        let last = if id < FIRST_ACCEPTED { self.last_id } else { self.last_accepted };
        if id > last {
            return Err("a frame for an unknown port");
        }
        // A task that has just ended gets no more.
        if let Some(entry) = self.entries.get(&id) {
            let _ = entry.inbox.send(incoming);
        }
        Ok(())
    }

    fn accept(&mut self, id: u32, listener: u32, out: &mut Vec<u8>) -> Result<(), &'static str> {
        if id != self.last_accepted.wrapping_add(1).max(FIRST_ACCEPTED) || listener > self.last_id {
            return Err("a connection with a used id, or of an unknown listener");
        }
        if self.entries.len() >= 2 * MAX_CONNECTIONS {
            return Err("more connections than there may be");
        }
        self.last_accepted = id;
        let (inbox, receiver) = unbounded_channel();
        let accepted = PortIncoming::Accepted { id, inbox: receiver };
        match self.entries.get(&listener) {
            Some(entry) if entry.inbox.send(accepted).is_ok() => {
                self.entries.insert(id, PortEntry { inbox, granted: FIRST_PORT_WINDOW });
            }
            // The listener was closed meanwhile.
            _ => ToSupervisor::Port(PortMessage::Closed { error: String::new() }).put(id, out),
        }
        Ok(())
    }

    /// Ends all ports, for this reason, and waits until their sockets are closed.
    pub(super) async fn end(self, reason: TargetError) {
        let Self { lost, presence: (sender, mut receiver), entries, frames, .. } = self;
        lost.send_replace(Some(reason));
        drop((sender, entries, frames));
        let _ = timeout(TASKS_DEADLINE, receiver.recv()).await;
    }
}
