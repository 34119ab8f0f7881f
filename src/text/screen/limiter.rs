//! Bounds operating system commands (OSC): the parser collects a command to its end, and a program may never
//! end one.

use memchr::memmem;

/// The longest command passed on (bytes); the rest of a longer one is dropped. Only titles matter here.
const MAX_COMMAND: usize = 16 * 1024;

/// The bytes that begin a command.
const COMMAND_START: &[u8] = b"\x1b]";

/// Passes bytes on, except for the bytes of a command beyond [`MAX_COMMAND`].
#[derive(Debug, Default)]
pub(super) struct Limiter {
    /// The length (bytes) of the command that has begun and not ended.
    command: Option<usize>,
    /// Whether the last byte was an escape, which may begin a command.
    ends_in_escape: bool,
}

impl Limiter {
    /// Calls `pass` in order with each part of `bytes` that the parser should get.
    pub(super) fn push(&mut self, mut bytes: &[u8], mut pass: impl FnMut(&[u8])) {
        while !bytes.is_empty() {
            bytes = match self.command {
                Some(length) => self.inside(length, bytes, &mut pass),
                None => self.outside(bytes, &mut pass),
            };
        }
    }

    /// Passes the bytes before the next command, and its start. Returns the rest.
    fn outside<'a>(&mut self, bytes: &'a [u8], pass: &mut impl FnMut(&[u8])) -> &'a [u8] {
        let continues = std::mem::take(&mut self.ends_in_escape) && bytes[0] == b']';
        let start = if continues {
            Some(1)
        } else {
            memmem::find(bytes, COMMAND_START).map(|at| at + COMMAND_START.len())
        };
        if let Some(start) = start {
            self.command = Some(0);
            pass(&bytes[..start]);
            return &bytes[start..];
        }
        self.ends_in_escape = bytes.last() == Some(&ESCAPE);
        pass(bytes);
        &[]
    }

    /// Passes a command up to the limit, and its end, which is parsed outside. Returns the rest.
    fn inside<'a>(&mut self, length: usize, bytes: &'a [u8], pass: &mut impl FnMut(&[u8])) -> &'a [u8] {
        let end = bytes.iter().position(|byte| COMMAND_ENDS.contains(byte));
        let (text, rest) = bytes.split_at(end.unwrap_or(bytes.len()));
        let passed = text.len().min(MAX_COMMAND - length);
        pass(&text[..passed]);
        self.command = end.is_none().then_some(length + passed);
        rest
    }
}

const ESCAPE: u8 = 0x1b;

/// The bytes that end a command: BEL, an escape (of `ESC \` or any other sequence), CAN and SUB.
const COMMAND_ENDS: [u8; 4] = [0x07, ESCAPE, 0x18, 0x1a];

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{Limiter, MAX_COMMAND};

    fn passed(pieces: &[&[u8]]) -> Vec<u8> {
        let mut limiter = Limiter::default();
        let mut all = Vec::new();
        for piece in pieces {
            limiter.push(piece, |bytes| all.extend_from_slice(bytes));
        }
        all
    }

    #[test]
    fn a_command_loses_what_is_over_the_limit() {
        let long = vec![b'x'; MAX_COMMAND * 3];
        let all = passed(&[b"a\x1b", b"]0;", &long, &long, b"\x07b"]);
        assert_eq!(all.len(), "a\x1b]".len() + MAX_COMMAND + "\x07b".len());
        assert!(all.ends_with(b"x\x07b"));
    }

    #[test]
    fn after_a_command_nothing_is_limited() {
        let long = vec![b'x'; MAX_COMMAND * 3];
        let all = passed(&[b"\x1b]0;t\x1b\\", &long]);
        assert_eq!(all.len(), b"\x1b]0;t\x1b\\".len() + long.len());
    }

    proptest! {
        #[test]
        fn short_commands_pass_however_they_are_split(
            pieces in prop::collection::vec(
                prop::collection::vec(prop::sample::select(b"\x1b]\x07\\ab".to_vec()), 1..20), 0..20,
            ),
        ) {
            let slices: Vec<&[u8]> = pieces.iter().map(Vec::as_slice).collect();
            prop_assert_eq!(passed(&slices), pieces.concat());
        }
    }
}
