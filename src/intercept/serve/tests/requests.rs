//! Requests: headers that are set, and requests that are refused.

use std::sync::Arc;

use hyper::body::Frame;
use hyper::header::{AUTHORIZATION, HOST, HeaderMap, HeaderName};
use hyper::{Response, StatusCode};

use super::scene::{Client, HOST_NAME, Scene, Scenery, VALUE, rule};
use crate::intercept::testing::{Frames, data, map};
use crate::sandbox::protocol::intercept::messages::{
    InterceptorMessage, MAX_SHOWN_METHOD, RequestRefusal, SecretText,
};

const BOTH: [bool; 2] = [false, true];

#[tokio::test]
async fn a_secret_is_put_into_each_request_in_place_of_the_clients_header() {
    for is_h2 in BOTH {
        let mut scene = Scene::new(Scenery::default()).await;
        let mut client = scene.client(is_h2).await;
        let placeholder = map(&[("authorization", "Bearer placeholder"), ("x-kept", "placeholder")]);
        for headers in [&placeholder, &HeaderMap::new()] {
            let reply = client.send("POST", "/repos?q=1", headers, b"{\"token\":\"placeholder\"}").await;
            assert_eq!((reply.status, reply.text.as_str()), (StatusCode::OK, "fine"));
            let used = scene.messages.recv().await;
            assert_eq!(used, Some(InterceptorMessage::Used { connection: 7, secret: 0 }));
        }
        let seen = scene.seen();
        for one in &seen {
            assert_eq!(one.headers.get_all(AUTHORIZATION).iter().count(), 1);
            assert_eq!(one.headers[AUTHORIZATION], format!("Bearer {VALUE}").as_str());
            assert_eq!(one.body, b"{\"token\":\"placeholder\"}");
        }
        assert_eq!(seen[0].headers["x-kept"], "placeholder");
        let line = if is_h2 { "POST https://api.example/repos?q=1" } else { "POST /repos?q=1" };
        assert_eq!(seen[0].line, line);
    }
}

#[tokio::test]
async fn a_request_has_no_other_account_and_no_trailers() {
    for is_h2 in BOTH {
        let scene = Scene::new(Scenery::default()).await;
        let mut client = scene.client(is_h2).await;
        let headers =
            map(&[("x-api-key", "mine"), ("cookie", "session=mine"), ("trailer", "authorization, x-kept")]);
        let trailers = map(&[("authorization", "Bearer mine"), ("x-kept", "1")]);
        let frames = Frames([data(b"body"), Ok(Frame::trailers(trailers))].into());
        let reply = client.request("POST", "/", &headers, frames).await.expect("a response");
        assert_eq!(reply.status, StatusCode::OK);
        let seen = scene.seen();
        let kept: Vec<&str> = seen[0].headers.keys().map(HeaderName::as_str).collect();
        assert!(!kept.contains(&"x-api-key") && !kept.contains(&"cookie"), "{kept:?}");
        assert_eq!(seen[0].headers[AUTHORIZATION], format!("Bearer {VALUE}").as_str());
        assert_eq!((seen[0].body.as_slice(), seen[0].trailers.len()), (&b"body"[..], 0));
    }
}

#[tokio::test]
async fn a_request_that_rules_do_not_permit_is_refused_and_reported() {
    for is_h2 in BOTH {
        let mut limited = rule();
        limited.methods = Some(vec!["GET".to_owned(), "POST".to_owned()]);
        limited.paths = Some(vec!["/repos/me/**".to_owned()]);
        let mut scene = Scene::new(Scenery { rules: vec![limited], ..Scenery::default() }).await;
        let mut client = scene.client(is_h2).await;
        for (method, path, status, reason) in [
            ("POST", "/user/repos", StatusCode::FORBIDDEN, RequestRefusal::NotInRules),
            ("DELETE", "/repos/me/app", StatusCode::FORBIDDEN, RequestRefusal::NotInRules),
            ("TRACE", "/repos/me/app", StatusCode::METHOD_NOT_ALLOWED, RequestRefusal::Trace),
            ("GET", "/repos/me/../you", StatusCode::BAD_REQUEST, RequestRefusal::AmbiguousPath),
            ("GET", "/repos/me/%2e%2e/you", StatusCode::BAD_REQUEST, RequestRefusal::AmbiguousPath),
            ("GET", "/repos/me%2f..", StatusCode::BAD_REQUEST, RequestRefusal::AmbiguousPath),
            (
                "POST",
                "/repos/me/app?_method=DELETE",
                StatusCode::BAD_REQUEST,
                RequestRefusal::AmbiguousMethod,
            ),
            ("GET", "//repos/me/app", StatusCode::BAD_REQUEST, RequestRefusal::AmbiguousPath),
        ] {
            let reply = client.send(method, path, &HeaderMap::new(), b"").await;
            assert_eq!(reply.status, status, "{method} {path}: {}", reply.text);
            assert_eq!(
                scene.refused(),
                (method.to_owned(), path.split('?').next().expect("a path").to_owned(), reason)
            );
        }
        let reply = client.send("POST", "/user/repos?x=1", &HeaderMap::new(), &vec![b'x'; 300_000]).await;
        let expected = "Refused by the sandbox: POST /user/repos at api.example (not in its rules).\n";
        assert_eq!(reply.text, expected);
        assert!(scene.seen().is_empty());
        assert_eq!(client.get("/repos/me/app?a/../b").await.status, StatusCode::OK);
    }
}

