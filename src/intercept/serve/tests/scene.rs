//! A client, a server and the interceptor between them, over real TLS on loopback.

use std::pin::Pin;
use std::sync::{Arc, Mutex};

use hyper::body::{Body, Incoming};
use hyper::header::{HOST, HeaderMap};
use hyper::server::conn::{http1, http2};
use hyper::service::service_fn;
use hyper::{Request, Response, StatusCode, Version};
use hyper_util::rt::{TokioExecutor, TokioIo};
use rustls::ServerConfig;
use rustls::pki_types::ServerName;
use rustls::sign::{CertifiedKey, SingleCertAndKey};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc::Receiver;
use tokio::task::JoinHandle;
use tokio_rustls::{TlsAcceptor, TlsConnector};

use super::super::serve;
use crate::intercept::authority::Authority;
use crate::intercept::link::HostLink;
use crate::intercept::scope::Scope;
use crate::intercept::testing::Frames;
use crate::intercept::tls::client_config;
use crate::sandbox::network::allow::AllowedDestination;
use crate::sandbox::network::destination::Destination;
use crate::sandbox::protocol::intercept::messages::{
    HeaderRule, HostRule, InterceptorMessage, PassedConnection, Refusal, RequestRefusal, ScopePlan,
    SecretPlan, SecretText, VALUE_DEADLINE,
};

pub(super) const HOST_NAME: &str = "api.example";
pub(super) const VALUE: &str = "ghp_s3cr3tValueOfTheTest0123456789";

/// A request as the server got it.
#[derive(Clone, Debug)]
pub(super) struct Seen {
    pub(super) line: String,
    pub(super) headers: HeaderMap,
    pub(super) body: Vec<u8>,
    pub(super) trailers: HeaderMap,
}

/// A response as the client got it.
#[derive(Debug)]
pub(super) struct Reply {
    pub(super) status: StatusCode,
    pub(super) headers: HeaderMap,
    pub(super) text: String,
    pub(super) trailers: HeaderMap,
    /// Whether the body ended as its framing said.
    pub(super) is_whole: bool,
}

type Handler = Arc<dyn Fn(&Seen) -> Response<Frames> + Send + Sync>;

/// The settings that differ between scenes.
pub(super) struct Scenery {
    pub(super) rules: Vec<HostRule>,
    pub(super) value: Option<&'static str>,
    /// The protocols of the server; `None` for no TLS.
    pub(super) alpn: Option<&'static [&'static str]>,
    /// The name in the server's certificate.
    pub(super) certified: &'static str,
    pub(super) handler: Handler,
}

impl Default for Scenery {
    fn default() -> Self {
        Self {
            rules: vec![rule()],
            value: Some(VALUE),
            alpn: Some(&["h2", "http/1.1"]),
            certified: HOST_NAME,
            handler: Arc::new(|_| Response::new(Frames::of(b"fine"))),
        }
    }
}

/// Returns a rule for the host that sets a header.
pub(super) fn rule() -> HostRule {
    let header = HeaderRule { name: "authorization".to_owned(), template: "Bearer {}".to_owned(), secret: 0 };
    HostRule {
        destination: AllowedDestination { host: HOST_NAME.to_owned(), port: 443 },
        headers: vec![header],
        methods: None,
        paths: None,
        masks: true,
        is_plain: false,
    }
}

pub(super) struct Scene {
    scope: Arc<Scope>,
    pub(super) link: Arc<HostLink>,
    pub(super) messages: Receiver<InterceptorMessage>,
    server: std::net::SocketAddr,
    pub(super) seen: Arc<Mutex<Vec<Seen>>>,
    /// The port that the connections are for.
    port: u16,
}

impl Scene {
    pub(super) async fn new(scenery: Scenery) -> Self {
        let Scenery { rules, value, alpn, certified, handler } = scenery;
        let root = Authority::new([HOST_NAME, "other.example"].into_iter()).expect("an authority");
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a listener");
        let server = listener.local_addr().expect("an address");
        let seen = Arc::new(Mutex::new(Vec::new()));
        let acceptor = alpn.map(|alpn| acceptor(&root, certified, alpn));
        tokio::spawn(accept_all(listener, acceptor, handler, Arc::clone(&seen)));
        let (link, messages) = HostLink::new(VALUE_DEADLINE);
        let link = Arc::new(link);
        let port = rules.first().map_or(443, |rule| rule.destination.port);
        let secret =
            SecretPlan { name: "github".to_owned(), value: value.map(|text| SecretText(text.to_owned())) };
        let plan = ScopePlan { rules, secrets: vec![secret], roots: root.certificate().into() };
        let scope = Arc::new(Scope::new(1, &plan, Arc::clone(&link)).expect("a scope"));
        Self { scope, link, messages, server, seen, port }
    }

