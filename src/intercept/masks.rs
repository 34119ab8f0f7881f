//! Masks values in responses: headers, bodies and trailers. Masks keep lengths, so framing holds.

use std::fmt::{self, Debug, Formatter};
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, ready};

use hyper::body::{Body, Bytes, Frame, SizeHint};
use hyper::header::{CONTENT_ENCODING, HeaderMap, HeaderName, HeaderValue, TRANSFER_ENCODING};

use crate::text::redact::{MaskStyle, RedactedStream, Redactor};

/// The codings of single messages in a response, of gRPC and Connect.
const MESSAGE_CODINGS: [HeaderName; 2] =
    [HeaderName::from_static("grpc-encoding"), HeaderName::from_static("connect-content-encoding")];

/// Returns whether a response, or each message in it, is encoded in a way that hides its text.
#[must_use]
pub fn is_compressed(headers: &HeaderMap) -> bool {
    let mut codings = [CONTENT_ENCODING].into_iter().chain(MESSAGE_CODINGS);
    codings.any(|name| has_other(headers, &name, b"identity"))
        || has_other(headers, &TRANSFER_ENCODING, b"chunked")
}

/// Returns whether a list of codings has any other than this one.
fn has_other(headers: &HeaderMap, name: &HeaderName, usual: &[u8]) -> bool {
    let values = headers.get_all(name).iter();
    values.flat_map(|value| value.as_bytes().split(|byte| *byte == b',')).any(|coding| {
        let coding = coding.trim_ascii();
        !coding.is_empty() && !coding.eq_ignore_ascii_case(usual)
    })
}

/// The longest name of a header that is searched (bytes). A longer one is removed with its header.
const MAX_NAME: usize = 256;

/// The redactor of all known values, for responses that begin and those that are under way.
#[derive(Debug)]
pub struct Masks(Mutex<Arc<Redactor>>);

impl Masks {
    #[must_use]
    pub fn new(redactor: Redactor) -> Arc<Self> {
        Arc::new(Self(Mutex::new(Arc::new(redactor))))
    }

    /// Returns the latest redactor.
    #[must_use]
    pub fn current(&self) -> Arc<Redactor> {
        Arc::clone(&self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Replaces the redactor. It should have the values of the one before.
    pub fn replace(&self, redactor: Redactor) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Arc::new(redactor);
    }
}

/// Masks the values in headers or trailers. Removes those with a value in their names, which HTTP/2 and this
/// program write without capitals.
pub fn mask_headers(headers: &mut HeaderMap, redactor: &Arc<Redactor>) {
    let shows = |name: &&HeaderName| name.as_str().len() > MAX_NAME || redactor.is_in_any_case(name.as_str());
    let showing: Vec<HeaderName> = headers.keys().filter(shows).cloned().collect();
    for name in showing {
        headers.remove(name);
    }
    for value in headers.values_mut() {
        let masked = masked(value.as_bytes(), redactor);
        if masked != value.as_bytes() {
            // Asterisks are characters of a header. If not, the value goes.
            *value = HeaderValue::from_bytes(&masked).unwrap_or_else(|_| HeaderValue::from_static("*"));
        }
    }
}

fn masked(bytes: &[u8], redactor: &Arc<Redactor>) -> Vec<u8> {
    let mut stream = RedactedStream::new(Arc::clone(redactor), MaskStyle::Asterisks);
    let mut out = Vec::with_capacity(bytes.len());
    stream.push(bytes, &mut out);
    stream.finish(&mut out);
    out
}

/// A body whose values are masked, however it is cut into frames.
///
/// Bytes that could become a value are held back. After an error, they are dropped: nothing that was not
/// searched is passed on. Values that become known while the body is under way are masked too, since a long
/// response may tell of other requests.
pub struct MaskedBody<B> {
    body: B,
    masks: Arc<Masks>,
    stream: RedactedStream,
    /// The values of the request, which stay known as long as they have an owner.
    _values: Vec<Arc<str>>,
    /// The number of bytes that are held back.
    held: u64,
    /// The trailers, behind the last bytes that were held back.
    trailers: Option<HeaderMap>,
    has_ended: bool,
}

impl<B> MaskedBody<B> {
    #[must_use]
    pub fn new(body: B, masks: Arc<Masks>, values: Vec<Arc<str>>) -> Self {
        let stream = RedactedStream::new(masks.current(), MaskStyle::Asterisks);
        Self { body, masks, stream, _values: values, held: 0, trailers: None, has_ended: false }
    }

