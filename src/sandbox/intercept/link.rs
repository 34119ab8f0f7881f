//! Passes the connections of one sandbox to the interceptor.

use std::net::TcpStream as StdStream;
use std::os::fd::OwnedFd;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::net::TcpStream;
use tokio::sync::oneshot;

use super::process::Interceptor;
use super::scope::SecretScope;
use crate::sandbox::network::allow::{AllowedDestination, allows};
use crate::sandbox::network::destination::Destination;
use crate::sandbox::outcome::Refusals;
use crate::sandbox::protocol::intercept::messages::{HostMessage, PassedConnection, Refusal};
use crate::sandbox::protocol::report::{RefusalReason, SandboxRefusal};

/// The scope of a sandbox, and the program that had it when the sandbox was built: its clients trust the
/// authority there alone.
#[derive(Debug)]
pub struct ScopeLink {
    scope: Arc<SecretScope>,
    interceptor: Arc<Interceptor>,
    ruled: Vec<AllowedDestination>,
}

/// The log of a passed connection: its refusals, and uses of credentials.
#[derive(Debug)]
pub struct PassedLog {
    scope: Arc<SecretScope>,
    host: String,
    port: u16,
    notes: Arc<Mutex<Refusals>>,
    /// Dropped at the end of the connection.
    _ended: oneshot::Sender<()>,
}

impl ScopeLink {
    pub(super) fn new(scope: Arc<SecretScope>, interceptor: Arc<Interceptor>) -> Self {
        let ruled = scope.content.plan.rules.iter().map(|rule| rule.destination.clone()).collect();
        Self { scope, interceptor, ruled }
    }

    /// Returns whether a host has rules at a port, so that its connections have to be passed.
    #[must_use]
    pub fn has_rules(&self, host: &Destination, port: u16) -> bool {
        allows(&self.ruled, host, port)
    }

    /// Passes a connection, after the host has connected to its server, and waits for its end. `first` was
    /// read of the client. Refusals and uses of credentials are added to `notes`. Dropping the future closes
    /// the connection.
    pub async fn pass(
        &self,
        (host, port): (&Destination, u16),
        (client, server): (TcpStream, TcpStream),
        first: Vec<u8>,
        notes: Arc<Mutex<Refusals>>,
    ) {
        let (Ok(client), Ok(server)) = (client.into_std(), server.into_std()) else { return };
        let host = match host {
            Destination::Name(name) => name.clone(),
            Destination::Address(address) => address.to_canonical().to_string(),
        };
        let (sender, ended) = oneshot::channel();
        let log =
            PassedLog { scope: Arc::clone(&self.scope), host: host.clone(), port, notes, _ended: sender };
        // Without the program, both descriptors are closed.
        let Some(id) = self.interceptor.add_connection(log) else { return };
        let _closing = Closing { interceptor: &self.interceptor, id };
        let passed = PassedConnection { id, scope: self.scope.id(), host, port, first };
        self.interceptor.tell(HostMessage::Connection(passed), [client, server].map(descriptor).into());
        // The sender is dropped, and sends nothing.
        let _ = ended.await;
    }
}

fn descriptor(stream: StdStream) -> OwnedFd {
    stream.into()
}

/// Closes a connection that is no longer waited for, as when its sandbox has ended.
struct Closing<'a> {
    interceptor: &'a Interceptor,
    id: u64,
}

impl Drop for Closing<'_> {
    fn drop(&mut self) {
        self.interceptor.close_connection(self.id);
    }
}

impl PassedLog {
    /// Counts a request that got a secret.
    pub(super) fn note_use(&self, secret: u32) {
        let secrets = &self.scope.content.plan.secrets;
        let found = usize::try_from(secret).ok().and_then(|position| secrets.get(position));
        if let Some(secret) = found {
            self.notes().add_use(&secret.name, &self.host, self.port);
        }
    }

    /// Notes a refusal by rules.
    pub(super) fn note_refusal(&self, refusal: Refusal) {
        let (host, port) = (self.host.clone(), self.port);
        self.notes().add(match refusal {
            Refusal::Request { method, path, reason } => {
                SandboxRefusal::Request { host, port, method, path, reason }
            }
            Refusal::Name { .. } => SandboxRefusal::Network { host, port, reason: RefusalReason::OtherName },
        });
    }

    fn notes(&self) -> std::sync::MutexGuard<'_, Refusals> {
        self.notes.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
