//! The interceptor's own responses, and the bodies of all responses.

use std::pin::Pin;
use std::task::{Context, Poll};

use hyper::body::{Body, Bytes, Frame, Incoming, SizeHint};
use hyper::header::{CONTENT_TYPE, HeaderValue};
use hyper::{Response, StatusCode};

use crate::intercept::masks::MaskedBody;
use crate::sandbox::protocol::intercept::messages::RequestRefusal;
use crate::sandbox::texts::request_reason;

/// The body of a response to a client.
#[derive(Debug)]
pub enum ResponseBody {
    /// Written by the interceptor: the reason why the client gets no response of the server.
    Text(Option<Bytes>),
    /// The server's, as it is.
    Plain(Incoming),
    Masked(Box<MaskedBody<Incoming>>),
}

impl Body for ResponseBody {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, hyper::Error>>> {
        match self.get_mut() {
            Self::Text(text) => Poll::Ready(text.take().map(|text| Ok(Frame::data(text)))),
            Self::Plain(body) => Pin::new(body).poll_frame(context),
            Self::Masked(body) => Pin::new(body.as_mut()).poll_frame(context),
        }
    }

    fn is_end_stream(&self) -> bool {
        match self {
            Self::Text(text) => text.is_none(),
            Self::Plain(body) => body.is_end_stream(),
            Self::Masked(body) => body.is_end_stream(),
        }
    }

    fn size_hint(&self) -> SizeHint {
        match self {
            Self::Text(text) => SizeHint::with_exact(text.as_ref().map_or(0, |text| text.len() as u64)),
            Self::Plain(body) => body.size_hint(),
            Self::Masked(body) => body.size_hint(),
        }
    }
}

/// Returns a response with a line of text.
#[must_use]
pub fn answer(status: StatusCode, text: &str) -> Response<ResponseBody> {
    let body = (!text.is_empty()).then(|| Bytes::from(format!("{text}\n")));
    let mut response = Response::new(ResponseBody::Text(body));
    *response.status_mut() = status;
    let kind = HeaderValue::from_static("text/plain; charset=utf-8");
    response.headers_mut().insert(CONTENT_TYPE, kind);
    response
}

/// Returns the status of a refused request, and the reason in words.
#[must_use]
pub const fn words(refusal: RequestRefusal) -> (StatusCode, &'static str) {
    let status = match refusal {
        RequestRefusal::AmbiguousPath | RequestRefusal::AmbiguousMethod => StatusCode::BAD_REQUEST,
        RequestRefusal::OtherHost => StatusCode::MISDIRECTED_REQUEST,
        RequestRefusal::Trace => StatusCode::METHOD_NOT_ALLOWED,
        RequestRefusal::NotInRules | RequestRefusal::NotEncrypted | RequestRefusal::Upgrade => {
            StatusCode::FORBIDDEN
        }
    };
    (status, request_reason(refusal))
}

/// The text about a response that can't be searched.
pub const COMPRESSED: &str =
    "The response is compressed, so it can't be searched. Use responses: 'unchecked'.";
