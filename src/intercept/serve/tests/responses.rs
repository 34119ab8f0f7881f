//! Responses: what is masked, and what is not sent.

use std::sync::Arc;

use hyper::body::Frame;
use hyper::header::{ACCEPT_ENCODING, RANGE};
use hyper::{Response, StatusCode};

use super::scene::{Scene, Scenery, Seen, VALUE, response, rule};
use crate::intercept::testing::{Frames, data, map};

const BOTH: [bool; 2] = [false, true];

fn stars() -> String {
    "*".repeat(VALUE.len())
}

/// Answers with what the request has in its header `Authorization`, everywhere.
fn echo(seen: &Seen) -> Response<Frames> {
    let value = seen.headers["authorization"].to_str().expect("text");
    let (one, other) = value.split_at(20);
    let trailers = map(&[("x-trailer", value)]);
    let frames = vec![data(b"data: "), data(one.as_bytes()), data(other.as_bytes()), data(b"\n\n")];
    let frames = frames.into_iter().chain([Ok(Frame::trailers(trailers))]).collect();
    response(map(&[("x-echo", value), ("trailer", "x-trailer")]), Frames(frames))
}

#[tokio::test]
async fn an_echoed_value_is_masked_in_headers_body_and_trailers() {
    for is_h2 in BOTH {
        let scene = Scene::new(Scenery { handler: Arc::new(echo), ..Scenery::default() }).await;
        let mut client = scene.client(is_h2).await;
        let reply = client.send("GET", "/", &map(&[("te", "trailers")]), b"").await;
        let expected = format!("Bearer {}", stars());
        assert_eq!(reply.headers["x-echo"], expected.as_str());
        assert_eq!(reply.text, format!("data: {expected}\n\n"));
        assert_eq!(reply.trailers["x-trailer"], expected.as_str());
    }
}

#[tokio::test]
async fn a_response_of_known_length_keeps_it() {
    let handler = Arc::new(|_: &Seen| {
        let text = format!("[{VALUE}]");
        let length = text.len().to_string();
        response(map(&[("content-length", &length)]), Frames::of(text.as_bytes()))
    });
    for is_h2 in BOTH {
        let scene = Scene::new(Scenery { handler: handler.clone(), ..Scenery::default() }).await;
        let reply = scene.client(is_h2).await.get("/").await;
        assert_eq!(reply.headers["content-length"], (VALUE.len() + 2).to_string().as_str());
        assert_eq!((reply.text, reply.is_whole), (format!("[{}]", stars()), true));
    }
}

#[tokio::test]
async fn an_unchecked_response_is_passed_on_as_it_is() {
    let mut unchecked = rule();
    unchecked.masks = false;
    let handler =
        Arc::new(|_: &Seen| response(map(&[("content-encoding", "gzip")]), Frames::of(b"\x1f\x8b")));
    for is_h2 in BOTH {
        let scenery =
            Scenery { rules: vec![unchecked.clone()], handler: handler.clone(), ..Scenery::default() };
        let scene = Scene::new(scenery).await;
        let asked = map(&[("accept-encoding", "gzip"), ("range", "bytes=0-1")]);
        let reply = scene.client(is_h2).await.send("GET", "/", &asked, b"").await;
        assert_eq!(reply.headers["content-encoding"], "gzip");
        let seen = &scene.seen()[0].headers;
        assert_eq!((&seen[ACCEPT_ENCODING], &seen[RANGE]), (&asked["accept-encoding"], &asked["range"]));
    }
}

#[tokio::test]
async fn a_compressed_response_is_not_passed_on() {
    let handler =
        Arc::new(|_: &Seen| response(map(&[("content-encoding", "gzip")]), Frames::of(b"\x1f\x8b")));
    for is_h2 in BOTH {
        let scene = Scene::new(Scenery { handler: handler.clone(), ..Scenery::default() }).await;
        let asked = map(&[("accept-encoding", "gzip"), ("range", "bytes=0-1"), ("if-range", "x")]);
        let reply = scene.client(is_h2).await.send("GET", "/", &asked, b"").await;
        assert_eq!(reply.status, StatusCode::BAD_GATEWAY);
        let expected = "The response is compressed, so it can't be searched. Use responses: 'unchecked'.\n";
        assert_eq!(reply.text, expected);
        let seen = &scene.seen()[0].headers;
        assert_eq!((seen[ACCEPT_ENCODING].as_bytes(), seen.get(RANGE)), (&b"identity"[..], None));
        assert_eq!(seen.get("if-range"), None);
    }
}

#[tokio::test]
async fn nothing_unsearched_is_sent_when_the_server_fails() {
    let handler = Arc::new(|_: &Seen| {
        let (beginning, _) = VALUE.split_at(25);
        Response::new(Frames([data(b"ok "), data(beginning.as_bytes()), Err("reset")].into()))
    });
    for is_h2 in BOTH {
        let scene = Scene::new(Scenery { handler: handler.clone(), ..Scenery::default() }).await;
        let mut client = scene.client(is_h2).await;
        let reply = client.request("GET", "/", &map(&[]), Frames::default()).await;
        if let Ok(reply) = reply {
            assert!(!reply.is_whole && !reply.text.contains("ghp_"), "{}", reply.text);
        }
    }
}

#[tokio::test]
async fn large_bodies_pass_in_both_directions() {
    let handler = Arc::new(|seen: &Seen| Response::new(Frames::of(&seen.body)));
    for is_h2 in BOTH {
        let scene = Scene::new(Scenery { handler: handler.clone(), ..Scenery::default() }).await;
        let mut client = scene.client(is_h2).await;
        let body: Vec<u8> = (0..400_000_u32).flat_map(|number| number.to_string().into_bytes()).collect();
        let reply = client.send("PUT", "/", &map(&[]), &body).await;
        assert!(reply.is_whole && reply.text.as_bytes() == body);
    }
}
