//! Serves one connection between a command and a host with rules.
//!
//! [`exchange`] is one request, [`origin`] what all requests of a connection share, [`upstream`] the
//! connection to the server, and [`answer`] has the interceptor's own responses.

pub mod answer;
pub mod exchange;
pub mod origin;
#[cfg(test)]
mod tests;
pub mod upstream;

use std::io;
use std::net::IpAddr;
use std::pin::pin;
use std::sync::Arc;

use hyper::server::conn::{http1, http2};
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo};
use tokio::io::{AsyncRead, AsyncWrite, copy_bidirectional};
use tokio::net::TcpStream;
use tokio::time::timeout;

use super::link::HostLink;
use super::scope::Scope;
use super::tls::prefixed::Prefixed;
use super::tls::{Accepted, FIRST_BYTE, HANDSHAKE, Rejected, accept};
use crate::sandbox::network::destination::Destination;
use crate::sandbox::network::stream::end_whole;
use crate::sandbox::protocol::intercept::messages::{InterceptorMessage, PassedConnection, Refusal};
use exchange::exchange;
use origin::{Origin, Upgrade};
use upstream::{
    CLIENT_WINDOW, Driver, MAX_FIELDS, MAX_HEAD, MAX_STREAM_HEAD, MAX_STREAMS, MAX_UNSENT, Upstream,
};

/// Serves a connection until either side has ended it.
///
/// # Errors
///
/// Of the connection. Nobody needs them but tests: both sides notice the end.
pub async fn serve(
    passed: PassedConnection,
    client: TcpStream,
    server: TcpStream,
    scope: Arc<Scope>,
    link: Arc<HostLink>,
) -> io::Result<()> {
    let PassedConnection { id, host, port, first, .. } = passed;
    let host = parse(&host).ok_or(io::ErrorKind::InvalidInput)?;
    // A message that is cut off shows it by its own framing.
    end_whole(&client);
    end_whole(&server);
    let mut client = Prefixed::new(client, first);
    let begun = timeout(HANDSHAKE, client.peek()).await.map_err(|_| io::ErrorKind::TimedOut)??;
    let origin = |is_encrypted| Origin {
        connection: id,
        rules: scope.rules_of(&host, port),
        host: host.clone(),
        port,
        is_encrypted,
        scope: Arc::clone(&scope),
        link: Arc::clone(&link),
        upgrade: std::sync::Mutex::default(),
    };
    if begun != FIRST_BYTE {
        return serve_http(origin(false), client, Ok(server), false).await;
    }
    match accept(&host, &scope.authority, &scope.config, client, server).await {
        Ok(Accepted { client, is_h2, server }) => serve_http(origin(true), client, server, is_h2).await,
        Err(Rejected::Name(name)) => {
            let refusal = Refusal::Name { name };
            link.report(InterceptorMessage::Refused { connection: id, refusal }).await;
            Err(io::ErrorKind::PermissionDenied.into())
        }
        Err(Rejected::Failed(error)) => Err(error),
    }
}

/// Returns the host of a connection: an address has no brackets.
fn parse(host: &str) -> Option<Destination> {
    host.parse::<IpAddr>().map_or_else(|_| Destination::parse(host), |ip| Some(Destination::Address(ip)))
}

/// Serves HTTP of one version on both sides.
async fn serve_http<C, S>(origin: Origin, client: C, server: Result<S, String>, is_h2: bool) -> io::Result<()>
where
    C: AsyncRead + AsyncWrite + Send + Unpin + 'static,
    S: AsyncRead + AsyncWrite + Send + Unpin + 'static,
{
    let (upstream, driver): (_, Driver) = match server {
        Ok(server) => {
            let (upstream, driver) = Upstream::start(server, is_h2).await.map_err(io::Error::other)?;
            (Ok(upstream), driver)
        }
        Err(text) => (Err(Arc::from(text)), Box::pin(std::future::pending())),
    };
    let origin = Arc::new(origin);
    let service = service_fn({
        let origin = Arc::clone(&origin);
        move |request| {
            let (origin, upstream) = (Arc::clone(&origin), upstream.clone());
            async move { exchange(&origin, &upstream, request).await }
        }
    });
    let io = TokioIo::new(client);
    let mut driver = driver;
    // Both sides are driven by one task. When the server has ended its side, the client may end its requests.
    // Returns the result, and whether the server's side goes on.
    macro_rules! until_end {
        ($connection:expr) => {{
            let mut connection = pin!($connection);
            tokio::select! {
                biased;
                ended = connection.as_mut() => (ended, true),
                _ = &mut driver => {
                    if !origin.is_upgrading() {
                        connection.as_mut().graceful_shutdown();
                    }
                    (connection.await, false)
                }
            }
        }};
    }
    if is_h2 {
        let connection = http2::Builder::new(TokioExecutor::new())
            .initial_stream_window_size(CLIENT_WINDOW)
            .initial_connection_window_size(CLIENT_WINDOW)
            .max_concurrent_streams(MAX_STREAMS)
            .max_header_list_size(MAX_STREAM_HEAD)
            .max_send_buf_size(MAX_UNSENT)
            .serve_connection(io, service);
        return until_end!(connection).0.map_err(io::Error::other);
    }
    let connection = http1::Builder::new()
        .max_buf_size(MAX_HEAD)
        // The bound of the buffer is checked while a head is incomplete, so a whole one may be longer.
        .max_header_size(MAX_HEAD)
        .max_headers(MAX_FIELDS)
        .auto_date_header(false)
        .half_close(true)
        .header_read_timeout(None)
        .serve_connection(io, service)
        .with_upgrades();
    let (ended, is_driven) = until_end!(connection);
    ended.map_err(io::Error::other)?;
    let Upgrade::Done(client, server) = origin.set_upgrade(Upgrade::None) else { return Ok(()) };
    if is_driven {
        driver.await.map_err(io::Error::other)?;
    }
    let (client, server) = tokio::try_join!(client, server).map_err(io::Error::other)?;
    copy_bidirectional(&mut TokioIo::new(client), &mut TokioIo::new(server)).await.map(|_| ())
}
