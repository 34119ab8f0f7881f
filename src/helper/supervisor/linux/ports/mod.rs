//! The sockets of ports on the target: connections to servers there, and listeners for the host.
//!
//! [`Ports`] is the table of them. `socket` is one connection, `listen` makes a listener, `names` looks names
//! up in a fork, because a lookup blocks, and `room` raises the limit of descriptors. `listening` finds the
//! ports on which a command listens, for its reaper.
//!
//! Two epoll instances are among the descriptors of the supervisor's `poll`, in place of thousands of
//! sockets: one for what is to be read, which waits while the stream has unsent bytes, as the outputs of
//! commands do, and one for what is to be written, which never waits.

mod listen;
pub(super) mod listening;
mod names;
pub(super) mod room;
mod socket;

use std::collections::BTreeMap;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::buffer::spare_capacity;
use rustix::event::Timespec;
use rustix::event::epoll::{self, CreateFlags, Event, EventData, EventFlags};
use rustix::io::Errno;
use rustix::process::Pid;
use rustix::stdio::stdout;

use self::listen::{ListeningSocket, accept, listen};
use self::names::Lookups;
use self::socket::PortSocket;
use super::outbox::{Broken, Outbox};
use crate::helper::supervisor::protocol::message::{PORT_DATA, ToClient};
use crate::helper::supervisor::protocol::ports::{
    FIRST_ACCEPTED, MAX_LARGE_CONNECTIONS, PortEnd, PortMessage, known_addresses,
};
use crate::process::errno;

/// The most events of one turn: then the outputs of commands have theirs.
const MAX_EVENTS: usize = 64;

/// The mark of a descriptor of [`Lookups`] among the events, beside ids of 32 bits.
const LOOKUP: u64 = 1 << 32;

