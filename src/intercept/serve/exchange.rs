//! Serves a request: checks and forwards it by the rules of its host, and answers with the masked response.

use std::sync::Arc;
use std::time::Duration;

use hyper::body::{Body, Incoming};
use hyper::header::{
    CONNECTION, CONTENT_LENGTH, EXPECT, HOST, HeaderMap, HeaderValue, TRAILER, TRANSFER_ENCODING, UPGRADE,
};
use hyper::http::request::Parts;
use hyper::{Method, Request, Response, StatusCode, Uri, Version};
use tokio::time::timeout;

use super::answer::{COMPRESSED, ResponseBody, answer, words};
use super::origin::{Origin, Upgrade};
use super::upstream::{RequestBody, Upstream};
use crate::intercept::masks::{MaskedBody, is_compressed, mask_headers};
use crate::intercept::rules::headers::{ask_for_searchable, remove_forbidden, remove_of_connection};
use crate::intercept::rules::named_host::{self, WrongHost};
use crate::intercept::rules::{AskedRequest, CompiledRule};
use crate::sandbox::protocol::intercept::messages::{
    InterceptorMessage, MAX_SHOWN_METHOD, RequestRefusal, shortened,
};

/// The time for which the rest of a refused request is read, so that the client gets the answer before its
/// connection is reset.
const LINGER: Duration = Duration::from_secs(1);

/// A header value with a secret, for which a server may answer 401.
type UsedSecret = (u32, Arc<str>);

/// Answers a request: checks it, sends it to the server, and searches the response.
///
/// # Errors
///
/// Of the connection to the server. The client's connection then ends too, as without an interceptor.
pub async fn exchange(
    origin: &Origin,
    upstream: &Result<Upstream, Arc<str>>,
    request: Request<Incoming>,
) -> hyper::Result<Response<ResponseBody>> {
    let rule = match check(origin, &request) {
        Ok(rule) => rule,
        Err(refused) => return Ok(refuse(origin, request, refused).await),
    };
    let upstream = match upstream {
        Ok(upstream) => upstream,
        Err(text) => {
            // The text may have names of the server's certificate.
            let masks = origin.scope.secrets.masks().current();
            return Ok(end(request, StatusCode::BAD_GATEWAY, &masks.text(text)).await);
        }
    };
    let is_upgrade = asks_for_websocket(&request);
    if is_upgrade && rule.masks {
        let refused = Refused::ByRule(RequestRefusal::Upgrade);
        return Ok(refuse(origin, request, refused).await);
    }
    let (headers, used) = match headers_of(origin, rule).await {
        Ok(values) => values,
        Err(text) => return Ok(end(request, StatusCode::BAD_GATEWAY, &text).await),
    };
    let version = if matches!(upstream, Upstream::Http2(_)) { Version::HTTP_2 } else { Version::HTTP_11 };
    let mut request = request;
    let upgraded = is_upgrade.then(|| hyper::upgrade::on(&mut request));
    let (mut parts, body) = request.into_parts();
    prepare(origin, rule, &mut parts, version);
    if is_upgrade {
        set_upgrade(&mut parts.headers);
        origin.set_upgrade(Upgrade::Asked);
    }
    parts.headers.extend(headers);
    for (secret, _) in &used {
        let (connection, secret) = (origin.connection, *secret);
        origin.link.report(InterceptorMessage::Used { connection, secret }).await;
    }
    let mut response = upstream.send(Request::from_parts(parts, RequestBody::new(body))).await?;
    if response.status() == StatusCode::UNAUTHORIZED {
        for (secret, value) in &used {
            origin.scope.secrets.reject(*secret, value);
        }
    }
    if response.status() == StatusCode::SWITCHING_PROTOCOLS {
        let Some(client) = upgraded else {
            return Ok(answer(StatusCode::BAD_GATEWAY, "The server changes the protocol without a request."));
        };
        origin.set_upgrade(Upgrade::Done(client, hyper::upgrade::on(&mut response)));
    }
    let values = used.into_iter().map(|(_, value)| value).collect();
    Ok(searched(origin, rule, response, values))
}

/// Why a request is not sent.
enum Refused {
    ByRule(RequestRefusal),
    OtherHost(String),
    /// The request has no host, or several.
    NoHost,
    Connect,
}

/// Finds the rule that permits a request.
fn check<'a>(origin: &'a Origin, request: &Request<Incoming>) -> Result<&'a CompiledRule, Refused> {
    if request.method() == Method::CONNECT {
        return Err(Refused::Connect);
    }
    let (uri, expected) = (request.uri(), (&origin.host, origin.port));
    named_host::check(uri.authority(), request.headers(), expected, origin.usual_port()).map_err(
        |wrong| match wrong {
            WrongHost::NotOne => Refused::NoHost,
            WrongHost::Other(named) => Refused::OtherHost(named),
        },
    )?;
    let is_encrypted = origin.is_encrypted;
    let asked = AskedRequest {
        method: request.method().as_str(),
        path: uri.path(),
        query: uri.query(),
        is_encrypted,
    };
    origin.rules.permit(asked).map_err(Refused::ByRule)
}