#[tokio::test]
async fn a_long_method_is_shortened_in_the_report_and_the_answer() {
    for is_h2 in BOTH {
        let mut limited = rule();
        limited.methods = Some(vec!["GET".to_owned()]);
        let mut scene = Scene::new(Scenery { rules: vec![limited], ..Scenery::default() }).await;
        let mut client = scene.client(is_h2).await;
        let reply = client.send(&"M".repeat(10_000), "/x", &HeaderMap::new(), b"").await;
        let shown = "M".repeat(MAX_SHOWN_METHOD);
        assert_eq!(scene.refused().0, shown);
        assert!(reply.text.starts_with(&format!("Refused by the sandbox: {shown} /x")), "{}", reply.text);
    }
}

#[tokio::test]
async fn a_request_for_another_host_is_misdirected() {
    for is_h2 in BOTH {
        let mut scene = Scene::new(Scenery::default()).await;
        let mut client = scene.client(is_h2).await;
        let reply = client.send("GET", "/", &map(&[("host", "evil.example")]), b"").await;
        assert_eq!(reply.status, StatusCode::MISDIRECTED_REQUEST);
        assert_eq!(reply.text, "This connection is for api.example; the request names evil.example.\n");
        assert_eq!(scene.refused().2, RequestRefusal::OtherHost);
        assert!(scene.seen().is_empty());
    }
}

#[tokio::test]
async fn a_request_with_two_hosts_is_malformed() {
    let scene = Scene::new(Scenery::default()).await;
    let mut client = scene.client(false).await;
    let reply = client.send("GET", "/", &map(&[("host", HOST_NAME), ("host", HOST_NAME)]), b"").await;
    assert_eq!(reply.status, StatusCode::BAD_REQUEST);
    assert!(scene.seen().is_empty());
}

#[tokio::test]
async fn a_request_to_an_allowed_address_in_its_target_is_checked_by_both_names() {
    let scene = Scene::new(Scenery::default()).await;
    let mut client = scene.client(false).await;
    let reply = client.send("GET", "https://api.example/x", &HeaderMap::new(), b"").await;
    assert_eq!(reply.status, StatusCode::OK);
    let reply = client.send("GET", "https://evil.example/x", &map(&[("host", HOST_NAME)]), b"").await;
    assert_eq!(reply.status, StatusCode::MISDIRECTED_REQUEST);
    assert_eq!(scene.seen()[0].headers[HOST], HOST_NAME);
    assert_eq!(scene.seen().len(), 1);
}

#[tokio::test]
async fn a_header_goes_without_tls_only_where_the_rule_says_so() {
    let mut plain = rule();
    plain.destination.port = 80;
    for is_plain in BOTH {
        plain.is_plain = is_plain;
        let scenery = Scenery { rules: vec![plain.clone()], alpn: None, ..Scenery::default() };
        let mut scene = Scene::new(scenery).await;
        let mut client = scene.plain_client().await;
        let reply = client.get("/x").await;
        if is_plain {
            assert_eq!(reply.status, StatusCode::OK);
            assert_eq!(scene.seen()[0].headers[AUTHORIZATION], format!("Bearer {VALUE}").as_str());
        } else {
            assert_eq!(reply.status, StatusCode::FORBIDDEN);
            assert!(reply.text.contains("plain: true"), "{}", reply.text);
            assert_eq!((scene.refused().2, scene.seen().len()), (RequestRefusal::NotEncrypted, 0));
        }
    }
}

/// Sends a request, and answers the question for its value.
async fn get_with(
    scene: &mut Scene,
    client: &mut Client,
    value: Result<&str, &str>,
) -> (StatusCode, String, bool) {
    let link = Arc::clone(&scene.link);
    let answered = async {
        let Some(InterceptorMessage::NeedValue { request, is_renewal, .. }) = scene.messages.recv().await
        else {
            panic!("no question")
        };
        link.answer(request, (1, 0), value.map(|text| SecretText(text.to_owned())).map_err(str::to_owned));
        is_renewal
    };
    let (reply, is_renewal) = tokio::join!(client.get("/"), answered);
    (reply.status, reply.text, is_renewal)
}

#[tokio::test]
async fn a_value_of_a_function_is_renewed_after_a_401() {
    let handler = Arc::new(|seen: &super::scene::Seen| {
        let mut response = Response::new(Frames::default());
        if seen.headers[AUTHORIZATION] == "Bearer old-value" {
            *response.status_mut() = StatusCode::UNAUTHORIZED;
        }
        response
    });
    let mut scene = Scene::new(Scenery { value: None, handler, ..Scenery::default() }).await;
    let mut client = scene.client(true).await;
    let first = get_with(&mut scene, &mut client, Ok("old-value")).await;
    assert_eq!((first.0, first.2), (StatusCode::UNAUTHORIZED, false));
    assert!(matches!(scene.messages.recv().await, Some(InterceptorMessage::Used { .. })));
    let second = get_with(&mut scene, &mut client, Ok("new-value")).await;
    assert_eq!((second.0, second.2), (StatusCode::OK, true));
    assert_eq!(client.get("/").await.status, StatusCode::OK);
    assert_eq!(scene.seen().len(), 3);
}

#[tokio::test]
async fn a_request_without_a_value_is_not_sent() {
    let mut scene = Scene::new(Scenery { value: None, ..Scenery::default() }).await;
    let mut client = scene.client(false).await;
    let (status, text, _) = get_with(&mut scene, &mut client, Err("no network")).await;
    assert_eq!(status, StatusCode::BAD_GATEWAY);
    assert_eq!(text, "The credential 'github' has no value: no network.\n");
    assert!(scene.seen().is_empty());
}
