//! Paths and byte strings, alone or in lists, options and pairs, as their bytes: `#[serde(with = "raw")]`.
//!
//! serde encodes a path as text, which not every path is, and takes bytes one by one.

use std::fmt::{self, Formatter};
use std::path::PathBuf;

use serde::de::{DeserializeOwned, Error, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::path_bytes::{bytes_of, path_of};

/// A value that has paths or byte strings in it.
pub trait Raw: Sized {
    /// Encodes the value.
    ///
    /// # Errors
    ///
    /// The error of the encoding.
    fn put<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error>;

    /// Decodes the value.
    ///
    /// # Errors
    ///
    /// The error of the encoding.
    fn take<'a, D: Deserializer<'a>>(from: D) -> Result<Self, D::Error>;
}

/// Encodes a value.
///
/// # Errors
///
/// The error of the encoding.
pub fn serialize<S: Serializer>(value: &impl Raw, to: S) -> Result<S::Ok, S::Error> {
    value.put(to)
}

/// Decodes a value.
///
/// # Errors
///
/// The error of the encoding.
pub fn deserialize<'a, T: Raw, D: Deserializer<'a>>(from: D) -> Result<T, D::Error> {
    T::take(from)
}

impl Raw for Vec<u8> {
    fn put<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_bytes(self)
    }

    fn take<'a, D: Deserializer<'a>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_bytes(Bytes)
    }
}

impl Raw for PathBuf {
    fn put<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_bytes(bytes_of(self))
    }

    fn take<'a, D: Deserializer<'a>>(from: D) -> Result<Self, D::Error> {
        Vec::take(from).map(path_of)
    }
}

impl<T: Raw> Raw for Vec<T> {
    fn put<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_seq(self.iter().map(Encoded))
    }

    fn take<'a, D: Deserializer<'a>>(from: D) -> Result<Self, D::Error> {
        Ok(Vec::deserialize(from)?.into_iter().map(|Decoded(item)| item).collect())
    }
}

impl<T: Raw> Raw for Option<T> {
    fn put<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        self.as_ref().map(Encoded).serialize(to)
    }

    fn take<'a, D: Deserializer<'a>>(from: D) -> Result<Self, D::Error> {
        Ok(Option::deserialize(from)?.map(|Decoded(item)| item))
    }
}

/// A pair of raw bytes and a value that serde encodes, one after the other.
impl<A: Raw, B: Serialize + DeserializeOwned> Raw for (A, B) {
    fn put<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        (Encoded(&self.0), &self.1).serialize(to)
    }

    fn take<'a, D: Deserializer<'a>>(from: D) -> Result<Self, D::Error> {
        let (Decoded(first), second) = Deserialize::deserialize(from)?;
        Ok((first, second))
    }
}

/// An item that is encoded.
struct Encoded<'a, T>(&'a T);

impl<T: Raw> Serialize for Encoded<'_, T> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        self.0.put(to)
    }
}

/// An item that was decoded.
struct Decoded<T>(T);

impl<'a, T: Raw> Deserialize<'a> for Decoded<T> {
    fn deserialize<D: Deserializer<'a>>(from: D) -> Result<Self, D::Error> {
        T::take(from).map(Self)
    }
}

struct Bytes;

impl Visitor<'_> for Bytes {
    type Value = Vec<u8>;

    fn expecting(&self, to: &mut Formatter<'_>) -> fmt::Result {
        to.write_str("bytes")
    }

    fn visit_bytes<E: Error>(self, bytes: &[u8]) -> Result<Vec<u8>, E> {
        Ok(bytes.to_vec())
    }
}
