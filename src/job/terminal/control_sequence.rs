//! Follows the control sequences in a terminal's output, because each query of a program is one. Pure.

use memchr::{memchr, memrchr};

const ESCAPE: u8 = 0x1b;
const BELL: u8 = 0x07;

/// The position in a control sequence at which some output ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Position {
    /// Outside of any sequence.
    #[default]
    Text,
    /// After the escape character that begins a sequence, or after its intermediate characters.
    Escape,
    /// Among the parameters of a sequence that ends with a letter.
    Parameters,
    /// Inside of a string, such as a title.
    String,
}

impl Position {
    /// Advances over more output. Returns whether that has any part of a control sequence.
    pub(super) fn advance(&mut self, bytes: &[u8]) -> bool {
        let was_in_sequence = *self != Self::Text;
        let last = memrchr(ESCAPE, bytes);
        let mut rest = bytes;
        if let Some(at) = last {
            *self = Self::Escape;
            rest = &bytes[at + 1..];
        }
        if *self == Self::Escape
            && let Some(at) = rest.iter().position(|byte| matches!(byte, 0x30..=0x7e))
        {
            *self = match rest[at] {
                b'[' => Self::Parameters,
                b']' | b'P' | b'X' | b'^' | b'_' => Self::String,
                _ => Self::Text,
            };
            rest = &rest[at + 1..];
        }
        let has_ended = match self {
            Self::Parameters => rest.iter().any(|byte| matches!(byte, 0x40..=0x7e)),
            Self::String => memchr(BELL, rest).is_some(),
            Self::Text | Self::Escape => false,
        };
        if has_ended {
            *self = Self::Text;
        }
        was_in_sequence || last.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::Position;

    #[test]
    fn a_sequence_is_seen_however_it_is_cut() {
        for sequence in
            [&b"\x1b[6n"[..], b"\x1b[?25$p", b"\x1b(0", b"\x1bc", b"\x1b]0;title\x07", b"\x1b]0;t\x1b\\"]
        {
            for cut in 1..sequence.len() {
                let mut position = Position::default();
                assert!(!position.advance(b"text\r\n"));
                assert!(position.advance(&sequence[..cut]), "{sequence:?} cut at {cut}");
                assert!(position.advance(&sequence[cut..]), "{sequence:?} cut at {cut}");
                assert_eq!(position, Position::Text, "{sequence:?} cut at {cut}");
                assert!(!position.advance("more t\u{e9}xt".as_bytes()));
            }
        }
    }

    #[test]
    fn the_last_sequence_counts() {
        let mut position = Position::default();
        assert!(position.advance(b"\x1b[31mred\x1b[0m and \x1b["));
        assert_eq!(position, Position::Parameters);
        assert!(position.advance(b"1;2"));
        assert_eq!(position, Position::Parameters);
    }
}
