//! Requests to an agent of ssh, and which of them pass. Pure.
//!
//! The protocol is that of draft-ietf-sshm-ssh-agent: a length (32 bits), a type (8 bits), the content. A
//! request passes only if all of it is understood, so that the agent can't read it as another one.

/// The longest message (bytes) without its length: the bound of OpenSSH.
pub const MAX_MESSAGE: usize = 256 << 10;

/// The answer to a request that does not pass.
pub const FAILURE: [u8; 5] = [0, 0, 0, 1, 5];

const REQUEST_IDENTITIES: u8 = 11;
const SIGN_REQUEST: u8 = 13;
const EXTENSION: u8 = 27;

/// The extension that tells the agent of the connection for which it signs. OpenSSH refuses keys with
/// constraints without it.
const SESSION_BIND: &[u8] = b"session-bind@openssh.com";

/// A message that is empty or too long: where the next one begins is not known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Malformed;

/// Returns the length of the first message with its length field, or `None` until all of it is there.
///
/// # Errors
///
/// The message is malformed.
pub fn first_message(bytes: &[u8]) -> Result<Option<usize>, Malformed> {
    let Some((length, rest)) = bytes.split_first_chunk::<4>() else { return Ok(None) };
    let length = usize::try_from(u32::from_be_bytes(*length)).unwrap_or(usize::MAX);
    if length == 0 || length > MAX_MESSAGE {
        return Err(Malformed);
    }
    Ok((rest.len() >= length).then_some(length + 4))
}

/// Returns whether a request passes: one that lists keys, signs, or binds a session. `message` is without its
/// length field.
#[must_use]
pub fn passes(message: &[u8]) -> bool {
    let Some((kind, content)) = message.split_first() else { return false };
    match *kind {
        REQUEST_IDENTITIES => content.is_empty(),
        // The key, the data, and the flags.
        SIGN_REQUEST => is_exactly(content, |fields| {
            fields.string()?;
            fields.string()?;
            fields.take(4)
        }),
        // The name, and of a binding the host's key, the session's id, the host's signature, and whether the
        // agent is forwarded.
        EXTENSION => is_exactly(content, |fields| {
            fields.string().filter(|name| *name == SESSION_BIND)?;
            fields.string()?;
            fields.string()?;
            fields.string()?;
            fields.take(1)
        }),
        _ => false,
    }
}

/// Returns whether these fields are all of the content.
fn is_exactly<'a>(content: &'a [u8], read: impl FnOnce(&mut Fields<'a>) -> Option<&'a [u8]>) -> bool {
    let mut fields = Fields(content);
    read(&mut fields).is_some() && fields.0.is_empty()
}

/// The fields of a content that are not read yet.
struct Fields<'a>(&'a [u8]);

impl<'a> Fields<'a> {
    fn take(&mut self, length: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(taken)
    }

    fn string(&mut self) -> Option<&'a [u8]> {
        let length = self.take(4)?.first_chunk::<4>().map(|length| u32::from_be_bytes(*length))?;
        self.take(usize::try_from(length).ok()?)
    }
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::{any, prop_assert, prop_assert_eq, proptest};

    use super::{EXTENSION, MAX_MESSAGE, Malformed, SIGN_REQUEST, first_message, passes};

    fn string(text: &[u8]) -> Vec<u8> {
        [&u32::try_from(text.len()).expect("a length").to_be_bytes()[..], text].concat()
    }

    fn request(kind: u8, fields: &[&[u8]]) -> Vec<u8> {
        [&[kind][..], &fields.concat()].concat()
    }

    fn extension(name: &str) -> Vec<u8> {
        let [key, session, signature] = [&b"key"[..], b"session", b"signature"].map(string);
        request(EXTENSION, &[&string(name.as_bytes()), &key, &session, &signature, &[0]])
    }

    #[test]
    fn listing_signing_and_binding_pass() {
        assert!(passes(&[11]));
        assert!(passes(&request(SIGN_REQUEST, &[&string(b"key"), &string(b"data"), &[0, 0, 0, 4]])));
        assert!(passes(&extension("session-bind@openssh.com")));
    }

    #[test]
    fn all_other_requests_do_not_pass() {
        for kind in (0..=u8::MAX).filter(|kind| ![11, 13, 27].contains(kind)) {
            assert!(!passes(&[kind]), "{kind}");
            assert!(!passes(&request(kind, &[&string(b"key"), &string(b"data"), &[0; 4]])), "{kind}");
        }
        for name in ["query", "session-bind@openssh.com\0", "session-bind", "ecdh@example.org", ""] {
            assert!(!passes(&extension(name)), "{name}");
        }
    }

    #[test]
    fn a_request_with_more_or_less_than_its_fields_does_not_pass() {
        assert!(!passes(&[]) && !passes(&[11, 0]));
        let whole = request(SIGN_REQUEST, &[&string(b"key"), &string(b"data"), &[0; 4]]);
        for length in 0..whole.len() {
            assert!(!passes(&whole[..length]));
        }
        assert!(!passes(&[whole.as_slice(), b"x"].concat()));
        assert!(!passes(&request(SIGN_REQUEST, &[&[0xff; 4], b"key", &string(b"data"), &[0; 4]])));
    }

    #[test]
    fn an_empty_or_too_long_message_is_malformed() {
        assert_eq!(first_message(&[0; 4]), Err(Malformed));
        assert_eq!(first_message(&[0xff; 4]), Err(Malformed));
        let longest = u32::try_from(MAX_MESSAGE).expect("a length");
        assert_eq!(first_message(&longest.to_be_bytes()), Ok(None));
        assert_eq!(first_message(&(longest + 1).to_be_bytes()), Err(Malformed));
        assert_eq!(first_message(&[0, 0, 0]), Ok(None));
    }

    proptest! {
        #[test]
        fn messages_are_found_one_after_the_other(messages in vec(vec(any::<u8>(), 1..300), 0..5)) {
            let mut stream: Vec<u8> = messages.iter().flat_map(|message| string(message)).collect();
            for message in &messages {
                let length = first_message(&stream).expect("well-formed").expect("a message");
                prop_assert_eq!(&stream[4..length], message.as_slice());
                stream.drain(..length);
            }
            prop_assert_eq!(first_message(&stream), Ok(None));
        }

        #[test]
        fn what_passes_is_one_of_three(bytes in vec(any::<u8>(), 0..64)) {
            if passes(&bytes) {
                prop_assert!([11, 13, 27].contains(&bytes[0]));
            }
        }
    }
}
