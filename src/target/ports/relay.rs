//! The task of one connection: copies between its socket and the gate.

use std::io;

use super::gate::{GateLost, PortGate, PortIncoming, PortPermit, PortRoute};
use super::host_socket::HostSocket;
use crate::helper::supervisor::protocol::frame::MAX_PAYLOAD;
use crate::helper::supervisor::protocol::ports::{PortEnd, PortFlow, PortMessage};

/// The connection is closed, and nothing is left to do.
struct RelayClosed;

/// Connects a connection that was accepted there, and copies.
pub(super) async fn connect_and_relay(end: &PortEnd, mut route: PortRoute) {
    let mut flow = PortFlow::default();
    let connecting = HostSocket::connect(end);
    tokio::pin!(connecting);
    let socket = loop {
        tokio::select! {
            connected = &mut connecting => match connected {
                Ok(socket) => break socket,
                Err(_) => return,
            },
            incoming = route.inbox.recv() => if take(incoming, &mut route, &mut flow).is_err() { return },
        }
    };
    relay(socket, route, flow).await;
}

/// Copies in both directions until both have ended, or the connection was reset or lost. Then the sockets of
/// both sides are reset.
pub(super) async fn relay(socket: HostSocket, mut route: PortRoute, mut flow: PortFlow) {
    loop {
        match write(&socket, &mut flow) {
            Ok(granted) => {
                for count in [granted, route.grow(&mut flow)].into_iter().flatten() {
                    if let Err(GateLost) = route.send(PortMessage::Credit { count }).await {
                        return;
                    }
                }
            }
            Err(_) => return,
        }
        if flow.shuts() {
            socket.shut_down();
        }
        if flow.is_over() {
            socket.finish();
            return route.finish().await;
        }
        let (reads, writes) = (flow.readable() > 0, !flow.unwritten().is_empty());
        let PortRoute { id, gate, inbox, .. } = &mut route;
        // Without `biased`: no direction is always the first.
        let next = tokio::select! {
            incoming = inbox.recv() => RelayStep::Take(incoming),
            () = socket.writable(), if writes => RelayStep::Nothing,
            permit = ready_to_read(&socket, gate, *id), if reads => match permit {
                Ok(permit) => RelayStep::Read(read(&socket, &mut flow, permit)),
                Err(GateLost) => return,
            },
            () = socket.reset(), if flow.only_writes() => return,
        };
        match next {
            RelayStep::Take(incoming) => {
                if take(incoming, &mut route, &mut flow).is_err() {
                    return;
                }
            }
            RelayStep::Read(Err(_)) => return,
            RelayStep::Read(Ok(())) | RelayStep::Nothing => {}
        }
    }
}

enum RelayStep {
    Take(Option<PortIncoming>),
    Read(io::Result<()>),
    Nothing,
}

/// Waits until the socket can be read and the stream takes what was read.
async fn ready_to_read<'a>(
    socket: &HostSocket,
    gate: &'a PortGate,
    id: u32,
) -> Result<PortPermit<'a>, GateLost> {
    socket.readable().await;
    gate.permit(id).await
}

/// Reads into a frame.
fn read(socket: &HostSocket, flow: &mut PortFlow, permit: PortPermit<'_>) -> io::Result<()> {
    match socket.read(flow.readable().min(MAX_PAYLOAD)) {
        Ok(bytes) if bytes.is_empty() => {
            flow.sent_end();
            permit.message(PortMessage::End);
        }
        Ok(bytes) => {
            flow.sent(bytes.len());
            permit.data(bytes);
        }
        Err(error) if is_transient(&error) => {}
        Err(error) => return Err(error),
    }
    Ok(())
}

/// Writes as far as the socket takes it. Returns the credit to grant.
fn write(socket: &HostSocket, flow: &mut PortFlow) -> io::Result<Option<u32>> {
    let mut granted = None;
    while !flow.unwritten().is_empty() {
        match socket.write(flow.unwritten()) {
            Ok(count) => {
                if let Some(more) = flow.wrote(count) {
                    granted = Some(granted.unwrap_or(0) + more);
                }
            }
            Err(error) if is_transient(&error) => break,
            Err(error) => return Err(error),
        }
    }
    Ok(granted)
}

fn is_transient(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted)
}

/// Takes what has arrived for the connection.
fn take(
    incoming: Option<PortIncoming>,
    route: &mut PortRoute,
    flow: &mut PortFlow,
) -> Result<(), RelayClosed> {
    match incoming {
        Some(PortIncoming::Data(bytes)) => flow.receive(&bytes).map_err(|_| RelayClosed),
        Some(PortIncoming::Message(PortMessage::Credit { count })) => {
            flow.add_credit(count);
            Ok(())
        }
        Some(PortIncoming::Message(PortMessage::End)) => {
            flow.note_end();
            Ok(())
        }
        Some(PortIncoming::Message(PortMessage::Closed { .. })) => {
            route.note_closed();
            Err(RelayClosed)
        }
        Some(_) | None => Err(RelayClosed),
    }
}
