//! Finds control sequences that the parser does not know: soft resets, and some queries.

use std::sync::LazyLock;

use aho_corasick::AhoCorasick;

/// The meaning of a sequence that the parser does not know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unparsed {
    /// A soft reset (DECSTR). Programs send it without parameters (`rs2` and `is2` of terminfo).
    SoftReset,
    /// A query for the name and version of the terminal (XTVERSION).
    Version,
    /// A query for the position of the cursor (DECXCPR).
    Position,
    /// A query for the size of a cell.
    CellSize,
}

/// A sequence, its meaning, and the number of a private mode that no terminal has.
///
/// Setting that mode stands for the sequence: the parser then passes the sequence on in order, even while the
/// program holds changes back.
struct Sequence {
    bytes: &'static [u8],
    meaning: Unparsed,
    mode: u16,
    replacement: &'static [u8],
}

const SEQUENCES: [Sequence; 5] = [
    Sequence { bytes: b"\x1b[!p", meaning: Unparsed::SoftReset, mode: 60_111, replacement: b"\x1b[?60111h" },
    Sequence { bytes: b"\x1b[>q", meaning: Unparsed::Version, mode: 60_112, replacement: b"\x1b[?60112h" },
    Sequence { bytes: b"\x1b[>0q", meaning: Unparsed::Version, mode: 60_112, replacement: b"\x1b[?60112h" },
    Sequence { bytes: b"\x1b[?6n", meaning: Unparsed::Position, mode: 60_113, replacement: b"\x1b[?60113h" },
    Sequence { bytes: b"\x1b[16t", meaning: Unparsed::CellSize, mode: 60_114, replacement: b"\x1b[?60114h" },
];

static SEARCHER: LazyLock<Option<AhoCorasick>> =
    LazyLock::new(|| AhoCorasick::new(SEQUENCES.iter().map(|sequence| sequence.bytes)).ok());

/// Returns the meaning of the sequence that a private mode stands for.
pub(super) fn meaning_of(mode: u16) -> Option<Unparsed> {
    SEQUENCES.iter().find(|sequence| sequence.mode == mode).map(|sequence| sequence.meaning)
}

/// Passes bytes on, and adds a sequence that the grid understands after each one that the parser does not
/// know.
#[derive(Debug, Default)]
pub(super) struct UnparsedSequences {
    /// The end of the last piece, if it may begin a sequence.
    begun: Vec<u8>,
}

impl UnparsedSequences {
    /// Calls `pass` in order with each part of `bytes` that the parser should get.
    pub(super) fn push(&mut self, mut bytes: &[u8], mut pass: impl FnMut(&[u8])) {
        if !self.begun.is_empty() {
            let begun = std::mem::take(&mut self.begun);
            let rests = SEQUENCES.iter().filter_map(|sequence| {
                sequence.bytes.strip_prefix(begun.as_slice()).map(|rest| (rest, sequence.replacement))
            });
            for (rest, replacement) in rests {
                if let Some(after) = bytes.strip_prefix(rest) {
                    pass(rest);
                    pass(replacement);
                    bytes = after;
                    break;
                }
                if rest.starts_with(bytes) {
                    self.begun = [begun.as_slice(), bytes].concat();
                    return pass(bytes);
                }
            }
        }
        let mut passed = 0;
        for found in SEARCHER.iter().flat_map(|searcher| searcher.find_iter(bytes)) {
            pass(&bytes[passed..found.end()]);
            pass(SEQUENCES[found.pattern().as_usize()].replacement);
            passed = found.end();
        }
        let rest = &bytes[passed..];
        self.begun.extend_from_slice(begun_sequence(rest));
        pass(rest);
    }
}

/// Returns the end of a text that begins one of the sequences; empty if none begins there.
fn begun_sequence(bytes: &[u8]) -> &[u8] {
    let longest = SEQUENCES.iter().map(|sequence| sequence.bytes.len() - 1).max().unwrap_or_default();
    (1..=longest.min(bytes.len()))
        .rev()
        .map(|length| &bytes[bytes.len() - length..])
        .find(|end| SEQUENCES.iter().any(|sequence| sequence.bytes.starts_with(end)))
        .unwrap_or_default()
}
