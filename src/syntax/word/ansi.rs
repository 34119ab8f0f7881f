//! The escapes of `$'…'`.

use std::iter::Peekable;
use std::str::Chars;

/// Returns the text between the quotes. A NUL ends it, as it does in bash.
pub(in crate::syntax) fn decode(text: &str) -> String {
    let mut decoder = Decoder { chars: text.chars().peekable(), bytes: Vec::with_capacity(text.len()) };
    while let Some(char) = decoder.chars.next() {
        let is_open = if char == '\\' { decoder.escape() } else { decoder.push(char) };
        if !is_open {
            break;
        }
    }
    String::from_utf8_lossy(&decoder.bytes).into_owned()
}

struct Decoder<'a> {
    chars: Peekable<Chars<'a>>,
    /// The text so far, which escapes of single bytes may make invalid as UTF-8.
    bytes: Vec<u8>,
}

impl Decoder<'_> {
    /// Reads an escape after its backslash, and returns whether the text goes on.
    fn escape(&mut self) -> bool {
        let Some(kind) = self.chars.next() else { return false };
        match kind {
            'a' => self.byte(7),
            'b' => self.byte(8),
            'e' | 'E' => self.byte(27),
            'f' => self.byte(12),
            'n' => self.byte(10),
            'r' => self.byte(13),
            't' => self.byte(9),
            'v' => self.byte(11),
            '\\' | '\'' | '"' | '?' => self.push(kind),
            '0'..='7' => {
                let value = self.digits(8, 2, kind.to_digit(8)).unwrap_or(0);
                self.byte(value.to_le_bytes()[0])
            }
            'x' => self.hexadecimal(),
            'u' | 'U' => match self.digits(16, if kind == 'u' { 4 } else { 8 }, None) {
                Some(0) => false,
                Some(value) => self.push(char::from_u32(value).unwrap_or('\u{fffd}')),
                None => self.unescaped(kind),
            },
            'c' => self.control(),
            other => self.unescaped(other),
        }
    }

    /// Reads the digits of `\x`: two, or any number after a brace, which needs neither digits nor an end.
    fn hexadecimal(&mut self) -> bool {
        let is_braced = self.chars.next_if_eq(&'{').is_some();
        let value = self.digits(16, if is_braced { usize::MAX } else { 2 }, None);
        if is_braced {
            self.chars.next_if_eq(&'}');
        }
        match value {
            Some(value) => self.byte(value.to_le_bytes()[0]),
            None if is_braced => false,
            None => self.unescaped('x'),
        }
    }

    /// Reads the character of `\c`; a backslash has one more before it.
    fn control(&mut self) -> bool {
        let Some(control) = self.chars.next() else { return self.unescaped('c') };
        if control == '\\' {
            self.chars.next_if_eq(&'\\');
        }
        if control == '?' {
            return self.byte(0x7f);
        }
        // Only the first byte of a character becomes a control character.
        let mut bytes = [0; 4];
        let length = control.encode_utf8(&mut bytes).len();
        bytes[0] &= 0x1f;
        bytes[..length].iter().all(|byte| self.byte(*byte))
    }

    fn push(&mut self, char: char) -> bool {
        self.bytes.extend(char.encode_utf8(&mut [0; 4]).bytes());
        true
    }

    /// Appends a backslash that begins no escape, and the character after it.
    fn unescaped(&mut self, char: char) -> bool {
        self.push('\\') && self.push(char)
    }

    /// Appends a byte. Returns false for a NUL, which ends the text.
    fn byte(&mut self, byte: u8) -> bool {
        if byte != 0 {
            self.bytes.push(byte);
        }
        byte != 0
    }

    /// Reads at most `most` digits after those of `first`.
    fn digits(&mut self, radix: u32, most: usize, first: Option<u32>) -> Option<u32> {
        let mut value = first;
        for _ in 0..most {
            let Some(digit) = self.chars.peek().and_then(|char| char.to_digit(radix)) else { break };
            self.chars.next();
            value = Some(value.unwrap_or(0).wrapping_mul(radix).wrapping_add(digit));
        }
        value
    }
}
