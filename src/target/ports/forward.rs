//! A listener on this machine, whose connections reach a server on the target.

use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::time::sleep;

use super::gate::PortGate;
use super::host_socket::HostSocket;
use super::relay::relay;
use super::{OpenConnection, OpenPort, PortError, PortPlan, PortReport};
use crate::helper::supervisor::protocol::ports::{BACKLOG, MAX_CONNECTIONS, PortEnd, PortFlow};
use crate::process::errno::Errno;

/// The pause after a connection could not be accepted, for lack of descriptors.
const PAUSE: Duration = Duration::from_millis(50);

impl OpenPort<'_> {
    pub(super) async fn forward(&mut self, plan: &PortPlan) -> Result<Infallible, PortError> {
        let opened = listen(SocketAddr::new(plan.address, plan.port));
        let (listener, port) =
            opened.map_err(|error| PortError::of_listener(plan, &Errno::of(&error).name()))?;
        let mut gate = self.gate().await?;
        (self.report)(PortReport::Listening { port });
        loop {
            let has_room = self.tasks.len() < MAX_CONNECTIONS;
            let accepted = tokio::select! {
                reason = gate.lost() => return Err(reason.into()),
                Some(_) = self.tasks.join_next() => continue,
                accepted = listener.accept(), if has_room => accepted,
            };
            match accepted {
                Ok((socket, _)) => {
                    let counted = OpenConnection::new(&self.count);
                    self.tasks.spawn(connect(socket, gate.clone(), plan.end.clone(), counted));
                }
                Err(error) if error.kind() == io::ErrorKind::ConnectionAborted => {}
                Err(_) => sleep(PAUSE).await,
            }
        }
    }
}

async fn connect(socket: TcpStream, gate: PortGate, end: PortEnd, counted: OpenConnection) {
    let socket = HostSocket::of_tcp(socket);
    if let Ok(route) = gate.connect(end).await {
        drop(gate);
        relay(socket, route, PortFlow::default()).await;
    }
    drop(counted);
}

fn listen(address: SocketAddr) -> io::Result<(TcpListener, u16)> {
    let socket = if address.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }?;
    // A port whose last connections are in TIME_WAIT can be used again.
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    let listener = socket.listen(BACKLOG)?;
    let port = listener.local_addr()?.port();
    Ok((listener, port))
}
