//! The view of an output, as data.

use super::marker::LeftOut;

/// The view of an output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct View {
    /// The text, within the budget.
    pub text: String,
    pub lines: u64,
    /// The size of the output (bytes).
    pub bytes: u64,
    /// The ranges of shown lines: first and last.
    pub shown: Vec<(u64, u64)>,
    pub left_out: Vec<LeftOut>,
    pub complete: bool,
}

impl View {
    pub(in crate::text::view) fn whole(text: String, lines: u64, bytes: u64) -> Self {
        let shown = if lines == 0 { Vec::new() } else { vec![(1, lines)] };
        Self { text, lines, bytes, shown, left_out: Vec::new(), complete: true }
    }

    /// Returns the view of an output that fits and equals its plain form.
    pub(in crate::text::view) fn whole_text(bytes: &[u8]) -> Self {
        let breaks = memchr::memchr_iter(b'\n', bytes).count() as u64;
        let lines = breaks + u64::from(bytes.last().is_some_and(|&last| last != b'\n'));
        Self::whole(String::from_utf8_lossy(bytes).into_owned(), lines, bytes.len() as u64)
    }
}
