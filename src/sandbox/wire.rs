//! Encodes values for the helper: numbers are little-endian; byte strings and lists have a length of 32 bits
//! in front.

use std::ffi::{CString, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::PathBuf;

/// The bytes are no encoding of this version.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("these bytes are no plan of this version")]
pub struct Malformed;

/// A value that can be written and read.
pub(in crate::sandbox) trait Wire: Sized {
    fn put(&self, out: &mut Vec<u8>);
    fn take(from: &mut &[u8]) -> Result<Self, Malformed>;
}

/// Defines a structure whose fields are written in order.
macro_rules! wire_struct {
    ($(#[$meta:meta])* pub struct $name:ident { $($(#[$field_meta:meta])* pub $field:ident: $type:ty,)* }) => {
        $(#[$meta])*
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub struct $name { $($(#[$field_meta])* pub $field: $type,)* }

        impl $crate::sandbox::wire::Wire for $name {
            fn put(&self, out: &mut Vec<u8>) {
                $($crate::sandbox::wire::Wire::put(&self.$field, out);)*
            }

            fn take(from: &mut &[u8]) -> Result<Self, $crate::sandbox::wire::Malformed> {
                Ok(Self { $($field: $crate::sandbox::wire::Wire::take(from)?,)* })
            }
        }
    };
}

/// Defines an enum without data, written as the position of the variant.
macro_rules! wire_enum {
    ($(#[$meta:meta])* pub enum $name:ident { $($(#[$variant_meta:meta])* $variant:ident,)* }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum $name { $($(#[$variant_meta])* $variant,)* }

        impl $name {
            /// All variants, in order.
            pub const ALL: &[Self] = &[$(Self::$variant,)*];
        }

        impl $crate::sandbox::wire::Wire for $name {
            fn put(&self, out: &mut Vec<u8>) {
                out.push(*self as u8);
            }

            fn take(from: &mut &[u8]) -> Result<Self, $crate::sandbox::wire::Malformed> {
                let position = u8::take(from)?;
                Self::ALL.get(usize::from(position)).copied().ok_or($crate::sandbox::wire::Malformed)
            }
        }
    };
}

pub(in crate::sandbox) use {wire_enum, wire_struct};

fn split<'a>(from: &mut &'a [u8], length: usize) -> Result<&'a [u8], Malformed> {
    let (head, rest) = from.split_at_checked(length).ok_or(Malformed)?;
    *from = rest;
    Ok(head)
}

macro_rules! wire_numbers {
    ($($type:ty)*) => {
        $(impl Wire for $type {
            fn put(&self, out: &mut Vec<u8>) {
                out.extend_from_slice(&self.to_le_bytes());
            }

            fn take(from: &mut &[u8]) -> Result<Self, Malformed> {
                let bytes = split(from, size_of::<Self>())?;
                Ok(Self::from_le_bytes(bytes.try_into().map_err(|_| Malformed)?))
            }
        })*
    };
}
wire_numbers!(u8 u16 u32 i32 u64);

impl Wire for bool {
    fn put(&self, out: &mut Vec<u8>) {
        out.push(u8::from(*self));
    }

    fn take(from: &mut &[u8]) -> Result<Self, Malformed> {
        match u8::take(from)? {
            0 => Ok(false),
            1 => Ok(true),
            _ => Err(Malformed),
        }
    }
}

impl<A: Wire, B: Wire> Wire for (A, B) {
    fn put(&self, out: &mut Vec<u8>) {
        self.0.put(out);
        self.1.put(out);
    }

    fn take(from: &mut &[u8]) -> Result<Self, Malformed> {
        Ok((A::take(from)?, B::take(from)?))
    }
}

impl<T: Wire> Wire for Vec<T> {
    fn put(&self, out: &mut Vec<u8>) {
        length(self.len()).put(out);
        for item in self {
            item.put(out);
        }
    }

    fn take(from: &mut &[u8]) -> Result<Self, Malformed> {
        let length = u32::take(from)?;
        // Each item takes a byte or more, so the list can't be longer than the remaining bytes.
        if usize::try_from(length).map_err(|_| Malformed)? > from.len() {
            return Err(Malformed);
        }
        (0..length).map(|_| T::take(from)).collect()
    }
}

impl<T: Wire> Wire for Option<T> {
    fn put(&self, out: &mut Vec<u8>) {
        self.is_some().put(out);
        if let Some(item) = self {
            item.put(out);
        }
    }

    fn take(from: &mut &[u8]) -> Result<Self, Malformed> {
        Ok(if bool::take(from)? { Some(T::take(from)?) } else { None })
    }
}

/// Encodes a length. A length above 32 bits becomes one that the reader refuses.
fn length(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}

fn put_bytes(bytes: &[u8], out: &mut Vec<u8>) {
    length(bytes.len()).put(out);
    out.extend_from_slice(bytes);
}

fn take_bytes(from: &mut &[u8]) -> Result<Vec<u8>, Malformed> {
    let length = u32::take(from)?;
    Ok(split(from, usize::try_from(length).map_err(|_| Malformed)?)?.to_vec())
}

impl Wire for PathBuf {
    fn put(&self, out: &mut Vec<u8>) {
        put_bytes(self.as_os_str().as_bytes(), out);
    }

    fn take(from: &mut &[u8]) -> Result<Self, Malformed> {
        Ok(OsString::from_vec(take_bytes(from)?).into())
    }
}

impl Wire for String {
    fn put(&self, out: &mut Vec<u8>) {
        put_bytes(self.as_bytes(), out);
    }

    fn take(from: &mut &[u8]) -> Result<Self, Malformed> {
        Self::from_utf8(take_bytes(from)?).map_err(|_| Malformed)
    }
}

impl Wire for CString {
    fn put(&self, out: &mut Vec<u8>) {
        put_bytes(self.as_bytes(), out);
    }

    fn take(from: &mut &[u8]) -> Result<Self, Malformed> {
        Self::new(take_bytes(from)?).map_err(|_| Malformed)
    }
}
