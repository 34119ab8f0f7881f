//! Serves one client in the sandbox: CONNECT, `http:` requests, SOCKS 5, or a program that knows no proxy.

use std::io::{self, ErrorKind};
use std::sync::Arc;
use std::time::Duration;

use tokio::net::TcpStream;
use tokio::time::timeout;

use super::gateway::Gateway;
use super::messages::http::body::Body;
use super::messages::http::request::{HttpRequest, MAX_HEAD, parse};
use super::messages::socks::{self, NO_AUTHENTICATION, NO_METHOD, Reply};
use super::outbound::{Denied, connect};
use super::stream::{
    close_gently, copy, copy_body, copy_both, end_whole, lost, prepare, read_more, write_all,
};
use crate::sandbox::network::destination::Destination;
use crate::sandbox::protocol::report::{RefusalReason, SandboxRefusal};
use crate::sandbox::texts;

/// The time for a client to send its request.
const REQUEST_DEADLINE: Duration = Duration::from_secs(30);

/// The size of one read of a head (bytes).
const PIECE: usize = 4096;

/// The longest greeting and request of SOCKS together (bytes).
const MAX_SOCKS: usize = 600;

/// Serves a client of the proxy, by HTTP or SOCKS.
pub async fn serve_proxy(gateway: &Gateway, client: TcpStream) {
    prepare(&client);
    let mut first = Vec::new();
    let begun = timeout(REQUEST_DEADLINE, read_more(&client, &mut first, PIECE)).await;
    if !matches!(begun, Ok(Ok(length)) if length > 0) {
        return;
    }
    // Errors of the peer end only its connection.
    let _ = if first.first() == Some(&socks::VERSION) {
        serve_socks(gateway, client, first).await
    } else {
        serve_http(gateway, client, first).await
    };
}

/// Serves a client that has connected, at a listed port, to the address that stands for a name.
pub async fn serve_name(gateway: &Gateway, client: TcpStream, port: u16) {
    prepare(&client);
    let Ok(address) = client.local_addr() else { return };
    let host = gateway.named(Destination::Address(address.ip()));
    // Without a server, the client gets a reset.
    if let Ok(server) = connect(gateway, &client, &host, port).await {
        let _ = join(gateway, (&host, port), client, server, Vec::new()).await;
    }
}

/// Joins a client with its server, after these first bytes of the client. The interceptor joins them if the
/// host has rules.
async fn join(
    gateway: &Gateway,
    (host, port): (&Destination, u16),
    client: TcpStream,
    server: TcpStream,
    first: Vec<u8>,
) -> io::Result<()> {
    if let Some(link) = gateway.link_for(host, port) {
        link.pass((host, port), (client, server), first, Arc::clone(gateway.notes())).await;
        return Ok(());
    }
    write_all(&server, &first).await?;
    drop(first);
    copy_both(&client, &server).await
}

async fn serve_http(gateway: &Gateway, client: TcpStream, mut bytes: Vec<u8>) -> io::Result<()> {
    let read = async {
        loop {
            match parse(&bytes) {
                Ok(Some(request)) => return Ok(Ok(request)),
                Err(wrong) => return Ok(Err(wrong)),
                Ok(None) => {}
            }
            if bytes.len() > MAX_HEAD || read_more(&client, &mut bytes, PIECE).await? == 0 {
                return Err(io::Error::from(ErrorKind::UnexpectedEof));
            }
        }
    };
    let (request, length) = match timeout(REQUEST_DEADLINE, read).await.map_err(|_| ErrorKind::TimedOut)?? {
        Ok(request) => request,
        Err(wrong) => {
            return answer(&client, "400 Bad Request", &format!("The proxy of agent-bash: {wrong}.\n")).await;
        }
    };
    let rest = bytes.split_off(length);
    drop(bytes);
    match request {
        HttpRequest::Tunnel { host, port } => match connect_named(gateway, &client, host, port).await {
            Ok((host, server)) => {
                write_all(&client, b"HTTP/1.1 200 Connection established\r\n\r\n").await?;
                join(gateway, (&host, port), client, server, rest).await
            }
            Err((host, denied)) => answer_denied(&client, &host, port, &denied).await,
        },
        HttpRequest::Forward { host, port, head, body } => {
            match connect_named(gateway, &client, host, port).await {
                Ok((host, server)) => match body.filter(|_| gateway.link_for(&host, port).is_none()) {
                    Some(body) => {
                        write_all(&server, &head).await?;
                        forward(&client, &server, body, &rest).await
                    }
                    None => join(gateway, (&host, port), client, server, [head, rest].concat()).await,
                },
                Err((host, denied)) => answer_denied(&client, &host, port, &denied).await,
            }
        }
    }
}

