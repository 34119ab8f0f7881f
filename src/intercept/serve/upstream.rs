//! The connection to the server.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use hyper::body::{Body, Bytes, Frame, Incoming, SizeHint};
use hyper::client::conn::{http1, http2};
use hyper::{Request, Response};
use hyper_util::rt::{TokioExecutor, TokioIo};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::Mutex;

/// The largest head of a message over HTTP/1.1 (bytes).
pub const MAX_HEAD: usize = 64 << 10;

/// The largest head of a message over h2 (bytes). A connection has one for each of its streams.
pub const MAX_STREAM_HEAD: u32 = 16 << 10;

/// The bytes of a stream that wait to be sent over h2.
pub const MAX_UNSENT: usize = 64 << 10;

/// The most header fields of a message over HTTP/1.1.
pub const MAX_FIELDS: usize = 256;

/// The bytes that a server may send over h2 before it is told that they were read: of a stream, and of the
/// connection. It may be far away.
pub const WINDOW: u32 = 1 << 20;

/// The bytes that a client may send over h2 before it is told that they were read: of a stream, and of the
/// connection. It is on this machine.
pub const CLIENT_WINDOW: u32 = 256 << 10;

/// The most concurrent streams of an h2 connection.
pub const MAX_STREAMS: u32 = 32;

/// The server of a connection, as requests see it.
#[derive(Clone, Debug)]
pub enum Upstream {
    Http1(Arc<Mutex<http1::SendRequest<RequestBody>>>),
    Http2(http2::SendRequest<RequestBody>),
}

/// The body of a request, without its trailers: servers may add them to the headers, which rules decide
/// about.
#[derive(Debug)]
pub struct RequestBody(Incoming);

impl RequestBody {
    #[must_use]
    pub const fn new(body: Incoming) -> Self {
        Self(body)
    }
}

impl Body for RequestBody {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, hyper::Error>>> {
        let body = &mut self.get_mut().0;
        loop {
            match ready!(Pin::new(&mut *body).poll_frame(context)) {
                Some(Ok(frame)) if !frame.is_data() => {}
                other => return Poll::Ready(other),
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        self.0.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.0.size_hint()
    }
}

/// The future that does the work of a connection, until it ends.
pub type Driver = Pin<Box<dyn Future<Output = hyper::Result<()>> + Send>>;

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
                .max_header_list_size(MAX_STREAM_HEAD)
                .max_send_buf_size(MAX_UNSENT)
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
    pub async fn send(&self, request: Request<RequestBody>) -> hyper::Result<Response<Incoming>> {
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
