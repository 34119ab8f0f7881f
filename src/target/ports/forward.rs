//! A listener on this machine, whose connections reach a server on the target.

use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use tokio::net::{TcpListener, TcpSocket, UnixListener};
use tokio::time::sleep;

use super::gate::PortGate;
use super::host_socket::HostSocket;
use super::paths::OwnedPath;
use super::relay::relay;
use super::{OpenConnection, OpenPort, PortError, PortPlan, PortReport};
use crate::helper::supervisor::protocol::ports::{BACKLOG, ListenAt, MAX_CONNECTIONS, PortEnd, PortFlow};
use crate::process::errno::Errno;
use crate::process::registry::Owner;
use crate::process::sockets::listen_at;

/// The pause after a connection could not be accepted, for lack of descriptors.
const ACCEPT_RETRY_DELAY: Duration = Duration::from_millis(50);

impl OpenPort<'_> {
    pub(super) async fn forward(&mut self, plan: &PortPlan) -> Result<Infallible, PortError> {
        let (listener, port) = HostListener::open(&self.owner, &plan.listen)
            .map_err(|error| PortError::of_listener(plan, &Errno::of(&error).name()))?;
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
                Ok(socket) => {
                    let counted = OpenConnection::new(&self.count);
                    self.tasks.spawn(connect(socket, gate.clone(), plan.end.clone(), counted));
                }
                Err(error) if error.kind() == io::ErrorKind::ConnectionAborted => {}
                Err(_) => sleep(ACCEPT_RETRY_DELAY).await,
            }
        }
    }
}

async fn connect(socket: HostSocket, gate: PortGate, end: PortEnd, counted: OpenConnection) {
    if let Ok(route) = gate.connect(end).await {
        drop(gate);
        relay(socket, route, PortFlow::default()).await;
    }
    drop(counted);
}

/// A listening socket. Dropping it removes its path, if it has one.
enum HostListener {
    Tcp(TcpListener),
    Unix { listener: UnixListener, _path: OwnedPath },
}

impl HostListener {
    /// Listens, and returns the port. A path has none.
    fn open(owner: &Owner, at: &ListenAt) -> io::Result<(Self, u16)> {
        match at {
            ListenAt::Tcp { address, port } => {
                let (listener, port) = listen(SocketAddr::new(*address, *port))?;
                Ok((Self::Tcp(listener), port))
            }
            ListenAt::Unix { path } => {
                let (socket, file) = listen_at(path, BACKLOG)?;
                let path = OwnedPath::new(owner.clone(), file);
                let listener = UnixListener::from_std(socket.into())?;
                Ok((Self::Unix { listener, _path: path }, 0))
            }
        }
    }

    /// Accepts a connection. Cancel-safe.
    async fn accept(&self) -> io::Result<HostSocket> {
        Ok(match self {
            Self::Tcp(listener) => HostSocket::of_tcp(listener.accept().await?.0),
            Self::Unix { listener, .. } => HostSocket::of_unix(listener.accept().await?.0),
        })
    }
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
