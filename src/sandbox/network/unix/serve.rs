//! Serves the listeners of one sandbox, until it has ended.

use std::io;
use std::net::{TcpListener as StdListener, UdpSocket as StdUdp};
use std::os::fd::OwnedFd;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use rustix::process::{Resource, getrlimit};
use tokio::io::unix::AsyncFd;
use tokio::net::{TcpListener, TcpStream, UdpSocket};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::JoinSet;
use tokio::time::sleep;

use super::client::{serve_name, serve_proxy};
use super::gateway::Gateway;
use super::messages::dns::{DnsQuestion, MAX_MESSAGE};
use crate::process::fd::readiness::{closed, register_readable};

/// The largest number of connections of one sandbox. Further ones wait in the kernel.
const MAX_CONNECTIONS: usize = 512;

/// The largest number of connections of all sandboxes of this process, where descriptors suffice.
const MAX_CONNECTIONS_IN_ALL: usize = 2048;

/// The part of this process's descriptors that connections may take: each has two.
const PART_OF_DESCRIPTORS: u64 = 8;

/// The pause after the system had no descriptor or memory for a connection.
const ACCEPT_RETRY_DELAY: Duration = Duration::from_millis(100);

/// The listeners of a sandbox, in the order in which the helper opens them.
#[derive(Debug)]
pub struct Listeners {
    proxy: TcpListener,
    names: UdpSocket,
    /// For each listed port.
    ports: Vec<(u16, TcpListener)>,
    /// Closes when the sandbox has ended.
    control: AsyncFd<OwnedFd>,
}

impl Listeners {
    /// Takes the descriptors from the helper, and a socket whose other end the sandbox holds. Must be called
    /// in the runtime of the I/O thread.
    ///
    /// # Errors
    ///
    /// The system's error; `InvalidInput` for another number of descriptors.
    pub fn new(descriptors: Vec<OwnedFd>, ports: &[u16], control: OwnedFd) -> io::Result<Self> {
        let missing = || io::Error::from(io::ErrorKind::InvalidInput);
        let mut descriptors = descriptors.into_iter();
        let proxy = listener(descriptors.next().ok_or_else(missing)?)?;
        let names = StdUdp::from(descriptors.next().ok_or_else(missing)?);
        names.set_nonblocking(true)?;
        let ports: Vec<_> = ports
            .iter()
            .map(|&port| Ok((port, listener(descriptors.next().ok_or_else(missing)?)?)))
            .collect::<io::Result<_>>()?;
        let control = register_readable(control)?;
        Ok(Self { proxy, names: UdpSocket::from_std(names)?, ports, control })
    }
}

fn listener(descriptor: OwnedFd) -> io::Result<TcpListener> {
    let listener = StdListener::from(descriptor);
    listener.set_nonblocking(true)?;
    TcpListener::from_std(listener)
}

/// Serves until the sandbox has ended. Then all connections end.
pub async fn serve(gateway: Arc<Gateway>, listeners: Listeners) {
    let own = Arc::new(Semaphore::new(MAX_CONNECTIONS));
    // Dropping the set ends all tasks.
    let mut tasks = JoinSet::new();
    let Listeners { proxy, names, ports, control } = listeners;
    tasks.spawn(answer_questions(Arc::clone(&gateway), names));
    tasks.spawn(accept_all(Arc::clone(&gateway), proxy, None, Arc::clone(&own)));
    for (port, listener) in ports {
        tasks.spawn(accept_all(Arc::clone(&gateway), listener, Some(port), Arc::clone(&own)));
    }
    closed(&control).await;
}

async fn answer_questions(gateway: Arc<Gateway>, socket: UdpSocket) {
    // The length shows that a longer message was truncated.
    let mut message = vec![0; MAX_MESSAGE + 1];
    loop {
        match socket.recv_from(&mut message).await {
            Ok((length, sender)) => {
                if let Some(question) = DnsQuestion::parse(message.get(..length).unwrap_or_default()) {
                    let answer = question.answer(gateway.resolve(&question));
                    // The resolver repeats its question if the answer is lost.
                    let _ = socket.try_send_to(&answer, sender);
                }
            }
            Err(_) => sleep(ACCEPT_RETRY_DELAY).await,
        }
        tokio::task::yield_now().await;
    }
}

/// Accepts connections at a listed port, or of the proxy.
async fn accept_all(gateway: Arc<Gateway>, listener: TcpListener, port: Option<u16>, own: Arc<Semaphore>) {
    let mut connections = JoinSet::new();
    loop {
        while connections.try_join_next().is_some() {}
        let Ok((client, _)) = listener.accept().await else {
            sleep(ACCEPT_RETRY_DELAY).await;
            continue;
        };
        let permits = (Arc::clone(&own).acquire_owned().await, Arc::clone(in_all()).acquire_owned().await);
        let (Ok(own), Ok(general)) = permits else { return };
        connections.spawn(serve_one(Arc::clone(&gateway), client, port, [own, general]));
    }
}

async fn serve_one(
    gateway: Arc<Gateway>,
    client: TcpStream,
    port: Option<u16>,
    _permits: [OwnedSemaphorePermit; 2],
) {
    match port {
        Some(port) => serve_name(&gateway, client, port).await,
        None => serve_proxy(&gateway, client).await,
    }
}

/// Returns the semaphore for the connections of all sandboxes of this process.
fn in_all() -> &'static Arc<Semaphore> {
    static IN_ALL: OnceLock<Arc<Semaphore>> = OnceLock::new();
    IN_ALL.get_or_init(|| {
        let limit = getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX);
        let part = usize::try_from(limit / PART_OF_DESCRIPTORS).unwrap_or(usize::MAX);
        Arc::new(Semaphore::new(part.clamp(16, MAX_CONNECTIONS_IN_ALL)))
    })
}
