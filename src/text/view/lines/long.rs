//! Lines that are too long to be collected in memory.

use super::plain::{is_blank, plain_state};

/// Consumes the plain text of one state of a line. `\r` separates the states.
pub(crate) trait LineState {
    /// The data that each piece of text updates besides the state.
    type Context;

    fn push(&mut self, text: &str, context: &mut Self::Context);

    /// Returns whether all text so far is white space.
    fn is_blank(&self) -> bool;

    fn empty(&self) -> Self;
}

/// The plain form of a line that is too long to be collected, state by state.
#[derive(Clone, Debug)]
pub(crate) struct LongLine<S> {
    current: S,
    /// The last state that was not blank; absent while the current one is not blank.
    previous: Option<S>,
    /// The end of the last block: part of a character or of a sequence.
    rest: Vec<u8>,
}

/// The longest control sequence (bytes).
const MAX_SEQUENCE: usize = 256;

const ESCAPE: u8 = 0x1b;
const BACKSPACE: u8 = 0x08;

impl<S: LineState> LongLine<S> {
    pub(crate) const fn new(first: S) -> Self {
        Self { current: first, previous: None, rest: Vec::new() }
    }

    pub(super) fn memory(&self, of: impl Fn(&S) -> usize) -> usize {
        of(&self.current) + self.previous.as_ref().map_or(0, of) + self.rest.capacity()
    }

    /// Takes the next block of the line.
    pub(crate) fn push(&mut self, block: &[u8], context: &mut S::Context) {
        let joined;
        let bytes = if self.rest.is_empty() {
            block
        } else {
            joined = [self.rest.as_slice(), block].concat();
            &joined
        };
        let (text, end) = last_text(bytes);
        let (whole, rest) = bytes.split_at(end - overwritten(&bytes[text..end]));
        let rest = rest.to_vec();
        self.take(whole, context);
        self.rest = rest;
    }

    fn take(&mut self, bytes: &[u8], context: &mut S::Context) {
        let text = String::from_utf8_lossy(bytes);
        let Some((ended, last)) = text.rsplit_once('\r') else {
            self.continue_state(&text, context);
            return;
        };
        // A view can show only the last state of this block that is not blank.
        let (first, others) =
            ended.split_once('\r').map_or((ended, None), |(first, others)| (first, Some(others)));
        self.continue_state(first, context);
        self.end_state();
        let shown =
            others.and_then(|others| others.rsplit('\r').map(plain_state).find(|state| !is_blank(state)));
        if let Some(state) = shown {
            self.current.push(&state, context);
            self.end_state();
        }
        self.continue_state(last, context);
    }

    fn continue_state(&mut self, text: &str, context: &mut S::Context) {
        self.current.push(&plain_state(text), context);
        if !self.current.is_blank() {
            self.previous = None;
        }
    }

    fn end_state(&mut self) {
        let next = self.current.empty();
        let last = std::mem::replace(&mut self.current, next);
        if !last.is_blank() {
            self.previous = Some(last);
        }
    }

    /// Returns the state that is shown: the last one that is not blank.
    pub(crate) fn finish(mut self, context: &mut S::Context) -> S {
        let rest = std::mem::take(&mut self.rest);
        self.take(&rest, context);
        match self.previous {
            Some(previous) if self.current.is_blank() => previous,
            _ => self.current,
        }
    }
}

/// Returns the number of bytes at the end that later backspaces may overwrite.
///
/// The bytes are those of the last character, or of as many characters as there are backspaces at the end,
/// together with what has overwritten others before them.
fn overwritten(bytes: &[u8]) -> usize {
    let mut end = bytes.len();
    loop {
        let backspaces = bytes[..end].iter().rev().take_while(|&&byte| byte == BACKSPACE).count();
        let before = &bytes[..end - backspaces];
        let mut begins = (0..before.len()).rev().filter(|&offset| before[offset] & 0xc0 != 0x80);
        let Some(begin) = begins.nth(backspaces.saturating_sub(1)) else { return 0 };
        end = begin;
        if end == 0 || bytes[end - 1] != BACKSPACE {
            return bytes.len() - end;
        }
    }
}

/// Returns the end of the last control sequence, and the beginning of an unfinished sequence or character.
fn last_text(bytes: &[u8]) -> (usize, usize) {
    let mut offset = bytes.len().saturating_sub(MAX_SEQUENCE);
    while let Some(escape) = memchr::memchr(ESCAPE, &bytes[offset..]) {
        let start = offset + escape;
        let Some(length) = sequence_len(&bytes[start..]) else { return (offset, start) };
        offset = start + length;
    }
    (offset, (bytes.len() - unfinished_character(bytes)).max(offset))
}

/// Returns the number of bytes at the end that belong to an unfinished character.
fn unfinished_character(bytes: &[u8]) -> usize {
    let last = bytes.iter().rev().take(3).position(|byte| byte & 0xc0 == 0xc0);
    match last {
        Some(offset) => {
            let lead = bytes[bytes.len() - 1 - offset];
            let wanted = if lead >= 0xf0 {
                4
            } else if lead >= 0xe0 {
                3
            } else {
                2
            };
            if offset + 1 < wanted && bytes[bytes.len() - offset..].iter().all(|byte| byte & 0xc0 == 0x80) {
                offset + 1
            } else {
                0
            }
        }
        None => 0,
    }
}

/// Returns the length of the sequence at the beginning of `bytes`; `None` if it is unfinished.
fn sequence_len(bytes: &[u8]) -> Option<usize> {
    match bytes.get(1)? {
        b'[' => Some(bytes[2..].iter().position(|byte| (0x40..0x7f).contains(byte))? + 3),
        b']' | b'P' | b'_' | b'^' | b'X' => {
            let end = bytes[2..].iter().position(|byte| [0x07, ESCAPE].contains(byte))? + 2;
            // A string ends with BEL, or with ESC and a backslash.
            if bytes[end] == ESCAPE { bytes.get(end + 1).map(|_| end) } else { Some(end + 1) }
        }
        _ => Some(2),
    }
}

#[cfg(test)]
mod tests {
    use super::super::plain::plain_line;
    use super::{LineState, LongLine};

    #[derive(Default)]
    struct Text(String);

    impl LineState for Text {
        type Context = ();

        fn push(&mut self, text: &str, (): &mut ()) {
            self.0.push_str(text);
        }

        fn is_blank(&self) -> bool {
            self.0.trim().is_empty()
        }

        fn empty(&self) -> Self {
            Self::default()
        }
    }

    #[test]
    fn a_line_in_blocks_has_the_same_plain_form_as_a_whole_one() {
        let units = [
            "word ",
            "é€🦀",
            "a\u{8}b",
            "_\u{8}N",
            "\u{1b}[1mz\u{1b}[0m ",
            "\u{1b}]0;title\u{7}q",
            "\u{1b}]8;;http://a\u{1b}\\l\u{1b}]8;;\u{1b}\\",
            "9%\r",
        ];
        for unit in units {
            let line: Vec<u8> = unit.bytes().cycle().take(2_000).collect();
            for block in [1_000, 1_001, 1_002, 1_003, 1_013, 1_017, 1_021] {
                let mut long = LongLine::new(Text::default());
                line.chunks(block).for_each(|block| long.push(block, &mut ()));
                assert_eq!(long.finish(&mut ()).0, plain_line(&line), "{unit:?}");
            }
        }
    }
}
