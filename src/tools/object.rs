//! JSON objects whose properties keep their order.

use serde::ser::Error;
use serde::{Serialize, Serializer};
use serde_json::value::RawValue;

/// A JSON object, which `object!` makes.
#[derive(Debug, Default)]
pub struct Object(Vec<u8>);

impl Object {
    /// Adds a property.
    pub fn property(&mut self, name: &str, value: &impl Serialize) {
        self.0.push(if self.0.is_empty() { b'{' } else { b',' });
        let is_written = serde_json::to_writer(&mut self.0, name).is_ok();
        debug_assert!(is_written, "a name is text");
        self.0.push(b':');
        if serde_json::to_writer(&mut self.0, value).is_err() {
            self.0.extend(b"null");
        }
    }

    /// Adds a property, unless its value is `null` or an empty list.
    pub fn optional(&mut self, name: &str, value: &impl Serialize) {
        let length = self.0.len();
        self.property(name, value);
        if self.0.ends_with(b":null") || self.0.ends_with(b":[]") {
            self.0.truncate(length);
        }
    }

    #[must_use]
    pub fn into_json(mut self) -> String {
        self.0.extend(if self.0.is_empty() { b"{}".as_slice() } else { b"}" });
        String::from_utf8(self.0).unwrap_or_default()
    }
}

impl Serialize for Object {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let json = Self(self.0.clone()).into_json();
        RawValue::from_string(json).map_err(S::Error::custom)?.serialize(serializer)
    }
}

/// Makes an [`Object`] of properties, as in `object! { "a": 1, "b"?: None::<u8> }`: those with a `?` are left
/// out if they are `None` or an empty list.
macro_rules! object {
    (@to $object:ident) => {};
    (@to $object:ident $name:literal: $value:expr $(, $($rest:tt)*)?) => {
        $object.property($name, &$value);
        $($crate::tools::object::object!(@to $object $($rest)*);)?
    };
    (@to $object:ident $name:literal?: $value:expr $(, $($rest:tt)*)?) => {
        $object.optional($name, &$value);
        $($crate::tools::object::object!(@to $object $($rest)*);)?
    };
    ($($properties:tt)*) => {{
        let mut object = $crate::tools::object::Object::default();
        $crate::tools::object::object!(@to object $($properties)*);
        object
    }};
}

pub(crate) use object;

#[cfg(test)]
mod tests {
    #[test]
    fn properties_keep_their_order_and_empty_ones_may_be_left_out() {
        let inner = object! { "x": "\"" };
        let json = object! { "b": 1, "a"?: None::<u8>, "c"?: [0_u8; 0], "d": None::<u8>, "e": [inner] };
        assert_eq!(json.into_json(), r#"{"b":1,"d":null,"e":[{"x":"\""}]}"#);
        assert_eq!(object! { "a"?: None::<u8> }.into_json(), "{}");
    }
}
