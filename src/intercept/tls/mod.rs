//! TLS on both sides of a connection: the server's handshake first, then the client's.
//!
//! The client's first message (`ClientHello`) is read before anything is sent to the server: its name must be
//! that of the connection. The server then chooses one of the client's protocols (h2, http/1.1), and the
//! client gets that choice, so neither side speaks a protocol that the other one lacks.

pub mod prefixed;

use std::io;
use std::sync::Arc;
use std::time::Duration;

use rustls::crypto::{CryptoProvider, ring};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::server::{Acceptor, ClientHello, NoServerSessionStorage, ResolvesServerCert};
use rustls::sign::CertifiedKey;
use rustls::{ClientConfig, RootCertStore, ServerConfig};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::time::timeout;
use tokio_rustls::server::StartHandshake;
use tokio_rustls::{LazyConfigAcceptor, TlsConnector, client, server};

use super::authority::Authority;
use crate::sandbox::network::destination::Destination;

/// The time for the handshake of either side.
pub const HANDSHAKE: Duration = Duration::from_secs(10);

/// The first byte of a TLS connection: the type of a record that has a part of a handshake.
pub const FIRST_BYTE: u8 = 22;

const H2: &[u8] = b"h2";
const HTTP_1: &[u8] = b"http/1.1";

/// A connection whose client speaks TLS.
#[derive(Debug)]
pub struct Accepted<C, S> {
    pub client: server::TlsStream<C>,
    pub is_h2: bool,
    /// The connection to the verified server, or why there is none, as a text for the client.
    pub server: Result<client::TlsStream<S>, String>,
}

/// Why a client got no TLS.
#[derive(Debug)]
pub enum Rejected {
    /// The client asks for another name, or for none.
    Name(Option<String>),
    /// The client does not speak TLS, or ends the handshake.
    Failed(io::Error),
}

/// Returns the settings for connections to servers that these roots (PEM) verify.
///
/// # Errors
///
/// The library's reason.
pub fn client_config(roots: &[u8]) -> Result<Arc<ClientConfig>, String> {
    let mut store = RootCertStore::empty();
    for certificate in CertificateDer::pem_slice_iter(roots).flatten() {
        // Systems have roots that the library does not read, and nobody needs.
        let _ = store.add(certificate);
    }
    let config = ClientConfig::builder_with_provider(provider())
        .with_safe_default_protocol_versions()
        .map_err(|error| error.to_string())?
        .with_root_certificates(store)
        .with_no_client_auth();
    Ok(Arc::new(config))
}

/// Does both handshakes.
///
/// # Errors
///
/// Why the client got no TLS.
pub async fn accept<C, S>(
    host: &Destination,
    authority: &Authority,
    config: &Arc<ClientConfig>,
    client: C,
    server: S,
) -> Result<Accepted<C, S>, Rejected>
where
    C: AsyncRead + AsyncWrite + Unpin,
    S: AsyncRead + AsyncWrite + Unpin,
{
    let start = in_time(LazyConfigAcceptor::new(Acceptor::default(), client)).await?;
    let named = start.client_hello().server_name().map(str::to_owned);
    let is_expected = match host {
        Destination::Name(name) => named.as_ref().is_some_and(|named| is_same_name(named, name)),
        Destination::Address(_) => named.is_none(),
    };
    if !is_expected {
        // Without a certificate, the client gets an alert.
        let _ = finish(start, None, &[]).await;
        return Err(Rejected::Name(named));
    }
    let leaf = authority.leaf(host).map_err(io::Error::other).map_err(Rejected::Failed)?;
    let (has_alpn, offered) = offered(&start.client_hello());
    let connected = connect(host, config, server, offered.clone()).await;
    let chosen = match &connected {
        Ok(stream) => stream.get_ref().1.alpn_protocol().map_or_else(|| vec![HTTP_1.to_vec()], only),
        // The client gets its answer in a protocol that it speaks.
        Err(_) => offered,
    };
    let chosen = if has_alpn { chosen } else { Vec::new() };
    let client = finish(start, Some(leaf), &chosen).await.map_err(Rejected::Failed)?;
    let is_h2 = client.get_ref().1.alpn_protocol() == Some(H2);
    Ok(Accepted { client, is_h2, server: connected })
}

