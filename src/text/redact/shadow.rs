//! A text without line breaks, indentation and escape sequences.

use memchr::memchr3;

const ESCAPE: u8 = 0x1b;

/// The longest break (bytes). What is longer is text, so that a shadow has a bound for its text.
const MAX_BREAK: usize = 256;

/// The kind of the bytes before the next one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    #[default]
    Text,
    /// A line break, and spaces and tabs after it.
    Indentation,
    /// ESC.
    Escape,
    /// ESC and a byte that announces one more, as of a character set.
    EscapeArgument,
    /// ESC [ and parameters. The texts of other sequences, such as titles and links, stay in the shadow.
    Control,
}

/// The shadow of a text that is extended at its end and cut at its beginning.
#[derive(Debug, Default)]
pub(super) struct Shadow {
    bytes: Vec<u8>,
    /// Where stretches without a break begin: in the shadow, and in the text.
    runs: Vec<(usize, usize)>,
    /// The length of the text.
    length: usize,
    state: State,
    /// The bytes that were left out since the last byte of the shadow.
    skipped: usize,
}

impl Shadow {
    /// Returns the text without breaks.
    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Returns whether the text has a break.
    pub(super) const fn has_breaks(&self) -> bool {
        self.bytes.len() != self.length
    }

    /// Returns the place in the text of a byte of the shadow.
    pub(super) fn place(&self, index: usize) -> usize {
        let run = self.runs.partition_point(|(start, _)| *start <= index);
        let Some((start, place)) = run.checked_sub(1).map(|run| self.runs[run]) else { return self.length };
        place + (index - start)
    }

    /// Appends to the text.
    pub(super) fn push(&mut self, mut text: &[u8]) {
        while let Some(byte) = text.first() {
            let taken = if self.state == State::Text {
                let plain = memchr3(b'\n', b'\r', ESCAPE, text).unwrap_or(text.len());
                if plain > 0 {
                    self.keep(&text[..plain]);
                }
                plain
            } else {
                0
            };
            if taken > 0 {
                self.length += taken;
                text = &text[taken..];
                continue;
            }
            if self.skips(*byte) {
                self.skipped += 1;
                if self.skipped > MAX_BREAK {
                    self.keep(&text[..1]);
                }
                self.length += 1;
                text = &text[1..];
            }
        }
    }

    /// Cuts the first `count` bytes of the text off.
    pub(super) fn cut(&mut self, count: usize) {
        self.length -= count;
        let next = self.runs.partition_point(|(_, place)| *place < count);
        // The shadow of what remains begins in the run before, or with the next one.
        let inside = next.checked_sub(1).map(|run| {
            let (start, place) = self.runs[run];
            let end = self.runs.get(next).map_or(self.bytes.len(), |(start, _)| *start);
            (start + (count - place)).min(end)
        });
        let Some(dropped) = inside else {
            for (_, place) in &mut self.runs {
                *place -= count;
            }
            return;
        };
        let end = self.runs.get(next).map_or(self.bytes.len(), |(start, _)| *start);
        let mut kept = self.runs.split_off(next);
        for (start, place) in &mut kept {
            *start -= dropped;
            *place -= count;
        }
        self.runs.clear();
        if dropped < end {
            self.runs.push((0, 0));
        }
        self.runs.append(&mut kept);
        self.bytes.drain(..dropped);
    }

    fn keep(&mut self, text: &[u8]) {
        let (start, place) = (self.bytes.len(), self.length);
        let is_next = self.runs.last().is_some_and(|(begun, at)| at + (start - begun) == place);
        if !is_next {
            self.runs.push((start, place));
        }
        self.bytes.extend_from_slice(text);
        self.skipped = 0;
    }

    /// Takes a byte that is no plain text into the state. Returns whether it is left out; if not, it counts
    /// as plain text now.
    fn skips(&mut self, byte: u8) -> bool {
        self.state = match (self.state, byte) {
            (_, b'\n' | b'\r') => State::Indentation,
            (_, ESCAPE) => State::Escape,
            (State::Indentation, b' ' | b'\t') => State::Indentation,
            (State::Escape, b' ' | b'#' | b'%' | b'('..=b'/') => State::EscapeArgument,
            (State::Escape, b'[') | (State::Control, 0x20..=0x3f) => State::Control,
            (State::Control, 0x40..=0x7e)
            | (State::Escape, 0x30..=0x7e)
            | (State::EscapeArgument, 0x21..=0x7e) => State::Text,
            _ => {
                self.state = State::Text;
                return false;
            }
        };
        true
    }
}

/// Returns a pattern as it appears in a shadow. Spaces at its ends are left out, because a shadow has none
/// after a line break.
pub(super) fn without_breaks(pattern: &[u8]) -> Vec<u8> {
    let mut shadow = Shadow::default();
    shadow.push(pattern);
    shadow.bytes.trim_ascii().to_vec()
}

#[cfg(test)]
mod tests {
    use super::Shadow;

    #[test]
    fn a_shadow_has_no_breaks_and_knows_the_places_of_its_bytes() {
        let text = b"ab\r\n  cd\x1b[1;31mef\x1b(B\x1b7g\x1b]8;;url\x07h";
        let mut shadow = Shadow::default();
        for byte in text {
            shadow.push(&[*byte]);
        }
        assert_eq!(shadow.bytes(), b"abcdefg8;;url\x07h");
        for index in 0..shadow.bytes().len() {
            assert_eq!(shadow.bytes()[index], text[shadow.place(index)]);
        }
    }

    #[test]
    fn a_shadow_is_cut_with_its_text() {
        let text = b"ab\n  cd\x1b[1mef\n\n";
        for count in 0..=text.len() {
            let mut shadow = Shadow::default();
            shadow.push(text);
            shadow.cut(count);
            let rest = &text[count..];
            let expected = b"abcdef".iter().rev().zip(shadow.bytes().iter().rev());
            assert!(expected.clone().all(|(one, other)| one == other));
            for index in 0..shadow.bytes().len() {
                assert_eq!(shadow.bytes()[index], rest[shadow.place(index)]);
            }
            shadow.push(b"gh");
            assert!(shadow.bytes().ends_with(b"gh"));
            assert_eq!(shadow.place(shadow.bytes().len() - 1), rest.len() + 1);
        }
    }
}
