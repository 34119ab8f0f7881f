//! Both sides of a connection: handshakes, protocols, and ends.

use hyper::StatusCode;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use super::scene::{HOST_NAME, Scene, Scenery, rule};
use crate::intercept::testing::map;
use crate::sandbox::protocol::intercept::messages::{InterceptorMessage, Refusal};

const BOTH: [bool; 2] = [false, true];

#[tokio::test]
async fn the_client_gets_the_protocol_that_the_server_chooses() {
    for (server, client, is_h2) in [
        (&["http/1.1"][..], &["h2", "http/1.1"][..], false),
        (&["h2", "http/1.1"], &["h2", "http/1.1"], true),
        (&["h2"], &["h2"], true),
        (&["h2", "http/1.1"], &[], false),
        (&[], &["h2", "http/1.1"], false),
        (&[], &["x-other", "http/1.1"], false),
    ] {
        let scene = Scene::new(Scenery { alpn: Some(server), ..Scenery::default() }).await;
        let mut connected = scene.connect(HOST_NAME, client).await.expect("a connection");
        assert_eq!(connected.is_h2(), is_h2, "{server:?} {client:?}");
        assert_eq!(connected.get("/").await.status, StatusCode::OK);
    }
}

#[tokio::test]
async fn a_client_without_a_common_protocol_gets_an_alert() {
    let scene = Scene::new(Scenery { alpn: Some(&[]), ..Scenery::default() }).await;
    let error = scene.connect(HOST_NAME, &["h2"]).await.map(|_| ()).expect_err("no protocol");
    assert!(error.to_string().contains("NoApplicationProtocol"), "{error}");
}

#[tokio::test]
async fn a_client_that_names_another_host_in_its_handshake_gets_an_alert() {
    let mut scene = Scene::new(Scenery::default()).await;
    for (name, reported) in [("evil.example", Some("evil.example")), ("127.0.0.1", None)] {
        let error = scene.connect(name, &[]).await.map(|_| ()).expect_err("another name");
        assert!(error.to_string().contains("AccessDenied"), "{error}");
        let refusal = Refusal::Name { name: reported.map(str::to_owned) };
        let expected = InterceptorMessage::Refused { connection: 7, refusal };
        assert_eq!(scene.messages.recv().await, Some(expected));
    }
    assert!(scene.seen().is_empty());
}

#[tokio::test]
async fn a_server_that_is_not_verified_gets_no_request() {
    for is_h2 in BOTH {
        let scene = Scene::new(Scenery { certified: "other.example", ..Scenery::default() }).await;
        let reply = scene.client(is_h2).await.get("/").await;
        assert_eq!(reply.status, StatusCode::BAD_GATEWAY);
        let beginning = "api.example's certificate is not valid: ";
        assert!(reply.text.starts_with(beginning), "{}", reply.text);
        assert!(scene.seen().is_empty());
    }
}

#[tokio::test]
async fn a_value_in_the_names_of_a_certificate_is_not_shown() {
    let name = "s3cr3t-value.other.example";
    let scene = Scene::new(Scenery { certified: name, value: Some(name), ..Scenery::default() }).await;
    let reply = scene.client(false).await.get("/").await;
    assert!(reply.text.contains("[redacted:github]") && !reply.text.contains("s3cr3t"), "{}", reply.text);
}

#[tokio::test]
async fn a_server_without_tls_gets_no_request() {
    let scene = Scene::new(Scenery { alpn: None, ..Scenery::default() }).await;
    let reply = scene.client(false).await.get("/").await;
    assert_eq!(reply.status, StatusCode::BAD_GATEWAY);
    assert!(reply.text.contains("TLS handshake"), "{}", reply.text);
}

#[tokio::test]
async fn a_connection_ends_with_its_client() {
    for is_h2 in BOTH {
        let scene = Scene::new(Scenery::default()).await;
        let mut client = scene.client(is_h2).await;
        assert_eq!(client.get("/").await.status, StatusCode::OK);
        let served = client.into_served();
        assert!(served.await.expect("no panic").is_ok());
    }
}

#[tokio::test]
async fn bytes_that_are_no_http_end_the_connection() {
    let mut plain = rule();
    plain.is_plain = true;
    let scene = Scene::new(Scenery { rules: vec![plain], alpn: None, ..Scenery::default() }).await;
    let (mut client, served) = scene.pass().await;
    client.write_all(b"SSH-2.0-x\r\n\r\n").await.expect("it is written");
    let mut answer = Vec::new();
    // The connection may be reset.
    let _ = client.read_to_end(&mut answer).await;
    let _ = served.await.expect("no panic");
    assert!(answer.is_empty() || answer.starts_with(b"HTTP/1.1 400"));
    assert!(scene.seen().is_empty());
}

#[tokio::test]
async fn a_websocket_is_refused_where_responses_are_masked() {
    let scene = Scene::new(Scenery::default()).await;
    let headers = map(&[("connection", "upgrade"), ("upgrade", "websocket")]);
    let reply = scene.client(false).await.send("GET", "/ws", &headers, b"").await;
    assert_eq!(reply.status, StatusCode::FORBIDDEN);
    assert!(reply.text.contains("responses: 'unchecked'"), "{}", reply.text);
    assert!(scene.seen().is_empty());
}
