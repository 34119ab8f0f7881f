//! The state that all requests of a connection share.

use std::fmt::{self, Debug, Formatter};
use std::sync::{Arc, Mutex, PoisonError};

use hyper::upgrade::OnUpgrade;

use crate::intercept::link::HostLink;
use crate::intercept::rules::HostRules;
use crate::intercept::scope::Scope;
use crate::sandbox::network::destination::Destination;
use crate::sandbox::protocol::intercept::messages::{
    InterceptorMessage, MAX_SHOWN_METHOD, MAX_SHOWN_PATH, Refusal, RequestRefusal, shortened,
};

/// The host of a connection, and what is permitted there.
pub struct Origin {
    pub connection: u64,
    pub host: Destination,
    pub port: u16,
    pub is_encrypted: bool,
    pub rules: HostRules,
    pub scope: Arc<Scope>,
    pub link: Arc<HostLink>,
    pub upgrade: Mutex<Upgrade>,
}

/// The progress of a connection from HTTP to another protocol.
#[derive(Debug, Default)]
pub enum Upgrade {
    #[default]
    None,
    /// The server has been asked.
    Asked,
    /// Both ends: the client's and the server's.
    Done(OnUpgrade, OnUpgrade),
}

impl Origin {
    /// Returns the port of a host that is named without one.
    #[must_use]
    pub const fn usual_port(&self) -> u16 {
        if self.is_encrypted { 443 } else { 80 }
    }

    /// Returns the host as requests name it.
    #[must_use]
    pub fn authority(&self) -> String {
        let Self { host, port, .. } = self;
        if *port == self.usual_port() { host.to_string() } else { format!("{host}:{port}") }
    }

    /// Reports that a request was refused.
    pub async fn report_refused(&self, method: &str, path: &str, reason: RequestRefusal) {
        let method = shortened(method, MAX_SHOWN_METHOD).to_owned();
        let path = shortened(path, MAX_SHOWN_PATH).to_owned();
        let refusal = Refusal::Request { method, path, reason };
        self.link.report(InterceptorMessage::Refused { connection: self.connection, refusal }).await;
    }

    /// Notes how far the connection has left HTTP. Returns the step before.
    pub fn set_upgrade(&self, upgrade: Upgrade) -> Upgrade {
        std::mem::replace(&mut self.upgrade.lock().unwrap_or_else(PoisonError::into_inner), upgrade)
    }

    /// Returns whether the connection leaves HTTP, or may do so.
    pub fn is_upgrading(&self) -> bool {
        !matches!(*self.upgrade.lock().unwrap_or_else(PoisonError::into_inner), Upgrade::None)
    }
}

impl Debug for Origin {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        write!(out, "connection {} to {}:{}", self.connection, self.host, self.port)
    }
}
