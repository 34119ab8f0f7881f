//! The connection to the server.

use std::sync::Arc;

use hyper::body::Incoming;
use hyper::client::conn::{http1, http2};
use hyper::{Request, Response};
use hyper_util::rt::{TokioExecutor, TokioIo};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::Mutex;

/// The largest head of a message (bytes).
pub const MAX_HEAD: usize = 64 << 10;

/// The most header fields of a message over HTTP/1.1.
pub const MAX_FIELDS: usize = 256;

/// The bytes that either side of an h2 connection may send before it is told that they were read: of a
/// stream, and of the connection.
pub const WINDOW: u32 = 1 << 20;

/// The most concurrent streams of an h2 connection.
pub const MAX_STREAMS: u32 = 100;

/// The server of a connection, as requests see it.
#[derive(Clone, Debug)]
pub enum Upstream {
    Http1(Arc<Mutex<http1::SendRequest<Incoming>>>),
    Http2(http2::SendRequest<Incoming>),
}

/// The future that does the work of a connection, until it ends.
pub type Driver = std::pin::Pin<Box<dyn Future<Output = hyper::Result<()>> + Send>>;

impl Upstream {
    /// Starts HTTP on a connection. The driver must be polled.
    ///
    /// # Errors
    ///
    /// Of the connection.
    pub async fn start(
        server: impl AsyncRead + AsyncWrite + Send + Unpin + 'static,
        is_h2: bool,
    ) -> hyper::Result<(Self, Driver)> {
        let io = TokioIo::new(server);
        if is_h2 {
            let (requests, connection) = http2::Builder::new(TokioExecutor::new())
                .initial_stream_window_size(WINDOW)
                .initial_connection_window_size(WINDOW)
                .max_header_list_size(u32::try_from(MAX_HEAD).unwrap_or(u32::MAX))
                .max_send_buf_size(MAX_HEAD)
                .handshake(io)
                .await?;
            return Ok((Self::Http2(requests), Box::pin(connection)));
        }
        let (requests, connection) =
            http1::Builder::new().max_buf_size(MAX_HEAD).max_headers(MAX_FIELDS).handshake(io).await?;
        let requests = Arc::new(Mutex::new(requests));
        Ok((Self::Http1(requests), Box::pin(connection.with_upgrades())))
    }

    /// Sends a request, and waits for the head of the response.
    ///
    /// # Errors
    ///
    /// Of the connection.
    pub async fn send(&self, request: Request<Incoming>) -> hyper::Result<Response<Incoming>> {
        match self {
            Self::Http1(requests) => {
                let mut requests = requests.lock().await;
                requests.ready().await?;
                let response = requests.send_request(request);
                drop(requests);
                response.await
            }
            Self::Http2(requests) => {
                let mut requests = requests.clone();
                requests.ready().await?;
                requests.send_request(request).await
            }
        }
    }
}
