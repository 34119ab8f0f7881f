//! Bodies and headers for tests.

use std::collections::VecDeque;
use std::pin::Pin;
use std::task::{Context, Poll};

use hyper::body::{Body, Bytes, Frame};
use hyper::header::{HeaderMap, HeaderName, HeaderValue};

/// A frame, or the failure of a body.
pub(super) type TestFrame = Result<Frame<Bytes>, &'static str>;

/// A body of these frames.
#[derive(Debug, Default)]
pub(super) struct Frames(pub(super) VecDeque<TestFrame>);

impl Frames {
    pub(super) fn of(bytes: &[u8]) -> Self {
        let frame = (!bytes.is_empty()).then(|| data(bytes));
        Self(frame.into_iter().collect())
    }
}

impl Body for Frames {
    type Data = Bytes;
    type Error = &'static str;

    fn poll_frame(mut self: Pin<&mut Self>, _context: &mut Context<'_>) -> Poll<Option<TestFrame>> {
        Poll::Ready(self.0.pop_front())
    }

    fn is_end_stream(&self) -> bool {
        self.0.is_empty()
    }
}

/// Returns a frame with these bytes.
#[allow(clippy::unnecessary_wraps, reason = "it stands in lists of frames, of which some fail")]
pub(super) fn data(bytes: &[u8]) -> TestFrame {
    Ok(Frame::data(Bytes::copy_from_slice(bytes)))
}

/// Returns headers, or trailers.
pub(super) fn map(fields: &[(&'static str, &str)]) -> HeaderMap {
    let mut headers = HeaderMap::new();
    for (name, value) in fields {
        headers.append(HeaderName::from_static(name), HeaderValue::from_str(value).expect("a value"));
    }
    headers
}
