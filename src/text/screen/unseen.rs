//! Finds the output that leaves the screen and its scrollback before a caller can see it; pure.

use memchr::memchr2;

/// The length of the blocks that are checked at once (bytes).
const BLOCK: usize = 256;

/// Follows plain text over the lines of a screen.
struct LineWalk {
    columns: usize,
    /// The column of the next character; `columns` after a full line, which wraps at the next character.
    column: usize,
    /// The number of lines that have begun.
    lines: usize,
}

impl LineWalk {
    /// Follows a piece of plain text. Calls `begins` for each line that begins at its first column, with its
    /// offset and the number of lines so far.
    fn push(&mut self, piece: &[u8], mut begins: impl FnMut(usize, usize)) {
        let mut offset = 0;
        while offset < piece.len() {
            let end = memchr2(b'\n', b'\r', &piece[offset..]).map_or(piece.len(), |length| offset + length);
            while offset < end {
                if self.column == self.columns {
                    self.column = 0;
                    self.lines += 1;
                    begins(offset, self.lines);
                }
                let length = (self.columns - self.column).min(end - offset);
                self.column += length;
                offset += length;
            }
            match piece.get(offset) {
                Some(b'\n') => {
                    offset += 1;
                    self.lines += 1;
                    if self.column == 0 {
                        begins(offset, self.lines);
                    }
                }
                Some(_) => {
                    offset += 1;
                    self.column = 0;
                }
                None => {}
            }
        }
    }
}

/// Returns the length of the text at the beginning of these pieces that is followed by `lines` more lines.
///
/// The text ends where a line begins. Returns 0 without such a text, or if the pieces have more than plain
/// ASCII characters and line ends. `column` is that of the cursor.
pub(super) fn length<'a>(
    pieces: impl Iterator<Item = &'a [u8]> + Clone,
    columns: usize,
    column: usize,
    lines: usize,
) -> usize {
    if !pieces.clone().all(is_plain) {
        return 0;
    }
    let mut walk = LineWalk { columns, column, lines: 0 };
    pieces.clone().for_each(|piece| walk.push(piece, |_, _| {}));
    let Some(most) = walk.lines.checked_sub(lines) else { return 0 };
    let mut walk = LineWalk { columns, column, lines: 0 };
    let (mut found, mut before) = (0, 0);
    for piece in pieces {
        walk.push(piece, |offset, begun| {
            if begun <= most {
                found = before + offset;
            }
        });
        before += piece.len();
        if walk.lines > most {
            break;
        }
    }
    found
}

/// Returns whether text has only plain ASCII characters and line ends.
#[must_use]
pub fn is_plain(piece: &[u8]) -> bool {
    let is_plain = |byte: u8| matches!(byte, b' '..=b'~' | b'\n' | b'\r');
    // Without an early exit, the compiler checks a block by vector instructions.
    piece.chunks(BLOCK).all(|block| block.iter().fold(true, |so_far, &byte| so_far & is_plain(byte)))
}

#[cfg(test)]
mod tests {
    use super::length;

    fn unseen(pieces: &[&str], column: usize, lines: usize) -> usize {
        length(pieces.iter().map(|piece| piece.as_bytes()), 4, column, lines)
    }

    #[test]
    fn lines_end_by_a_line_end_or_at_the_last_column() {
        assert_eq!(unseen(&["ab\r\ncd\r\nef"], 0, 1), 4);
        assert_eq!(unseen(&["ab\r\n", "cd\r\nef"], 0, 0), 8);
        assert_eq!(unseen(&["abcdefghij"], 0, 1), 4);
        assert_eq!(unseen(&["abcd", "efghij"], 2, 1), 2);
        assert_eq!(unseen(&["abcdefghij"], 4, 2), 0);
    }

    #[test]
    fn a_line_that_begins_within_a_line_is_no_place_to_skip_to() {
        assert_eq!(unseen(&["ab\ncd\nef\r\ngh\nij"], 0, 1), 10);
    }

    #[test]
    fn text_that_is_not_plain_is_seen() {
        for text in ["a\r\nb\r\n\tc", "a\r\nb\r\n\u{1b}[mc", "a\r\nb\r\n\u{e9}"] {
            assert_eq!(unseen(&[text], 0, 1), 0);
        }
    }
}