/// Does the handshake with a server, and verifies it.
///
/// # Errors
///
/// Why it failed, as a text for the client.
async fn connect<S: AsyncRead + AsyncWrite + Unpin>(
    host: &Destination,
    config: &Arc<ClientConfig>,
    server: S,
    alpn: Vec<Vec<u8>>,
) -> Result<client::TlsStream<S>, String> {
    let name = match host {
        Destination::Name(name) => ServerName::try_from(name.clone()).map_err(|error| error.to_string())?,
        Destination::Address(address) => ServerName::from(*address),
    };
    let connector = TlsConnector::from(Arc::clone(config));
    let connected = timeout(HANDSHAKE, connector.with_alpn(alpn).connect(name, server)).await;
    match connected {
        Ok(Ok(stream)) => Ok(stream),
        Ok(Err(error)) => Err(explain(host, &error)),
        Err(_) => Err(format!("{host} did not answer in the TLS handshake.")),
    }
}

/// Ends the client's handshake. Without a certificate, the client gets an alert.
async fn finish<C: AsyncRead + AsyncWrite + Unpin>(
    start: StartHandshake<C>,
    leaf: Option<Arc<CertifiedKey>>,
    alpn: &[Vec<u8>],
) -> io::Result<server::TlsStream<C>> {
    let mut config = ServerConfig::builder_with_provider(provider())
        .with_safe_default_protocol_versions()
        .map_err(io::Error::other)?
        .with_no_client_auth()
        .with_cert_resolver(Arc::new(Resolver(leaf)));
    config.alpn_protocols = alpn.to_vec();
    // The settings are those of one connection, so nothing could be resumed.
    config.session_storage = Arc::new(NoServerSessionStorage {});
    config.send_tls13_tickets = 0;
    timeout(HANDSHAKE, start.into_stream(Arc::new(config))).await.map_err(|_| io::ErrorKind::TimedOut)?
}

async fn in_time<T>(work: impl Future<Output = io::Result<T>>) -> Result<T, Rejected> {
    let done = timeout(HANDSHAKE, work).await;
    done.unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into())).map_err(Rejected::Failed)
}

/// Returns whether the client names protocols, and which of those that both sides may speak.
fn offered(hello: &ClientHello<'_>) -> (bool, Vec<Vec<u8>>) {
    let Some(names) = hello.alpn() else { return (false, Vec::new()) };
    (true, names.filter(|name| [H2, HTTP_1].contains(name)).map(<[u8]>::to_vec).collect())
}

fn only(name: &[u8]) -> Vec<Vec<u8>> {
    vec![name.to_vec()]
}

fn is_same_name(named: &str, name: &str) -> bool {
    named.strip_suffix('.').unwrap_or(named).eq_ignore_ascii_case(name)
}

fn explain(host: &Destination, error: &io::Error) -> String {
    let inner = error.get_ref().and_then(|inner| inner.downcast_ref::<rustls::Error>());
    match inner {
        Some(rustls::Error::InvalidCertificate(reason)) => {
            let reason = reason.to_string();
            // The usual kind that a server signs for itself, which `openssl req -x509` makes.
            let is_authority = reason.contains("CaUsedAsEndEntity");
            let reason = if is_authority { AUTHORITY_AS_SERVER } else { &reason };
            format!("{host}'s certificate is not valid: {reason}.")
        }
        Some(other) => format!("The TLS handshake with {host} failed: {other}."),
        None => format!("The TLS handshake with {host} failed: {error}."),
    }
}

const AUTHORITY_AS_SERVER: &str = "it is the one of an authority, and can't be that of a server too. Give the server \
                                   a certificate that the authority has signed";

fn provider() -> Arc<CryptoProvider> {
    Arc::new(ring::default_provider())
}

/// The certificate for the one name of a connection.
#[derive(Debug)]
struct Resolver(Option<Arc<CertifiedKey>>);

impl ResolvesServerCert for Resolver {
    fn resolve(&self, _hello: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        self.0.clone()
    }
}