/// Forwards the body to the server and the response to the client. The server may respond before the end of
/// the body.
async fn forward(client: &TcpStream, server: &TcpStream, body: Body, first: &[u8]) -> io::Result<()> {
    let sent = async {
        match copy_body(client, server, body, first).await {
            // A malformed body must not look complete to the server.
            Err(error) if error.kind() == ErrorKind::InvalidData => error,
            // The server may have closed its side after sending its response.
            _ => lost(client).await,
        }
    };
    let answered = copy(server, client);
    tokio::select! {
        result = answered => result?,
        error = sent => return Err(error),
    }
    end_whole(server);
    close_gently(client).await;
    Ok(())
}

async fn serve_socks(gateway: &Gateway, client: TcpStream, mut bytes: Vec<u8>) -> io::Result<()> {
    let more = async |bytes: &mut Vec<u8>| {
        if bytes.len() > MAX_SOCKS || read_more(&client, bytes, PIECE).await? == 0 {
            return Err(io::Error::from(ErrorKind::UnexpectedEof));
        }
        Ok(())
    };
    let read = async {
        let (is_open, length) = loop {
            match socks::greeting(&bytes) {
                Some(greeting) => break greeting,
                None => more(&mut bytes).await?,
            }
        };
        if !is_open {
            write_all(&client, &NO_METHOD).await?;
            return Err(io::Error::from(ErrorKind::Unsupported));
        }
        write_all(&client, &NO_AUTHENTICATION).await?;
        bytes.drain(..length);
        loop {
            match socks::request(&bytes) {
                Ok(Some(request)) => return Ok(Ok(request)),
                Err(reply) => return Ok(Err(reply)),
                Ok(None) => more(&mut bytes).await?,
            }
        }
    };
    let (host, port, length) =
        match timeout(REQUEST_DEADLINE, read).await.map_err(|_| ErrorKind::TimedOut)?? {
            Ok(request) => request,
            Err(reply) => return end_socks(&client, reply).await,
        };
    match connect_named(gateway, &client, host, port).await {
        Ok((host, server)) => {
            write_all(&client, &Reply::Done.message()).await?;
            join(gateway, (&host, port), client, server, bytes.split_off(length)).await
        }
        Err((_, denied)) => end_socks(&client, reply_to(&denied)).await,
    }
}

async fn end_socks(client: &TcpStream, reply: Reply) -> io::Result<()> {
    write_all(client, &reply.message()).await?;
    close_gently(client).await;
    Ok(())
}

fn reply_to(denied: &Denied) -> Reply {
    match denied {
        Denied::Refused(_) => Reply::NotAllowed,
        Denied::Failed(error) if error.kind() == ErrorKind::ConnectionRefused => Reply::Refused,
        Denied::NoSuchName | Denied::Failed(_) => Reply::Unreachable,
    }
}

/// Connects to a host of a request, and returns the host too: a client may have looked the name up itself.
async fn connect_named(
    gateway: &Gateway,
    client: &TcpStream,
    host: Destination,
    port: u16,
) -> Result<(Destination, TcpStream), (Destination, Denied)> {
    let host = gateway.named(host);
    match connect(gateway, client, &host, port).await {
        Ok(server) => Ok((host, server)),
        Err(denied) => Err((host, denied)),
    }
}

async fn answer_denied(client: &TcpStream, host: &Destination, port: u16, denied: &Denied) -> io::Result<()> {
    match denied {
        Denied::Refused(reason) => answer(client, "403 Forbidden", &refusal(host, port, *reason)).await,
        Denied::NoSuchName => {
            answer(client, "502 Bad Gateway", &format!("The name {host} has no address.\n")).await
        }
        Denied::Failed(error) if error.kind() == ErrorKind::TimedOut => {
            answer(client, "504 Gateway Timeout", &format!("{host}:{port} does not answer.\n")).await
        }
        Denied::Failed(error) => {
            answer(client, "502 Bad Gateway", &format!("{host}:{port} can't be reached: {error}.\n")).await
        }
    }
}

fn refusal(host: &Destination, port: u16, reason: RefusalReason) -> String {
    let host = match host {
        Destination::Name(name) => name.clone(),
        Destination::Address(address) => address.to_string(),
    };
    format!("Refused by the sandbox: {}.\n", texts::refusal(&SandboxRefusal::Network { host, port, reason }))
}

async fn answer(client: &TcpStream, status: &str, text: &str) -> io::Result<()> {
    let length = text.len();
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n"
    );
    write_all(client, format!("{head}{text}").as_bytes()).await?;
    close_gently(client).await;
    Ok(())
}
