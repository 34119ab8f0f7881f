//! Percent-encoding, as in addresses (RFC 3986).

/// Returns the byte that two hexadecimal digits at the beginning of `text` stand for, as behind a `%`.
#[must_use]
pub fn encoded_byte(text: &[u8]) -> Option<u8> {
    let [high, low, ..] = text else { return None };
    let digit = |byte: &u8| char::from(*byte).to_digit(16);
    u8::try_from(digit(high)? << 4 | digit(low)?).ok()
}

#[cfg(test)]
mod tests {
    use super::encoded_byte;

    #[test]
    fn two_digits_are_a_byte_and_nothing_else_is() {
        assert_eq!(encoded_byte(b"41"), Some(b'A'));
        assert_eq!(encoded_byte(b"fFrest"), Some(0xff));
        for text in ["", "4", "+1", "4g", "g4", " 1", "\u{660}1"] {
            assert_eq!(encoded_byte(text.as_bytes()), None, "{text:?}");
        }
    }
}
