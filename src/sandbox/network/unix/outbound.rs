//! Outbound connections: looks a name up, checks its addresses, and connects to one of them.

use std::io;
use std::net::{IpAddr, SocketAddr, ToSocketAddrs};
use std::time::Duration;

use tokio::net::TcpStream;
use tokio::sync::{Semaphore, oneshot};
use tokio::time::timeout;

use super::gateway::Gateway;
use super::stream::{hung_up, prepare};
use crate::process::thread::named;
use crate::sandbox::network::destination::Destination;
use crate::sandbox::protocol::report::RefusalReason;

/// The longest lookup of a name. Resolvers give up after 10 to 30 s.
const LOOKUP_DEADLINE: Duration = Duration::from_secs(20);

/// The longest attempt to connect to one address. Then the next address is tried.
const CONNECT_DEADLINE: Duration = Duration::from_secs(10);

/// The largest number of addresses of a name that are tried.
const MAX_ADDRESSES: usize = 4;

/// Limits the concurrent lookups of this process. Each has a thread, because the C library's functions block
/// and can't be interrupted.
static LOOKUPS: Semaphore = Semaphore::const_new(16);

/// Why there is no connection.
#[derive(Debug)]
pub enum Denied {
    /// The sandbox refuses it.
    Refused(RefusalReason),
    /// The name has no address.
    NoSuchName,
    /// The host does not answer, or refuses the connection.
    Failed(io::Error),
}

/// Connects to a host for a client, if it is allowed.
///
/// # Errors
///
/// Why there is no connection.
pub async fn connect(
    gateway: &Gateway,
    client: &TcpStream,
    host: &Destination,
    port: u16,
) -> Result<TcpStream, Denied> {
    gateway.check(host, port, hung_up(client)).await.map_err(Denied::Refused)?;
    let addresses = match host {
        // The address itself is in the list.
        Destination::Address(address) => vec![*address],
        Destination::Name(name) => {
            let found =
                timeout(LOOKUP_DEADLINE, look_up(name.clone())).await.map_err(|_| Denied::NoSuchName)?;
            let found = found.map_err(|_| Denied::NoSuchName)?;
            gateway.reachable(host, port, found).map_err(Denied::Refused)?
        }
    };
    let mut failure = Denied::NoSuchName;
    for address in addresses.into_iter().take(MAX_ADDRESSES) {
        match timeout(CONNECT_DEADLINE, TcpStream::connect(SocketAddr::new(address, port))).await {
            Ok(Ok(stream)) => {
                prepare(&stream);
                return Ok(stream);
            }
            Ok(Err(error)) => failure = Denied::Failed(error),
            Err(_) => failure = Denied::Failed(io::ErrorKind::TimedOut.into()),
        }
    }
    Err(failure)
}

/// Looks a name up as other programs of this machine do: `/etc/hosts`, DNS, and what else is configured.
///
/// # Errors
///
/// When the name has no address.
pub async fn look_up(name: String) -> io::Result<Vec<IpAddr>> {
    // A lookup counts until its thread returns, also after its caller has stopped waiting.
    let permit = LOOKUPS.acquire().await.map_err(io::Error::other)?;
    let (found, result) = oneshot::channel();
    named("agent-bash-name").spawn(move || {
        let _permit = permit;
        let addresses = (name.as_str(), 0).to_socket_addrs();
        let _ = found.send(addresses.map(|found| found.map(|address| address.ip()).collect()));
    })?;
    let mut addresses: Vec<IpAddr> = result.await.map_err(io::Error::other)??;
    addresses.dedup();
    Ok(addresses)
}
