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
        let (whole, rest) = bytes.split_at(bytes.len() - unfinished(bytes));
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

/// Returns the number of bytes at the end that belong to an unfinished character or sequence.
fn unfinished(bytes: &[u8]) -> usize {
    let from = bytes.len().saturating_sub(SEQUENCE);
    if let Some(escape) = memchr::memrchr(0x1b, &bytes[from..]) {
        let sequence = &bytes[from + escape..];
        let is_open = match sequence.get(1) {
            None => true,
            Some(b'[') => !sequence[2..].iter().any(|byte| (0x40..0x7f).contains(byte)),
            Some(b']' | b'P' | b'_' | b'^' | b'X') => !sequence.contains(&0x07),
            Some(_) => false,
        };
        if is_open {
            return sequence.len();
        }
    }
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
