//! Redacts a stream, however it is cut into chunks.

use std::cmp::Reverse;
use std::sync::Arc;

use super::matcher::Undecided;
use super::rules::{MAX_KEY_LINE, end_of_key};
use super::shadow::Shadow;
use super::{Hit, Redactor, mark_of};

/// The beginning of a value that is replaced like the value where nothing follows: at the end of a stream,
/// and before a line break (bytes). A shorter one may be any word.
const MIN_BEGINNING: usize = 8;

/// The bytes of the beginning of a value that a terminal may show, since an echo must not wait (bytes).
const SHOWN_IN_TERMINAL: usize = 3;

/// The longest private key (bytes).
const MAX_KEY: usize = 64 * 1024;

/// The text in place of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MaskStyle {
    /// `[redacted:NAME]`.
    Named,
    /// An asterisk for each byte.
    Asterisks,
}

/// A stream that passes on what can't be, or become, part of a value.
#[derive(Debug)]
pub struct RedactedStream {
    redactor: Arc<Redactor>,
    style: MaskStyle,
    /// The text from the first place on that more text could decide.
    pending: Vec<u8>,
    shadow: Shadow,
    /// The part of the pending text that was passed on, or replaced.
    settled: usize,
    /// Whether the last settled byte was replaced.
    is_masked: bool,
    /// The bytes of a private key so far, inside of one.
    key: Option<usize>,
    hits: Vec<Hit>,
    found: Vec<Hit>,
}

/// The places up to which a text is decided.
#[derive(Clone, Copy, Debug)]
struct Decided {
    /// Bytes before this position are passed on.
    until: usize,
    /// Bytes before this position are not needed any more. At most `until`.
    forget: usize,
}

impl Decided {
    fn hold(&mut self, from: usize) {
        self.until = self.until.min(from);
        self.forget = self.forget.min(from);
    }
}

impl RedactedStream {
    #[must_use]
    pub fn new(redactor: Arc<Redactor>, style: MaskStyle) -> Self {
        Self {
            redactor,
            style,
            pending: Vec::new(),
            shadow: Shadow::default(),
            settled: 0,
            is_masked: false,
            key: None,
            hits: Vec::new(),
            found: Vec::new(),
        }
    }

    /// Searches from now on for the values of another redactor, also in the text that is held back.
    ///
    /// The new redactor should have the values of the old one too: the beginning of a value that it does not
    /// have is passed on.
    pub fn follow(&mut self, redactor: &Arc<Redactor>) {
        let needs_shadow = !redactor.wrapped.is_empty();
        if self.redactor.wrapped.is_empty() == needs_shadow {
            self.shadow = Shadow::default();
            if needs_shadow {
                self.shadow.push(&self.pending);
            }
        }
        self.redactor = Arc::clone(redactor);
    }

    /// Takes the next bytes, and appends to `out` what is decided.
    pub fn push(&mut self, bytes: &[u8], out: &mut Vec<u8>) {
        self.pending.extend_from_slice(bytes);
        if !self.redactor.wrapped.is_empty() {
            self.shadow.push(bytes);
        }
        self.advance(false, out);
    }

    /// Ends the stream.
    pub fn finish(&mut self, out: &mut Vec<u8>) {
        self.advance(true, out);
    }

    /// Returns whether a terminal could show more.
    #[must_use]
    pub const fn may_show(&self) -> bool {
        self.settled < SHOWN_IN_TERMINAL && self.settled < self.pending.len()
    }

    /// Appends the bytes that a terminal may show of an undecided value.
    pub fn show(&mut self, out: &mut Vec<u8>) {
        self.pass(self.pending.len().min(SHOWN_IN_TERMINAL), out);
    }

    fn advance(&mut self, is_final: bool, out: &mut Vec<u8>) {
        loop {
            if self.key.is_some() {
                self.skip_key(out);
                if self.key.is_some() {
                    return;
                }
            }
            let (mut decided, key) = self.search(is_final);
            let key = key.filter(|end| *end <= decided.until);
            if let Some(end) = key {
                decided = Decided { until: end, forget: end };
            }
            self.settle(decided.until, out);
            self.forget(decided.forget);
            if key.is_none() {
                return;
            }
            self.key = Some(0);
        }
    }

