//! Finds soft resets (DECSTR, `CSI ! p`), which the parser does not know.

use memchr::memmem;

/// The sequence of a soft reset: programs send it without parameters (`rs2` and `is2` of terminfo).
const SOFT_RESET: &[u8] = b"\x1b[!p";

/// The number of a private mode that no terminal has. It stands for a soft reset, so that the parser passes that on in its
/// order, also when the program holds changes back.
pub(super) const MODE: u16 = 60_111;

/// The sequence that sets the mode.
const REPLACEMENT: &[u8] = b"\x1b[?60111h";

/// Passes bytes on, and behind each soft reset the sequence that the grid understands.
#[derive(Debug, Default)]
pub(super) struct SoftResets {
    /// The number of bytes of a soft reset at the end of the last piece.
    matched: usize,
}

impl SoftResets {
    /// Calls `pass` with each part of `bytes` that the parser should get, in order.
    pub(super) fn push(&mut self, mut bytes: &[u8], mut pass: impl FnMut(&[u8])) {
        if self.matched > 0 {
            let expected = &SOFT_RESET[std::mem::take(&mut self.matched)..];
            if bytes.starts_with(expected) {
                pass(&bytes[..expected.len()]);
                pass(REPLACEMENT);
                bytes = &bytes[expected.len()..];
            } else if expected.starts_with(bytes) {
                self.matched = SOFT_RESET.len() - expected.len() + bytes.len();
                return pass(bytes);
            }
        }
        while let Some(start) = memmem::find(bytes, SOFT_RESET) {
            let (before, after) = bytes.split_at(start + SOFT_RESET.len());
            pass(before);
            pass(REPLACEMENT);
            bytes = after;
        }
        self.matched = (1..SOFT_RESET.len())
            .rev()
            .find(|&length| bytes.ends_with(&SOFT_RESET[..length]))
            .unwrap_or_default();
        pass(bytes);
    }
}