/// The host has violated the protocol.
#[derive(Debug)]
pub(super) struct PortViolation(pub(super) &'static str);

/// The sockets of ports, with the events for which the supervisor waits.
#[derive(Debug)]
pub(super) struct Ports {
    to_read: OwnedFd,
    to_write: OwnedFd,
    sockets: BTreeMap<u32, PortSocket>,
    listeners: BTreeMap<u32, RemoteListener>,
    lookups: Lookups,
    /// The last ids of the host, and of the accepted connections.
    last_id: u32,
    last_accepted: u32,
    /// The most connections, as far as descriptors allow; known from the first one on.
    most: usize,
    /// The connections whose windows were enlarged.
    large: usize,
}

#[derive(Debug)]
struct RemoteListener {
    listening: ListeningSocket,
    /// Whether no connection is accepted, because there are too many.
    is_paused: bool,
}

impl Ports {
    pub(super) fn new() -> Result<Self, Errno> {
        Ok(Self {
            to_read: epoll::create(CreateFlags::CLOEXEC)?,
            to_write: epoll::create(CreateFlags::CLOEXEC)?,
            sockets: BTreeMap::new(),
            listeners: BTreeMap::new(),
            lookups: Lookups::default(),
            last_id: 0,
            last_accepted: FIRST_ACCEPTED - 1,
            most: 0,
            large: 0,
        })
    }

    /// Returns the descriptor that is readable while a socket can be read.
    pub(super) fn to_read(&self) -> BorrowedFd<'_> {
        self.to_read.as_fd()
    }

    /// Returns the descriptor that is readable while a socket can be written.
    pub(super) fn to_write(&self) -> BorrowedFd<'_> {
        self.to_write.as_fd()
    }

    /// Returns the pids of the forks that look names up.
    pub(super) fn forks(&self) -> impl Iterator<Item = Pid> {
        self.lookups.forks()
    }

    /// Handles a message of the host.
    pub(super) fn handle(
        &mut self,
        id: u32,
        message: PortMessage,
        outbox: &mut Outbox,
    ) -> Result<(), PortViolation> {
        match message {
            PortMessage::Connect(end) => {
                self.take_id(id)?;
                if self.sockets.len() >= self.most {
                    closed(id, Errno::MFILE, outbox);
                    return Ok(());
                }
                self.sockets.insert(id, PortSocket::default());
                self.connect(id, end, outbox);
            }
            PortMessage::Listen(at) => {
                self.take_id(id)?;
                match listen(&at) {
                    Ok((listening, port)) => {
                        outbox.push(id, &ToClient::Port(PortMessage::Listening { port }));
                        self.listeners.insert(id, RemoteListener { listening, is_paused: true });
                        self.resume_listeners();
                    }
                    Err(error) => closed(id, error, outbox),
                }
            }
            PortMessage::Credit { count } => {
                if let Some(socket) = self.socket(id)? {
                    socket.flow.add_credit(count);
                    self.settle(id, outbox);
                }
            }
            PortMessage::End => {
                if let Some(socket) = self.socket(id)? {
                    socket.flow.note_end();
                    self.write(id, outbox);
                }
            }
            PortMessage::Closed { .. } => {
                if self.socket(id)?.is_some() {
                    self.remove(id);
                }
                self.listeners.remove(&id);
            }
            PortMessage::Listening { .. } | PortMessage::Accepted { .. } => {
                return Err(PortViolation("a message of a port that only a supervisor sends"));
            }
        }
        Ok(())
    }

    /// Takes bytes for a connection.
    pub(super) fn take(&mut self, id: u32, bytes: &[u8], outbox: &mut Outbox) -> Result<(), PortViolation> {
        if let Some(socket) = self.socket(id)? {
            socket
                .flow
                .receive(bytes)
                .map_err(|_| PortViolation("more bytes for a port than were granted"))?;
            self.write(id, outbox);
        }
        Ok(())
    }

    /// Accepts connections again. Called now and then, because descriptors become free elsewhere too.
    pub(super) fn resume_listeners(&mut self) {
        if self.sockets.len() >= self.most {
            return;
        }
        for (&id, listener) in &mut self.listeners {
            if listener.is_paused {
                let data = EventData::new_u64(id.into());
                listener.is_paused =
                    epoll::add(&self.to_read, &listener.listening.socket, data, EventFlags::IN).is_err();
            }
        }
    }

    /// Connects and writes, where that is possible now.
    pub(super) fn serve_writes(&mut self, outbox: &mut Outbox) {
        for event in ready(&self.to_write) {
            let Ok(id) = u32::try_from(event.data.u64()) else { continue };
            self.write(id, outbox);
        }
    }

    /// Reads one frame of each ready connection in turn, as far as the stream takes them, and accepts.
    pub(super) fn serve_reads(&mut self, outbox: &mut Outbox) -> Result<(), Broken> {
        for event in ready(&self.to_read) {
            outbox.flush(stdout())?;
            if outbox.has_unsent() {
                break;
            }
            let (flags, data) = (event.flags, event.data.u64());
            match u32::try_from(data) {
                Ok(id) if self.listeners.contains_key(&id) => self.accept_at(id, outbox),
                Ok(id) => self.read(id, flags, outbox),
                Err(_) => self.finish_lookup(data & !LOOKUP, outbox),
            }
        }
        Ok(())
    }

    /// Checks the id of a new connection or listener of the host.
    fn take_id(&mut self, id: u32) -> Result<(), PortViolation> {
        if id <= self.last_id || id >= FIRST_ACCEPTED {
            return Err(PortViolation("a used id of a port"));
        }
        self.last_id = id;
        if self.most == 0 {
            self.most = room::make_room();
        }
        Ok(())
    }

    /// Returns a connection; `None` for one that has ended, or a listener.
    fn socket(&mut self, id: u32) -> Result<Option<&mut PortSocket>, PortViolation> {
        let last = if id < FIRST_ACCEPTED { self.last_id } else { self.last_accepted };
        if id > last {
            return Err(PortViolation("a message for an unknown port"));
        }
        Ok(self.sockets.get_mut(&id))
    }

    fn connect(&mut self, id: u32, end: PortEnd, outbox: &mut Outbox) {
        let Some(socket) = self.sockets.get_mut(&id) else { return };
        let begun = match end {
            PortEnd::Unix { path } => socket.connect_to_path(&path),
            PortEnd::Tcp { host, port } => match known_addresses(&host, port) {
                Some(addresses) => socket.connect(addresses),
                None => self.lookups.look_up(id, &host, port, &self.to_read),
            },
        };
        match begun {
            Ok(()) => self.write(id, outbox),
            Err(error) => self.fail(id, error, outbox),
        }
    }

    fn finish_lookup(&mut self, lookup: u64, outbox: &mut Outbox) {
        for (id, addresses) in self.lookups.finish(lookup) {
            let Some(socket) = self.sockets.get_mut(&id) else { continue };
            match socket.connect(addresses) {
                Ok(()) => self.write(id, outbox),
                Err(error) => self.fail(id, error, outbox),
            }
        }
    }

    fn accept_at(&mut self, listener: u32, outbox: &mut Outbox) {
        let Some(RemoteListener { listening, is_paused }) = self.listeners.get_mut(&listener) else { return };
        let accepted =
            if self.sockets.len() < self.most { accept(&listening.socket) } else { Err(Errno::MFILE) };
        match accepted {
            Ok(accepted) => {
                let id = self.last_accepted.wrapping_add(1).max(FIRST_ACCEPTED);
                self.last_accepted = id;
                self.sockets.insert(id, PortSocket::accepted(accepted));
                outbox.push(id, &ToClient::Port(PortMessage::Accepted { listener }));
                self.settle(id, outbox);
            }
            // The connection has gone, or was accepted already.
            Err(Errno::AGAIN | Errno::INTR | Errno::CONNABORTED) => {}
            Err(_) => {
                *is_paused = true;
                let _ = epoll::delete(&self.to_read, &listening.socket);
            }
        }
    }

    fn read(&mut self, id: u32, flags: EventFlags, outbox: &mut Outbox) {
        let Some(socket) = self.sockets.get_mut(&id) else { return };
        let most = socket.flow.readable();
        let result = match socket.descriptor() {
            Some(descriptor) if most > 0 => {
                outbox.read_into_frame(PORT_DATA, id, most, |buffer| rustix::io::read(descriptor, buffer))
            }
            Some(_) if flags.contains(EventFlags::ERR) => Err(socket.error()),
            _ => return,
        };
        match result {
            Ok(0) => {
                socket.flow.sent_end();
                outbox.push(id, &ToClient::Port(PortMessage::End));
            }
            Ok(count) => socket.flow.sent(count),
            Err(Errno::AGAIN | Errno::INTR) => {}
            Err(error) => return self.fail(id, error, outbox),
        }
        self.settle(id, outbox);
    }

    /// Connects and writes as far as that is possible now, and grants credit.
    fn write(&mut self, id: u32, outbox: &mut Outbox) {
        let may_grow = self.large < MAX_LARGE_CONNECTIONS;
        let Some(socket) = self.sockets.get_mut(&id) else { return };
        let was_large = socket.flow.is_large();
        let granted = match socket.progress() {
            Ok(granted) => granted,
            Err(error) => return self.fail(id, error, outbox),
        };
        let grown = if may_grow || was_large { socket.flow.grow() } else { None };
        self.large += usize::from(!was_large && socket.flow.is_large());
        for count in [granted, grown].into_iter().flatten() {
            outbox.push(id, &ToClient::Port(PortMessage::Credit { count }));
        }
        self.settle(id, outbox);
    }

    /// Reports the error of a connection, and drops it.
    fn fail(&mut self, id: u32, error: Errno, outbox: &mut Outbox) {
        closed(id, error, outbox);
        self.remove(id);
    }

    /// Watches a connection for what it waits for, or drops it at its end.
    fn settle(&mut self, id: u32, outbox: &mut Outbox) {
        let Some(socket) = self.sockets.get_mut(&id) else { return };
        if socket.flow.is_over() {
            socket.is_finished = true;
            self.remove(id);
        } else if let Err(error) = socket.watch(id, &self.to_read, &self.to_write) {
            self.fail(id, error, outbox);
        }
    }

    fn remove(&mut self, id: u32) {
        if let Some(socket) = self.sockets.remove(&id) {
            self.large -= usize::from(socket.flow.is_large());
        }
        if self.sockets.len() + 1 == self.most {
            self.resume_listeners();
        }
    }
}

/// Reports the end of a connection or listener.
fn closed(id: u32, error: Errno, outbox: &mut Outbox) {
    outbox.push(id, &ToClient::Port(PortMessage::Closed { error: name(error) }));
}

fn name(error: Errno) -> String {
    errno::Errno(error.raw_os_error()).name()
}

/// Returns what is ready now. The kernel rotates what is ready longer.
fn ready(of: &OwnedFd) -> Vec<Event> {
    let mut events = Vec::with_capacity(MAX_EVENTS);
    let now = Timespec { tv_sec: 0, tv_nsec: 0 };
    let _ = epoll::wait(of, spare_capacity(&mut events), Some(&now));
    events
}