    /// Collects the hits in the pending text, in order. Returns how far it is decided, and the end of the
    /// first line of a private key.
    fn search(&mut self, is_final: bool) -> (Decided, Option<usize>) {
        let Self { redactor, pending, shadow, hits, found, .. } = self;
        let end = pending.len();
        let mut decided = Decided { until: end, forget: end };
        hits.clear();
        match redactor.values.scan(pending, is_final, found) {
            Some((start, name)) if is_final => hits.extend(beginning(start, end, name)),
            Some((start, _)) => decided.hold(start),
            None => {}
        }
        hits.append(found);
        if shadow.has_breaks() {
            let undecided = redactor.wrapped.scan(shadow.bytes(), is_final, found);
            let whole = |Hit { start, end, name }: Hit| Hit {
                start: shadow.place(start),
                end: shadow.place(end - 1) + 1,
                name,
            };
            hits.extend(found.drain(..).map(whole));
            hold_wrapped(undecided, shadow, is_final, &mut decided, |hit| hits.push(whole(hit)));
        }
        let detected = redactor.detectors.scan(pending, is_final, hits);
        if let Some(start) = detected.undecided {
            decided.hold(start);
        }
        hits.sort_unstable_by_key(|hit| (hit.start, Reverse(hit.end)));
        (decided, detected.key)
    }

    /// Passes the text before `until` on, and replaces the hits that begin there.
    fn settle(&mut self, until: usize, out: &mut Vec<u8>) {
        let hits = std::mem::take(&mut self.hits);
        for Hit { start, end, name } in &hits {
            if *start >= until {
                break;
            }
            if *end <= self.settled {
                continue;
            }
            self.pass(*start, out);
            // A hit that overlaps a replaced one has no mark of its own.
            let is_new = *start >= self.settled || !self.is_masked;
            match self.style {
                MaskStyle::Named if is_new => out.extend(mark_of(self.redactor.name(*name)).bytes()),
                MaskStyle::Named => {}
                MaskStyle::Asterisks => out.extend(std::iter::repeat_n(b'*', end - self.settled)),
            }
            self.settled = *end;
            self.is_masked = true;
        }
        self.hits = hits;
        self.pass(until, out);
    }

    /// Passes the text up to `until` on, as far as it is not settled.
    fn pass(&mut self, until: usize, out: &mut Vec<u8>) {
        if self.settled < until {
            out.extend_from_slice(&self.pending[self.settled..until]);
            self.settled = until;
            self.is_masked = false;
        }
    }

    fn forget(&mut self, count: usize) {
        self.pending.drain(..count);
        self.settled -= count;
        if !self.redactor.wrapped.is_empty() {
            self.shadow.cut(count);
        }
    }

    /// Replaces the bytes of a private key, and leaves the key at its end.
    fn skip_key(&mut self, out: &mut Vec<u8>) {
        let Some(before) = self.key else { return };
        let most = self.settled + (MAX_KEY - before).min(self.pending.len() - self.settled);
        let end = end_of_key(&self.pending[..most]);
        let skipped = end.unwrap_or(most).max(self.settled);
        if self.style == MaskStyle::Asterisks {
            out.extend(std::iter::repeat_n(b'*', skipped - self.settled));
        }
        let length = before + skipped - self.settled;
        self.settled = skipped;
        self.key = (end.is_none() && length < MAX_KEY).then_some(length);
        // The last line may have begun.
        let kept = if self.key.is_some() { MAX_KEY_LINE } else { 0 };
        self.forget(self.settled.saturating_sub(kept));
    }
}

/// Returns the hit of a value that has begun where the text ends.
fn beginning(start: usize, end: usize, name: u32) -> Option<Hit> {
    (end - start >= MIN_BEGINNING).then_some(Hit { start, end, name })
}

/// Holds back what may be the beginning of a wrapped value, or adds it to the hits of a final text. A short
/// beginning is remembered, but passed on: any line may end so.
fn hold_wrapped(
    undecided: Undecided,
    shadow: &Shadow,
    is_final: bool,
    decided: &mut Decided,
    add: impl FnOnce(Hit),
) {
    let Some((start, name)) = undecided else { return };
    let begun = beginning(start, shadow.bytes().len(), name);
    if is_final {
        if let Some(hit) = begun {
            add(hit);
        }
        return;
    }
    let place = shadow.place(start);
    if begun.is_some() {
        decided.hold(place);
    }
    decided.forget = decided.forget.min(place);
}