/// Answers a request that is not sent.
async fn refuse(origin: &Origin, request: Request<Incoming>, refused: Refused) -> Response<ResponseBody> {
    let host = origin.authority();
    let method = shortened(request.method().as_str(), MAX_SHOWN_METHOD).to_owned();
    let path = request.uri().path().to_owned();
    let (status, text, reason) = match refused {
        Refused::ByRule(reason) => {
            let (status, words) = words(reason);
            (status, format!("Refused by the sandbox: {method} {path} at {host} ({words})."), Some(reason))
        }
        Refused::OtherHost(named) => {
            let text = format!("This connection is for {host}; the request names {named}.");
            (StatusCode::MISDIRECTED_REQUEST, text, Some(RequestRefusal::OtherHost))
        }
        Refused::NoHost => {
            let text = format!("This connection is for {host}; the request must name it once.");
            (StatusCode::BAD_REQUEST, text, Some(RequestRefusal::OtherHost))
        }
        Refused::Connect => {
            let text = format!("Refused by the sandbox: CONNECT at {host} (it is no proxy).");
            (StatusCode::METHOD_NOT_ALLOWED, text, None)
        }
    };
    if let Some(reason) = reason {
        origin.report_refused(&method, &path, reason).await;
    }
    end(request, status, &text).await
}

/// Answers a request after the rest of its body.
async fn end(request: Request<Incoming>, status: StatusCode, text: &str) -> Response<ResponseBody> {
    // A client that waits for permission to send its body sends none.
    if !request.headers().contains_key(EXPECT) {
        let mut body = request.into_body();
        let drained = async { while let Some(Ok(())) = next_frame(&mut body).await {} };
        let _ = timeout(LINGER, drained).await;
    }
    answer(status, text)
}

async fn next_frame(body: &mut Incoming) -> Option<Result<(), hyper::Error>> {
    let frame = std::future::poll_fn(|context| std::pin::Pin::new(&mut *body).poll_frame(context)).await;
    frame.map(|frame| frame.map(|_| ()))
}

/// Returns the headers of a rule with their secrets.
async fn headers_of(origin: &Origin, rule: &CompiledRule) -> Result<(HeaderMap, Vec<UsedSecret>), String> {
    let secrets = &origin.scope.secrets;
    let (mut headers, mut used) = (HeaderMap::new(), Vec::<UsedSecret>::new());
    for header in &rule.headers {
        let known = used.iter().find(|(secret, _)| *secret == header.secret);
        let value = if let Some((_, value)) = known {
            Arc::clone(value)
        } else {
            let value = secrets.value(header.secret).await.map_err(|reason| {
                format!("The credential '{}' has no value: {reason}.", secrets.name(header.secret))
            })?;
            used.push((header.secret, Arc::clone(&value)));
            value
        };
        let mut value = HeaderValue::from_bytes(header.template.fill(&value).as_bytes())
            .map_err(|_| format!("The header '{}' can't have this value.", header.name))?;
        // Tables of compressed headers don't keep it.
        value.set_sensitive(true);
        headers.insert(header.name.clone(), value);
    }
    Ok((headers, used))
}

/// Makes a client's head the head for the server.
fn prepare(origin: &Origin, rule: &CompiledRule, parts: &mut Parts, version: Version) {
    let headers = &mut parts.headers;
    if headers.contains_key(TRANSFER_ENCODING) {
        headers.remove(CONTENT_LENGTH);
    }
    remove_of_connection(headers);
    remove_forbidden(headers, &origin.rules);
    // The permission to send the body is the interceptor's.
    headers.remove(EXPECT);
    headers.remove(TRAILER);
    if rule.masks {
        ask_for_searchable(headers);
    }
    let authority = origin.authority();
    headers.remove(HOST);
    let target = parts.uri.path_and_query().map_or("/", |target| target.as_str());
    let uri = if version == Version::HTTP_2 {
        let scheme = if origin.is_encrypted { "https" } else { "http" };
        Uri::builder().scheme(scheme).authority(authority.as_str()).path_and_query(target).build()
    } else {
        if let Ok(host) = HeaderValue::from_str(&authority) {
            headers.insert(HOST, host);
        }
        Uri::builder().path_and_query(target).build()
    };
    // Both parts come from a URI.
    parts.uri = uri.unwrap_or_default();
    parts.version = version;
}

/// Searches a response for all values, and those of its request, or refuses one that can't be searched.
fn searched(
    origin: &Origin,
    rule: &CompiledRule,
    response: Response<Incoming>,
    values: Vec<Arc<str>>,
) -> Response<ResponseBody> {
    let (mut parts, body) = response.into_parts();
    let is_upgrade = parts.status == StatusCode::SWITCHING_PROTOCOLS;
    let is_hidden = rule.masks && is_compressed(&parts.headers);
    if is_hidden && !body.is_end_stream() {
        return answer(StatusCode::BAD_GATEWAY, COMPRESSED);
    }
    if parts.headers.contains_key(TRANSFER_ENCODING) {
        parts.headers.remove(CONTENT_LENGTH);
    }
    remove_of_connection(&mut parts.headers);
    if is_upgrade {
        set_upgrade(&mut parts.headers);
    }
    let body = if rule.masks {
        let masks = origin.scope.secrets.masks();
        mask_headers(&mut parts.headers, &masks.current());
        ResponseBody::Masked(Box::new(MaskedBody::new(body, masks, values)))
    } else {
        ResponseBody::Plain(body)
    };
    let mut response = Response::new(body);
    // Without the words of the status, which could have a value in them.
    (*response.status_mut(), *response.headers_mut()) = (parts.status, parts.headers);
    response
}

/// Returns whether a request asks for a WebSocket. Other upgrades are optional for their clients, and
/// dropped.
fn asks_for_websocket(request: &Request<Incoming>) -> bool {
    request.version() <= Version::HTTP_11
        && request
            .headers()
            .get_all(UPGRADE)
            .iter()
            .any(|value| value.as_bytes().trim_ascii().eq_ignore_ascii_case(b"websocket"))
}

fn set_upgrade(headers: &mut HeaderMap) {
    headers.insert(CONNECTION, HeaderValue::from_static("upgrade"));
    headers.insert(UPGRADE, HeaderValue::from_static("websocket"));
}
