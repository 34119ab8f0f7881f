//! The loop of the program: reads the host's messages, and starts what they ask for.

use std::collections::HashMap;
use std::io::{self, Error, ErrorKind};
use std::net::TcpStream as StdStream;
use std::os::fd::OwnedFd;
use std::sync::Arc;

use tokio::io::unix::AsyncFd;
use tokio::net::TcpStream;
use tokio::runtime::Builder;
use tokio::sync::mpsc::Receiver;
use tokio::task::{AbortHandle, JoinSet};

use super::link::HostLink;
use super::scope::Scope;
use super::serve::serve;
use crate::helper::sandbox::confine::service::confine_service;
use crate::process::fd::readiness::{register_readable, register_writable};
use crate::process::helper_program::VERSION;
use crate::sandbox::protocol::intercept::messages::{
    HostMessage, InterceptorMessage, MAX_REASON, PassedConnection, VALUE_DEADLINE, shortened,
};
use crate::sandbox::protocol::intercept::socket::{InterceptSocket, read_scope};

/// Confines this process, and then serves the host at the other end of the socket until it closes that.
///
/// # Errors
///
/// Why the process can't be confined or can't serve.
pub fn run(socket: OwnedFd) -> io::Result<()> {
    let runtime = Builder::new_current_thread().enable_io().enable_time().build()?;
    let failed = |failure| Error::other(format!("{failure:?}"));
    confine_service().map_err(failed)?;
    runtime.block_on(serve_host(socket))
}

/// Serves the host.
///
/// # Errors
///
/// Of the socket. Its end is none.
pub async fn serve_host(socket: OwnedFd) -> io::Result<()> {
    let (link, messages) = HostLink::new(VALUE_DEADLINE);
    let (readable, writable) = (socket.try_clone()?, socket.try_clone()?);
    let (readable, writable) = (register_readable(readable)?, register_writable(writable)?);
    let socket = InterceptSocket::of(socket);
    let mut interceptor = Interceptor {
        link: Arc::new(link),
        scopes: HashMap::new(),
        tasks: JoinSet::new(),
        connections: HashMap::new(),
    };
    let received = async {
        interceptor.link.report(InterceptorMessage::Hello { version: VERSION.to_owned() }).await;
        while let Some((message, descriptors)) = next(&socket, &readable).await? {
            interceptor.take(message, descriptors).await;
        }
        Ok(())
    };
    // Without its reports, the program would be silent but go on. Its end closes all connections.
    tokio::select! {
        received = received => received,
        sent = send_all(&socket, &writable, messages) => sent,
    }
}

/// Returns the host's next message; `None` if the host has closed its end.
async fn next(
    socket: &InterceptSocket,
    readable: &AsyncFd<OwnedFd>,
) -> io::Result<Option<(HostMessage, Vec<OwnedFd>)>> {
    loop {
        let mut guard = readable.readable().await?;
        match socket.next_order() {
            Err(error) if error.kind() == ErrorKind::WouldBlock => guard.clear_ready(),
            other => return other,
        }
    }
}

/// Sends all messages, until the host has closed its end.
async fn send_all(
    socket: &InterceptSocket,
    writable: &AsyncFd<OwnedFd>,
    mut messages: Receiver<InterceptorMessage>,
) -> io::Result<()> {
    while let Some(message) = messages.recv().await {
        loop {
            let mut guard = writable.writable().await?;
            match socket.report(&message).map_err(|error| (error.kind(), error)) {
                Err((ErrorKind::WouldBlock, _)) => guard.clear_ready(),
                Err((ErrorKind::BrokenPipe | ErrorKind::ConnectionReset, _)) => return Ok(()),
                Err((_, error)) => return Err(error),
                Ok(()) => break,
            }
        }
    }
    Ok(())
}

/// The state of the program.
struct Interceptor {
    link: Arc<HostLink>,
    scopes: HashMap<u32, Arc<Scope>>,
    /// The tasks that run, which end with the loop.
    tasks: JoinSet<()>,
    /// The scopes and the tasks of connections.
    connections: HashMap<u64, (u32, AbortHandle)>,
}

impl Interceptor {
    async fn take(&mut self, message: HostMessage, descriptors: Vec<OwnedFd>) {
        while self.tasks.try_join_next().is_some() {}
        self.connections.retain(|_, (_, task)| !task.is_finished());
        match message {
            HostMessage::Scope { id } => {
                let opened = self.open(id, descriptors);
                let certificate = opened.map_err(|reason| shortened(&reason, MAX_REASON).to_owned());
                self.link.report(InterceptorMessage::Scope { id, certificate }).await;
            }
            HostMessage::EndScope { id } => {
                self.scopes.remove(&id);
                self.connections
                    .values()
                    .filter(|(scope, _)| *scope == id)
                    .for_each(|(_, task)| task.abort());
            }
            HostMessage::Connection(passed) => self.connect(passed, descriptors).await,
            HostMessage::Close { id } => {
                if let Some((_, task)) = self.connections.get(&id) {
                    task.abort();
                }
            }
            HostMessage::Value { request, scope, secret, value } => {
                self.link.answer(request, (scope, secret), value);
            }
        }
    }

    /// Opens a scope, and returns the certificate of its authority.
    fn open(&mut self, id: u32, descriptors: Vec<OwnedFd>) -> Result<String, String> {
        let file = descriptors.into_iter().next().ok_or("the message has no file")?;
        let plan = read_scope(file).map_err(|error| error.to_string())?;
        let scope = Scope::new(id, &plan, Arc::clone(&self.link))?;
        let certificate = scope.authority.certificate().to_owned();
        self.scopes.insert(id, Arc::new(scope));
        Ok(certificate)
    }

    async fn connect(&mut self, passed: PassedConnection, descriptors: Vec<OwnedFd>) {
        let PassedConnection { id, scope, .. } = passed;
        let streams = <[OwnedFd; 2]>::try_from(descriptors).ok().map(|both| both.map(stream));
        let (Some(known), Some([Ok(client), Ok(server)])) = (self.scopes.get(&scope), streams) else {
            self.link.report(InterceptorMessage::Ended { connection: id }).await;
            return;
        };
        let (known, link) = (Arc::clone(known), Arc::clone(&self.link));
        let (finished, reporting) = tokio::sync::oneshot::channel::<()>();
        let serving = self.tasks.spawn(async move {
            // Dropped at the end of the connection, also when it is aborted.
            let _finished = finished;
            let _ = Box::pin(serve(passed, client, server, known, link)).await;
        });
        let link = Arc::clone(&self.link);
        self.tasks.spawn(async move {
            let _ = reporting.await;
            link.report(InterceptorMessage::Ended { connection: id }).await;
        });
        self.connections.insert(id, (scope, serving));
    }
}

fn stream(descriptor: OwnedFd) -> io::Result<TcpStream> {
    let stream = StdStream::from(descriptor);
    stream.set_nonblocking(true)?;
    TcpStream::from_std(stream)
}
