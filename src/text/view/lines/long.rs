//! Lines that are too long to be collected.

use super::plain::{is_blank, plain_state};
use crate::text::view::store::counters::Counts;
use crate::text::view::store::segments::{Finished, Limits, LongText};

/// A line that is too long to be collected: its plain form, state by state.
#[derive(Clone, Debug)]
pub(super) struct LongLine {
    current: LongText,
    /// The last state that was not blank, while the current one is.
    previous: Option<LongText>,
    /// The end of the last block: part of a character or of a sequence.
    rest: Vec<u8>,
}

/// The longest control sequence (bytes).
const SEQUENCE: usize = 256;

const ESCAPE: u8 = 0x1b;
const BACKSPACE: u8 = 0x08;

impl LongLine {
    pub(super) const fn new(limits: Limits) -> Self {
        Self { current: LongText::new(limits), previous: None, rest: Vec::new() }
    }

    pub(super) fn memory(&self) -> usize {
        self.current.memory() + self.previous.as_ref().map_or(0, LongText::memory) + self.rest.capacity()
    }

    /// Takes the next block of the line.
    pub(super) fn push(&mut self, block: &[u8], counts: &mut Counts) {
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
        self.take(whole, counts);
        self.rest = rest;
    }

    fn take(&mut self, bytes: &[u8], counts: &mut Counts) {
        let text = String::from_utf8_lossy(bytes);
        let Some((ended, last)) = text.rsplit_once('\r') else {
            self.continue_state(&text, counts);
            return;
        };
        // Of the states that end in this block, only the last one that is not blank can be shown.
        let (first, others) =
            ended.split_once('\r').map_or((ended, None), |(first, others)| (first, Some(others)));
        self.continue_state(first, counts);
        self.end_state();
        let shown =
            others.and_then(|others| others.rsplit('\r').map(plain_state).find(|state| !is_blank(state)));
        if let Some(state) = shown {
            self.current.push(&state, counts);
            self.end_state();
        }
        self.continue_state(last, counts);
    }

    fn continue_state(&mut self, text: &str, counts: &mut Counts) {
        self.current.push(&plain_state(text), counts);
        if !self.current.is_blank() {
            self.previous = None;
        }
    }

    fn end_state(&mut self) {
        let next = LongText::new(self.current.limits);
        let last = std::mem::replace(&mut self.current, next);
        if !last.is_blank() {
            self.previous = Some(last);
        }
    }

    pub(super) fn finish(mut self, counts: &mut Counts) -> (Finished, u64) {
        let rest = std::mem::take(&mut self.rest);
        self.take(&rest, counts);
        let text = match self.previous {
            Some(previous) if self.current.is_blank() => previous,
            _ => self.current,
        };
        let total = text.total();
        (text.finish(counts), total)
    }
}

/// Returns the number of bytes at the end that backspaces may overwrite with what follows: the last character, or as many
/// characters as backspaces stand at the end, and before them what has overwritten others.
fn overwritten(bytes: &[u8]) -> usize {
    let mut end = bytes.len();
    loop {
        let backspaces = bytes[..end].iter().rev().take_while(|&&byte| byte == BACKSPACE).count();
        let before = &bytes[..end - backspaces];
        let mut begins = (0..before.len()).rev().filter(|&place| before[place] & 0xc0 != 0x80);
        let Some(begin) = begins.nth(backspaces.saturating_sub(1)) else { return 0 };
        end = begin;
        if end == 0 || bytes[end - 1] != BACKSPACE {
            return bytes.len() - end;
        }
    }
}

/// Returns the end of the last control sequence, and the beginning of an unfinished sequence or character.
fn last_text(bytes: &[u8]) -> (usize, usize) {
    let mut place = bytes.len().saturating_sub(SEQUENCE);
    while let Some(escape) = memchr::memchr(ESCAPE, &bytes[place..]) {
        let start = place + escape;
        let Some(length) = sequence_len(&bytes[start..]) else { return (place, start) };
        place = start + length;
    }
    (place, (bytes.len() - unfinished_character(bytes)).max(place))
}

/// Returns the number of bytes at the end that belong to an unfinished character.
fn unfinished_character(bytes: &[u8]) -> usize {
    let last = bytes.iter().rev().take(3).position(|byte| byte & 0xc0 == 0xc0);
    match last {
        Some(place) => {
            let lead = bytes[bytes.len() - 1 - place];
            let wanted = if lead >= 0xf0 {
                4
            } else if lead >= 0xe0 {
                3
            } else {
                2
            };
            if place + 1 < wanted && bytes[bytes.len() - place..].iter().all(|byte| byte & 0xc0 == 0x80) {
                place + 1
            } else {
                0
            }
        }
        None => 0,
    }
}

/// Returns the length of the sequence that bytes begin with; `None` if it goes on.
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
    use super::{Counts, Limits, LongLine};
    use crate::text::view::store::line::Body;

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
                let mut long = LongLine::new(Limits { head: line.len(), tail: 0 });
                let mut counts = Counts::default();
                line.chunks(block).for_each(|block| long.push(block, &mut counts));
                let (finished, total) = long.finish(&mut counts);
                let plain = plain_line(&line);
                assert_eq!(total, plain.len() as u64, "{unit:?}");
                assert!(matches!(finished.body, Body::Whole(text) if text == plain), "{unit:?}");
            }
        }
    }
}
