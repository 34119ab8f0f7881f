//! Connections that a client and a server write by hand: upgrades, and messages of two lengths.

use std::sync::Arc;

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

use super::super::serve;
use super::scene::{HOST_NAME, rule};
use crate::intercept::link::HostLink;
use crate::intercept::scope::Scope;
use crate::sandbox::protocol::intercept::messages::{
    HostRule, PassedConnection, ScopePlan, SecretPlan, SecretText, VALUE_DEADLINE,
};

/// Returns both ends of a TCP connection.
async fn pair() -> (TcpStream, TcpStream) {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a listener");
    let one = TcpStream::connect(listener.local_addr().expect("an address")).await.expect("a connection");
    (one, listener.accept().await.expect("a connection").0)
}

/// Passes a connection without TLS. Returns the client's end, the server's, and the task that serves it.
async fn pass(rule: HostRule) -> (TcpStream, TcpStream, JoinHandle<std::io::Result<()>>) {
    let (link, mut messages) = HostLink::new(VALUE_DEADLINE);
    tokio::spawn(async move { while messages.recv().await.is_some() {} });
    let link = Arc::new(link);
    let secret = SecretPlan { name: "key".to_owned(), value: Some(SecretText("s3cr3t-value".to_owned())) };
    let plan = ScopePlan { rules: vec![rule], secrets: vec![secret], roots: Vec::new() };
    let scope = Arc::new(Scope::new(1, &plan, Arc::clone(&link)).expect("a scope"));
    let (client, passed) = pair().await;
    let (to_server, server) = pair().await;
    let connection =
        PassedConnection { id: 1, scope: 1, host: HOST_NAME.to_owned(), port: 80, first: Vec::new() };
    let task = tokio::spawn(serve(connection, passed, to_server, scope, link));
    (client, server, task)
}

fn plain_rule(masks: bool) -> HostRule {
    let mut plain = rule();
    plain.destination.port = 80;
    (plain.is_plain, plain.masks) = (true, masks);
    plain
}

/// Reads until these bytes.
async fn read_to(stream: &mut (impl AsyncRead + Unpin), end: &[u8]) -> String {
    let mut bytes = Vec::new();
    while !bytes.ends_with(end) {
        bytes.push(stream.read_u8().await.expect("more bytes"));
    }
    String::from_utf8(bytes).expect("text")
}

async fn write(stream: &mut (impl AsyncWrite + Unpin), text: &str) {
    stream.write_all(text.as_bytes()).await.expect("it is written");
}

const END: &[u8] = b"\r\n\r\n";

#[tokio::test]
async fn a_websocket_passes_where_responses_are_unchecked() {
    let (mut client, mut server, task) = pass(plain_rule(false)).await;
    let ask = "GET /ws HTTP/1.1\r\nHost: api.example\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\
               Sec-WebSocket-Extensions: permessage-deflate\r\n\r\n";
    write(&mut client, ask).await;
    let request = read_to(&mut server, END).await.to_ascii_lowercase();
    for line in ["connection: upgrade", "upgrade: websocket", "authorization: bearer s3cr3t-value"] {
        assert!(request.contains(line), "{line} in {request}");
    }
    let accept = "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\
                  Sec-WebSocket-Accept: x\r\n\r\nhello";
    write(&mut server, accept).await;
    let response = read_to(&mut client, b"hello").await;
    assert!(response.starts_with("HTTP/1.1 101"), "{response}");
    write(&mut client, "\x01ping").await;
    assert_eq!(read_to(&mut server, b"ping").await, "\x01ping");
    write(&mut server, "\x02pong").await;
    assert_eq!(read_to(&mut client, b"pong").await, "\x02pong");
    drop(client);
    assert_eq!(server.read(&mut [0]).await.expect("the end"), 0);
    drop(server);
    assert!(task.await.expect("no panic").is_ok());
}

#[tokio::test]
async fn other_upgrades_are_dropped() {
    let (mut client, mut server, _task) = pass(plain_rule(true)).await;
    let ask = "GET / HTTP/1.1\r\nHost: api.example\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\n\
               HTTP2-Settings: x\r\n\r\n";
    write(&mut client, ask).await;
    let request = read_to(&mut server, END).await.to_ascii_lowercase();
    assert!(!request.contains("upgrade") && !request.contains("http2-settings"), "{request}");
}

#[tokio::test]
async fn a_request_of_two_lengths_has_one_for_the_server() {
    let (mut client, mut server, _task) = pass(plain_rule(true)).await;
    let ask = "POST / HTTP/1.1\r\nHost: api.example\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n\
               5\r\nhello\r\n0\r\n\r\n";
    write(&mut client, ask).await;
    let mut head = vec![0; 12];
    tokio::select! {
        // A refusal will do as well.
        answered = client.read_exact(&mut head) => {
            answered.expect("an answer");
            assert!(head.starts_with(b"HTTP/1.1 400"), "{}", String::from_utf8_lossy(&head));
        }
        request = read_to(&mut server, END) => {
            let request = request.to_ascii_lowercase();
            assert!(!request.contains("content-length") && request.contains("chunked"), "{request}");
        }
    }
}

#[tokio::test]
async fn a_request_that_is_cut_off_does_not_look_whole() {
    let (mut client, mut server, task) = pass(plain_rule(true)).await;
    write(&mut client, "PUT / HTTP/1.1\r\nHost: api.example\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhel")
        .await;
    drop(client);
    let mut request = Vec::new();
    // The connection may be reset.
    let _ = server.read_to_end(&mut request).await;
    assert!(!request.ends_with(b"0\r\n\r\n"), "{}", String::from_utf8_lossy(&request));
    let _ = task.await.expect("no panic");
}

#[tokio::test]
async fn the_connection_ends_after_a_response_that_the_server_ends() {
    let (mut client, mut server, task) = pass(plain_rule(true)).await;
    write(&mut client, "GET / HTTP/1.1\r\nHost: api.example\r\n\r\n").await;
    read_to(&mut server, END).await;
    write(&mut server, "HTTP/1.0 200 OK\r\n\r\nits s3cr3t-value").await;
    drop(server);
    let mut response = String::new();
    client.read_to_string(&mut response).await.expect("text");
    assert!(response.starts_with("HTTP/1.1 200") && response.contains("************"), "{response}");
    let _ = task.await.expect("no panic");
}

#[tokio::test]
async fn a_head_above_the_bound_is_not_sent() {
    let (mut client, mut server, _task) = pass(plain_rule(true)).await;
    let head = format!("{} / HTTP/1.1\r\nHost: api.example\r\n\r\n", "A".repeat(80_000));
    // The connection may be reset before everything is written and read.
    let _ = client.write_all(head.as_bytes()).await;
    let mut answer = Vec::new();
    let _ = client.read_to_end(&mut answer).await;
    assert!(answer.is_empty() || answer.starts_with(b"HTTP/1.1 431"), "{}", String::from_utf8_lossy(&answer));
    let mut request = Vec::new();
    let _ = server.read_to_end(&mut request).await;
    assert!(request.is_empty());
}