    /// Passes a connection, and returns the client's end and the task that serves it.
    pub(super) async fn pass(&self) -> (TcpStream, JoinHandle<std::io::Result<()>>) {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a listener");
        let client = TcpStream::connect(listener.local_addr().expect("an address")).await.expect("a client");
        let (passed, _) = listener.accept().await.expect("a connection");
        let server = TcpStream::connect(self.server).await.expect("a server");
        let connection = PassedConnection {
            id: 7,
            scope: 1,
            host: HOST_NAME.to_owned(),
            port: self.port,
            first: Vec::new(),
        };
        let (scope, link) = (Arc::clone(&self.scope), Arc::clone(&self.link));
        (client, tokio::spawn(serve(connection, passed, server, scope, link)))
    }

    /// Connects a client by TLS.
    pub(super) async fn connect(&self, name: &'static str, alpn: &[&str]) -> std::io::Result<Client> {
        let (stream, served) = self.pass().await;
        let config = client_config(self.scope.authority.certificate().as_bytes()).expect("a configuration");
        let alpn = alpn.iter().map(|name| name.as_bytes().to_vec()).collect();
        let name = ServerName::try_from(name).expect("a name");
        let stream = TlsConnector::from(config).with_alpn(alpn).connect(name, stream).await?;
        let is_h2 = stream.get_ref().1.alpn_protocol() == Some(b"h2");
        Ok(Client::start(stream, is_h2, served).await)
    }

    /// Connects a client that speaks h2 or HTTP/1.1.
    pub(super) async fn client(&self, is_h2: bool) -> Client {
        let alpn = if is_h2 { &["h2", "http/1.1"][..] } else { &["http/1.1"] };
        let client = self.connect(HOST_NAME, alpn).await.expect("a connection");
        assert_eq!(client.is_h2(), is_h2);
        client
    }

    /// Connects a client without TLS.
    pub(super) async fn plain_client(&self) -> Client {
        let (stream, served) = self.pass().await;
        Client::start(stream, false, served).await
    }

    pub(super) fn seen(&self) -> Vec<Seen> {
        self.seen.lock().expect("a lock").clone()
    }

    /// Returns the next message, of a refused request.
    pub(super) fn refused(&mut self) -> (String, String, RequestRefusal) {
        match self.messages.try_recv() {
            Ok(InterceptorMessage::Refused {
                connection: 7,
                refusal: Refusal::Request { method, path, reason },
            }) => (method, path, reason),
            other => panic!("no refusal: {other:?}"),
        }
    }
}

fn acceptor(root: &Authority, name: &str, alpn: &[&str]) -> TlsAcceptor {
    let leaf = root.leaf(&Destination::parse(name).expect("a host")).expect("a certificate");
    let key = SingleCertAndKey::from(CertifiedKey::new(leaf.cert.clone(), Arc::clone(&leaf.key)));
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .expect("versions")
        .with_no_client_auth()
        .with_cert_resolver(Arc::new(key));
    config.alpn_protocols = alpn.iter().map(|name| name.as_bytes().to_vec()).collect();
    TlsAcceptor::from(Arc::new(config))
}

async fn accept_all(
    listener: TcpListener,
    acceptor: Option<TlsAcceptor>,
    handler: Handler,
    seen: Arc<Mutex<Vec<Seen>>>,
) {
    while let Ok((stream, _)) = listener.accept().await {
        let (acceptor, handler, seen) = (acceptor.clone(), Arc::clone(&handler), Arc::clone(&seen));
        tokio::spawn(async move {
            let Some(acceptor) = acceptor else { return answer(stream, false, handler, seen).await };
            let Ok(stream) = acceptor.accept(stream).await else { return };
            let is_h2 = stream.get_ref().1.alpn_protocol() == Some(b"h2");
            answer(stream, is_h2, handler, seen).await;
        });
    }
}

