//! The one encoding of what passes between the addon and its helper, and of the records that the engine keeps
//! in files: serde types, encoded by `postcard`.
//!
//! Both ends are always of the same build, so the bytes name no fields and no version; what begins a
//! conversation (the first bytes of a plan, the hello of a supervisor) shows that it is the same build.
//! [`raw`] is for paths and byte strings in such types, and [`path_bytes`] for a path.

pub mod path_bytes;
pub mod raw;

use serde::{Deserialize, Serialize};

/// The bytes are no encoding of this version.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("these bytes are no message of this version")]
pub struct Malformed;

/// Encodes a value. Returns no bytes, which no reader takes, for a value that can't be encoded.
#[must_use]
pub fn encode(value: &(impl Serialize + ?Sized)) -> Vec<u8> {
    postcard::to_allocvec(value).unwrap_or_default()
}

/// Appends the bytes of [`encode`] to `out`, without a buffer of their own. Returns whether the value could
/// be encoded; if not, `out` is as before.
pub fn encode_onto(value: &(impl Serialize + ?Sized), out: &mut Vec<u8>) -> bool {
    let length = out.len();
    let is_encoded = postcard::serialize_with_flavor(value, Appended(&mut *out)).is_ok();
    if !is_encoded {
        out.truncate(length);
    }
    is_encoded
}

/// The place of encoded bytes: behind others.
struct Appended<'a>(&'a mut Vec<u8>);

impl postcard::ser_flavors::Flavor for Appended<'_> {
    type Output = ();

    fn try_push(&mut self, byte: u8) -> postcard::Result<()> {
        self.0.push(byte);
        Ok(())
    }

    fn try_extend(&mut self, bytes: &[u8]) -> postcard::Result<()> {
        self.0.extend_from_slice(bytes);
        Ok(())
    }

    fn finalize(self) -> postcard::Result<()> {
        Ok(())
    }
}

/// Decodes the bytes of [`encode`].
///
/// The memory that this needs is bounded by the number of bytes: a length that is larger is refused before
/// anything is allocated for it.
///
/// # Errors
///
/// [`Malformed`] for anything else, also for bytes that follow.
pub fn decode<'a, T: Deserialize<'a>>(bytes: &'a [u8]) -> Result<T, Malformed> {
    match split(bytes)? {
        (value, []) => Ok(value),
        _ => Err(Malformed),
    }
}

/// Decodes values that were appended to a file one by one, up to the first that is cut off or malformed.
#[must_use]
pub fn decode_each<'a, T: Deserialize<'a>>(bytes: &'a [u8]) -> Vec<T> {
    let mut rest = bytes;
    let next = || {
        let (value, after) = split(rest).ok()?;
        rest = after;
        Some(value)
    };
    std::iter::from_fn(next).collect()
}

/// Decodes a value, and returns the bytes that follow.
fn split<'a, T: Deserialize<'a>>(bytes: &'a [u8]) -> Result<(T, &'a [u8]), Malformed> {
    postcard::take_from_bytes(bytes).map_err(|_| Malformed)
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::ffi::CString;
    use std::fmt::Debug;
    use std::path::PathBuf;

    use proptest::collection::vec;
    use proptest::prelude::*;
    use serde::de::DeserializeOwned;
    use serde::{Deserialize, Serialize};

    use super::{Malformed, decode, decode_each, encode};

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Sample {
        number: i32,
        #[serde(with = "super::raw")]
        paths: Option<Vec<PathBuf>>,
        #[serde(with = "super::raw")]
        bytes: Vec<u8>,
        #[serde(with = "super::raw")]
        pairs: Vec<(PathBuf, bool)>,
        words: Vec<CString>,
    }

    fn path() -> impl Strategy<Value = PathBuf> {
        use std::os::unix::ffi::OsStringExt;
        vec(any::<u8>(), 0..20).prop_map(|bytes| std::ffi::OsString::from_vec(bytes).into())
    }

    prop_compose! {
        fn samples()(
            number: i32,
            paths in proptest::option::of(vec(path(), 0..3)),
            bytes in vec(any::<u8>(), 0..300),
            pairs in vec((path(), any::<bool>()), 0..3),
            words in vec(vec(1_u8.., 0..9).prop_map(|word| CString::new(word).expect("no NUL")), 0..3),
        ) -> Sample {
            Sample { number, paths, bytes, pairs, words }
        }
    }

    fn assert_refused<T: DeserializeOwned + Debug + PartialEq>(bytes: &[u8]) {
        assert_eq!(decode::<T>(bytes), Err(Malformed), "{bytes:?}");
    }

    proptest! {
        #[test]
        fn a_value_is_read_as_it_was_written(sample in samples()) {
            prop_assert_eq!(decode(&encode(&sample)), Ok(sample));
        }

        #[test]
        fn a_value_that_is_cut_off_or_goes_on_is_refused(sample in samples(), cut: prop::sample::Index) {
            let mut bytes = encode(&sample);
            assert_refused::<Sample>(&bytes[..cut.index(bytes.len())]);
            bytes.push(0);
            assert_refused::<Sample>(&bytes);
            prop_assert_eq!(decode_each::<Sample>(&bytes), [sample]);
        }

        #[test]
        fn any_bytes_are_a_value_or_refused(bytes in vec(any::<u8>(), 0..200)) {
            if let Ok(sample) = decode::<Sample>(&bytes) {
                prop_assert_eq!(decode(&encode(&sample)), Ok(sample));
            }
        }
    }

    #[test]
    fn a_length_beyond_the_bytes_is_refused_before_memory_is_taken_for_it() {
        for length in [encode(&3_u64), encode(&u64::from(u32::MAX)), encode(&u64::MAX)] {
            assert_refused::<Vec<u64>>(&length);
            assert_refused::<Vec<String>>(&length);
            assert_refused::<String>(&length);
            assert_refused::<CString>(&length);
            // A sample whose bytes, or whose list of paths, has that length.
            assert_refused::<Sample>(&[&[0, 0][..], &length].concat());
            assert_refused::<Sample>(&[&[0, 1][..], &length].concat());
        }
    }
}
