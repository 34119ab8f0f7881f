//! The relay of one sandbox: a socket of the engine, behind which each client has a connection to the agent.

use std::fs::{self, Permissions};
use std::io::{self, ErrorKind};
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixListener as StdListener;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use rustix::fs::{CWD, Mode, OFlags, fstat, openat};
use tokio::io::unix::AsyncFd;
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio::time::sleep;

use super::message::{FAILURE, first_message, passes};
use crate::process::fd::readiness::{closed, register_readable};
use crate::sandbox::network::stream::{read_more, write_all};
use crate::sandbox::plan::sockets::{PlannedSocket, SocketIdentity};

/// The largest number of connections of one sandbox. Further ones wait in the kernel.
const MAX_CONNECTIONS: usize = 64;

/// The size of one read (bytes): most requests have some hundred.
const PIECE: usize = 4096;

/// The pause after the system had no descriptor or memory for a connection.
const ACCEPT_RETRY_DELAY: Duration = Duration::from_millis(100);

/// A relay whose socket exists and has no clients yet.
#[derive(Debug)]
pub struct Relay {
    listener: StdListener,
    path: PathBuf,
    identity: SocketIdentity,
    agent: OwnedFd,
}

impl Relay {
    /// Creates the socket in a private directory of the engine. `agent` is the socket of the agent, as it was
    /// planned.
    ///
    /// # Errors
    ///
    /// The system's error; `ESTALE` if the agent's socket was replaced.
    pub fn create(agent: &PlannedSocket, directory: &Path) -> io::Result<Self> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let opened = openat(CWD, &agent.source, OFlags::PATH | OFlags::CLOEXEC, Mode::empty())?;
        if identity(&opened)? != agent.identity {
            return Err(io::Error::from_raw_os_error(libc::ESTALE));
        }
        let path = directory.join(format!("agent-{}", NEXT.fetch_add(1, Ordering::Relaxed)));
        let listener = StdListener::bind(&path)?;
        fs::set_permissions(&path, Permissions::from_mode(0o600))?;
        listener.set_nonblocking(true)?;
        let file = openat(CWD, &path, OFlags::PATH | OFlags::CLOEXEC, Mode::empty())?;
        Ok(Self { listener, identity: identity(&file)?, path, agent: opened })
    }

    /// Puts the relay in the place of the agent.
    pub fn stand_in(&self, planned: &mut PlannedSocket) {
        planned.source.clone_from(&self.path);
        planned.identity = self.identity;
    }

    /// Removes the name of the socket. The sandbox has the file itself.
    pub fn unlink(&self) {
        let _ = fs::remove_file(&self.path);
    }

    /// Returns the clients' side and the agent, for [`serve`]. Must be called in the runtime of the I/O
    /// thread. `control` is a socket whose other end the sandbox holds.
    ///
    /// # Errors
    ///
    /// The system's error, such as `EMFILE`.
    pub fn open(&self, control: OwnedFd) -> io::Result<OpenRelay> {
        Ok(OpenRelay {
            clients: UnixListener::from_std(self.listener.try_clone()?)?,
            agent: self.agent.try_clone()?,
            control: register_readable(control)?,
        })
    }
}

impl Drop for Relay {
    fn drop(&mut self) {
        self.unlink();
    }
}

fn identity(file: &OwnedFd) -> io::Result<SocketIdentity> {
    let status = fstat(file)?;
    Ok((status.st_dev, status.st_ino))
}

/// A relay that is served.
#[derive(Debug)]
pub struct OpenRelay {
    clients: UnixListener,
    agent: OwnedFd,
    /// Closes when the sandbox has ended.
    control: AsyncFd<OwnedFd>,
}

/// Serves until the sandbox has ended. Then all connections end.
pub async fn serve(OpenRelay { clients, agent, control }: OpenRelay) {
    let agent = Arc::new(agent);
    tokio::select! {
        () = accept_all(&clients, &agent) => {}
        () = closed(&control) => {}
    }
}

async fn accept_all(clients: &UnixListener, agent: &Arc<OwnedFd>) {
    let free = Arc::new(Semaphore::new(MAX_CONNECTIONS));
    // Dropping the set ends all connections.
    let mut connections = JoinSet::new();
    loop {
        while connections.try_join_next().is_some() {}
        let Ok(permit) = Arc::clone(&free).acquire_owned().await else { return };
        let Ok((client, _)) = clients.accept().await else {
            sleep(ACCEPT_RETRY_DELAY).await;
            continue;
        };
        let agent = Arc::clone(agent);
        connections.spawn(async move {
            let _permit = permit;
            // An error of a peer ends only its connection.
            let _ = serve_one(&client, &agent).await;
        });
    }
}

async fn serve_one(client: &UnixStream, agent: &OwnedFd) -> io::Result<()> {
    // The file itself: another one at its path is another server.
    let agent = UnixStream::connect(format!("/proc/self/fd/{}", agent.as_raw_fd())).await?;
    let (mut requests, mut answers) = (Vec::new(), Vec::new());
    while let Some(request) = next_message(client, &mut requests).await? {
        if passes(request.get(4..).unwrap_or_default()) {
            write_all(&agent, &request).await?;
            let answer = next_message(&agent, &mut answers).await?.ok_or(ErrorKind::UnexpectedEof)?;
            write_all(client, &answer).await?;
        } else {
            write_all(client, &FAILURE).await?;
        }
    }
    Ok(())
}

/// Returns the next message with its length field, or `None` at the end. `bytes` has what was read already.
async fn next_message(stream: &UnixStream, bytes: &mut Vec<u8>) -> io::Result<Option<Vec<u8>>> {
    loop {
        if let Some(length) = first_message(bytes).map_err(|_| ErrorKind::InvalidData)? {
            let rest = bytes.split_off(length);
            return Ok(Some(std::mem::replace(bytes, rest)));
        }
        if read_more(stream, bytes, PIECE).await? == 0 {
            return Ok(None);
        }
    }
}