async fn answer(
    stream: impl AsyncRead + AsyncWrite + Send + Unpin + 'static,
    is_h2: bool,
    handler: Handler,
    seen: Arc<Mutex<Vec<Seen>>>,
) {
    let service = service_fn(move |request: Request<Incoming>| {
        let (handler, seen) = (Arc::clone(&handler), Arc::clone(&seen));
        async move {
            let (parts, mut body) = request.into_parts();
            let (bytes, trailers, is_whole) = read(&mut body).await;
            if !is_whole {
                return Err("the request is cut off");
            }
            let line = format!("{} {}", parts.method, parts.uri);
            let one = Seen { line, headers: parts.headers, body: bytes, trailers };
            let response = handler(&one);
            seen.lock().expect("a lock").push(one);
            Ok::<_, &'static str>(response)
        }
    });
    let io = TokioIo::new(stream);
    let _ = if is_h2 {
        http2::Builder::new(TokioExecutor::new()).serve_connection(io, service).await
    } else {
        http1::Builder::new().serve_connection(io, service).await
    };
}

/// Reads a body. Returns its bytes, its trailers, and whether it was whole.
pub(super) async fn read(body: &mut Incoming) -> (Vec<u8>, HeaderMap, bool) {
    let (mut bytes, mut trailers) = (Vec::new(), HeaderMap::new());
    while let Some(frame) = std::future::poll_fn(|context| Pin::new(&mut *body).poll_frame(context)).await {
        match frame.map(hyper::body::Frame::into_data) {
            Ok(Ok(data)) => bytes.extend_from_slice(&data),
            Ok(Err(other)) => trailers.extend(other.into_trailers().unwrap_or_default()),
            Err(_) => return (bytes, trailers, false),
        }
    }
    (bytes, trailers, true)
}

enum Requests {
    Http1(hyper::client::conn::http1::SendRequest<Frames>),
    Http2(hyper::client::conn::http2::SendRequest<Frames>),
}

pub(super) struct Client {
    requests: Requests,
    served: JoinHandle<std::io::Result<()>>,
}

impl Client {
    async fn start(
        stream: impl AsyncRead + AsyncWrite + Send + Unpin + 'static,
        is_h2: bool,
        served: JoinHandle<std::io::Result<()>>,
    ) -> Self {
        let io = TokioIo::new(stream);
        let requests = if is_h2 {
            let (requests, connection) =
                hyper::client::conn::http2::handshake(TokioExecutor::new(), io).await.expect("h2");
            tokio::spawn(connection);
            Requests::Http2(requests)
        } else {
            let (requests, connection) = hyper::client::conn::http1::handshake(io).await.expect("HTTP/1.1");
            tokio::spawn(connection);
            Requests::Http1(requests)
        };
        Self { requests, served }
    }

    /// Ends the client's side, and returns the task that serves the connection.
    pub(super) fn into_served(self) -> JoinHandle<std::io::Result<()>> {
        self.served
    }

    pub(super) const fn is_h2(&self) -> bool {
        matches!(self.requests, Requests::Http2(_))
    }

    /// Sends a request to a path of the host, and reads the response.
    pub(super) async fn get(&mut self, path: &str) -> Reply {
        self.send("GET", path, &HeaderMap::new(), b"").await
    }

    pub(super) async fn send(&mut self, method: &str, path: &str, headers: &HeaderMap, body: &[u8]) -> Reply {
        self.request(method, path, headers, Frames::of(body)).await.expect("a response")
    }

    /// Sends a request. A header `Host` replaces the name of the host.
    pub(super) async fn request(
        &mut self,
        method: &str,
        path: &str,
        headers: &HeaderMap,
        body: Frames,
    ) -> hyper::Result<Reply> {
        let mut request = Request::new(body);
        *request.method_mut() = method.parse().expect("a method");
        *request.headers_mut() = headers.clone();
        let host = headers.get(HOST).map_or(HOST_NAME, |host| host.to_str().expect("text")).to_owned();
        let response = match &mut self.requests {
            Requests::Http1(requests) => {
                request.headers_mut().entry(HOST).or_insert(host.parse().expect("a value"));
                *request.uri_mut() = path.parse().expect("a path");
                requests.ready().await?;
                requests.send_request(request).await?
            }
            Requests::Http2(requests) => {
                request.headers_mut().remove(HOST);
                *request.uri_mut() = format!("https://{host}{path}").parse().expect("an address");
                *request.version_mut() = Version::HTTP_2;
                requests.ready().await?;
                requests.send_request(request).await?
            }
        };
        let (parts, mut body) = response.into_parts();
        let (bytes, trailers, is_whole) = read(&mut body).await;
        let text = String::from_utf8_lossy(&bytes).into_owned();
        Ok(Reply { status: parts.status, headers: parts.headers, text, trailers, is_whole })
    }
}

/// Returns a response with headers and these frames.
pub(super) fn response(headers: HeaderMap, frames: Frames) -> Response<Frames> {
    let mut response = Response::new(frames);
    *response.headers_mut() = headers;
    response
}