    /// Searches the next bytes, and returns what is decided.
    fn search(&mut self, bytes: &[u8]) -> Vec<u8> {
        let mut out = Vec::with_capacity(bytes.len());
        self.stream.follow(&self.masks.current());
        self.stream.push(bytes, &mut out);
        self.held = (self.held + bytes.len() as u64).saturating_sub(out.len() as u64);
        out
    }

    /// Returns the rest at the end of the body.
    fn finish(&mut self) -> Vec<u8> {
        let mut out = Vec::new();
        self.stream.follow(&self.masks.current());
        self.stream.finish(&mut out);
        self.held = 0;
        self.has_ended = true;
        out
    }
}

impl<B> Debug for MaskedBody<B> {
    /// Shows no value.
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        out.debug_struct("MaskedBody").field("held", &self.held).finish_non_exhaustive()
    }
}

impl<B: Body<Data = Bytes> + Unpin> Body for MaskedBody<B> {
    type Data = Bytes;
    type Error = B::Error;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, B::Error>>> {
        let this = self.get_mut();
        loop {
            if let Some(trailers) = this.trailers.take() {
                return Poll::Ready(Some(Ok(Frame::trailers(trailers))));
            }
            if this.has_ended {
                return Poll::Ready(None);
            }
            let out = match ready!(Pin::new(&mut this.body).poll_frame(context)) {
                Some(Ok(frame)) => match frame.into_data() {
                    Ok(bytes) => this.search(&bytes),
                    Err(other) => {
                        let Ok(mut trailers) = other.into_trailers() else { continue };
                        mask_headers(&mut trailers, &this.masks.current());
                        this.trailers = Some(trailers);
                        this.finish()
                    }
                },
                Some(Err(error)) => {
                    this.has_ended = true;
                    return Poll::Ready(Some(Err(error)));
                }
                None => this.finish(),
            };
            if !out.is_empty() {
                return Poll::Ready(Some(Ok(Frame::data(out.into()))));
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        self.trailers.is_none() && (self.has_ended || (self.held == 0 && self.body.is_end_stream()))
    }

    fn size_hint(&self) -> SizeHint {
        let inner = self.body.size_hint();
        let mut hint = SizeHint::new();
        hint.set_lower(inner.lower() + self.held);
        if let Some(upper) = inner.upper() {
            hint.set_upper(upper + self.held);
        }
        hint
    }
}

#[cfg(test)]
mod tests {
    use std::pin::Pin;
    use std::sync::Arc;
    use std::task::{Context, Poll, Waker};

    use hyper::body::{Body, Frame};
    use hyper::header::HeaderMap;
    use proptest::prelude::{any, prop, prop_assert, prop_assert_eq, proptest};

    use super::{MaskedBody, Masks, Redactor, is_compressed, mask_headers};
    use crate::intercept::testing::{Frames, TestFrame, data, map};

    const VALUE: &str = "s3cr3t-P4ssw0rd-of-github";

    fn redactor(values: &[&str]) -> Redactor {
        let values: Vec<_> = values.iter().map(|text| ("github".to_owned(), (*text).to_owned())).collect();
        Redactor::new(&values, &[], false).expect("no rules")
    }

    fn masks() -> Arc<Masks> {
        Masks::new(redactor(&[VALUE]))
    }

    /// Reads a body as a server sends it: to its end, to an error, or until it says that nothing follows.
    fn read(frames: Vec<TestFrame>) -> (Vec<u8>, Option<HeaderMap>, bool) {
        let mut body = MaskedBody::new(Frames(frames.into()), masks(), Vec::new());
        let (mut bytes, mut trailers) = (Vec::new(), None);
        let mut context = Context::from_waker(Waker::noop());
        while !body.is_end_stream() {
            match Pin::new(&mut body).poll_frame(&mut context) {
                Poll::Ready(Some(Ok(frame))) => match frame.into_data() {
                    Ok(data) => bytes.extend(data),
                    Err(other) => trailers = other.into_trailers().ok(),
                },
                Poll::Ready(Some(Err(_))) => return (bytes, trailers, true),
                Poll::Ready(None) => break,
                Poll::Pending => panic!("a frame is missing"),
            }
        }
        (bytes, trailers, false)
    }

    #[test]
    fn a_value_is_masked_at_its_length_wherever_frames_split_it() {
        let whole = format!("you sent {VALUE}!");
        let expected = format!("you sent {}!", "*".repeat(VALUE.len()));
        for cut in 0..=whole.len() {
            let (one, other) = whole.as_bytes().split_at(cut);
            let (bytes, _, failed) = read(vec![data(one), data(other)]);
            assert_eq!((String::from_utf8_lossy(&bytes).as_ref(), failed), (expected.as_str(), false));
        }
        let single = whole.bytes().map(|byte| data(&[byte])).collect();
        assert_eq!(read(single).0, expected.as_bytes());
    }

    #[test]
    fn the_beginning_of_a_value_at_the_end_of_a_body_is_sent() {
        let (bytes, _, failed) = read(vec![data(b"x s3cr")]);
        assert_eq!((bytes.as_slice(), failed), (&b"x s3cr"[..], false));
    }

    #[test]
    fn trailers_are_masked_behind_the_last_bytes() {
        let trailers = map(&[("grpc-message", &format!("bad token {VALUE}"))]);
        let (bytes, trailers, _) = read(vec![data(b"x s3cr"), Ok(Frame::trailers(trailers))]);
        assert_eq!(bytes, b"x s3cr");
        let expected = format!("bad token {}", "*".repeat(VALUE.len()));
        assert_eq!(trailers, Some(map(&[("grpc-message", &expected)])));
    }

    #[test]
    fn nothing_that_is_held_back_is_sent_after_an_error() {
        let (bytes, _, failed) = read(vec![data(b"x "), data(&VALUE.as_bytes()[..20]), Err("reset")]);
        assert_eq!((bytes.as_slice(), failed), (&b"x "[..], true));
    }

    #[test]
    fn headers_are_masked() {
        let mut fields = map(&[("location", &format!("/?token={VALUE}")), ("x-other", "1")]);
        mask_headers(&mut fields, &masks().current());
        let expected = format!("/?token={}", "*".repeat(VALUE.len()));
        assert_eq!(fields, map(&[("location", &expected), ("x-other", "1")]));
    }

    #[test]
    fn a_header_with_a_value_in_its_name_is_removed() {
        let mut fields = map(&[("x-s3cr3t-p4ssw0rd-of-github", "1"), ("x-other", "1")]);
        mask_headers(&mut fields, &masks().current());
        assert_eq!(fields, map(&[("x-other", "1")]));
    }

    #[test]
    fn a_body_under_way_is_searched_for_a_new_value() {
        const NEW: &str = "an0ther-P4ssw0rd-of-github";
        // Without a long value, no text is searched across line breaks.
        for first in ["short!", VALUE] {
            let masks = Masks::new(redactor(&[first]));
            let frames = [format!("x {}", &first[..4]), format!("{}\n{NEW}", &first[4..]), "!".to_owned()];
            let frames = frames.iter().map(|text| data(text.as_bytes())).collect();
            let mut body = MaskedBody::new(Frames(frames), Arc::clone(&masks), Vec::new());
            let mut context = Context::from_waker(Waker::noop());
            let mut bytes = Vec::new();
            while let Poll::Ready(Some(frame)) = Pin::new(&mut body).poll_frame(&mut context) {
                bytes.extend(frame.expect("no error").into_data().expect("data"));
                masks.replace(redactor(&[first, NEW]));
            }
            let expected = format!("x {}\n{}!", "*".repeat(first.len()), "*".repeat(NEW.len()));
            assert_eq!(String::from_utf8_lossy(&bytes), expected);
        }
    }

    #[test]
    fn a_coding_other_than_none_is_compressed() {
        for (name, value) in [
            ("content-encoding", "gzip"),
            ("content-encoding", "identity, br"),
            ("content-encoding", "x-unknown"),
            ("transfer-encoding", "gzip, chunked"),
            ("grpc-encoding", "gzip"),
            ("connect-content-encoding", "br"),
        ] {
            assert!(is_compressed(&map(&[(name, value)])), "{name}: {value}");
        }
        for (name, value) in [
            ("content-encoding", "Identity"),
            ("grpc-encoding", "identity"),
            ("transfer-encoding", "chunked"),
        ] {
            assert!(!is_compressed(&map(&[(name, value)])), "{name}: {value}");
        }
    }

    proptest! {
        #[test]
        fn a_body_keeps_its_length_and_has_no_value(
            noise in prop::collection::vec("[a-z0-9 -]{0,30}", 1..5),
            cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..8),
        ) {
            let whole = noise.join(VALUE);
            let mut places: Vec<usize> = cuts.iter().map(|cut| cut.index(whole.len() + 1)).collect();
            places.extend([0, whole.len()]);
            places.sort_unstable();
            let frames = places.windows(2).map(|pair| data(&whole.as_bytes()[pair[0]..pair[1]])).collect();
            let (bytes, _, _) = read(frames);
            prop_assert_eq!(bytes.len(), whole.len());
            prop_assert!(!String::from_utf8_lossy(&bytes).contains(VALUE));
        }
    }
}
