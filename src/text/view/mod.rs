//! The view of an output for a model: the lines that matter, within a budget of bytes, and exact counts of
//! the rest.
//!
//! The class of a line up to 512 bytes depends on its template alone (the line with numbers masked), so it is
//! computed once per template. Ranks come late, when a line leaves the ring of the latest lines: the counts
//! are more exact then. The literals of the classes are an NFA, because a DFA takes 2 ms and 1 MiB to build.
//! Of text that `\r` overwrites, the view shows the last state that is not blank; [`plain`](super::plain) has
//! what a terminal would show, which does not help a model.
//!
//! Read in this order: [`options`] (the caller's options), [`shape`] (recognizes similar lines), [`class`]
//! (classifies a line), [`store`] (keeps and ranks lines of a stream), [`table`] (what the searches for odd
//! words share), [`lines`] (bytes to lines in their plain form), [`minimize`] (lines of well-known programs
//! that are left out in any case), [`select`] (selects the lines that are shown), [`marker`] (the markers and
//! the footer). [`ViewBuilder`] takes the stream and returns the [`View`].

pub mod class;
mod lines;
mod marker;
pub mod minimize;
pub mod options;
mod order;
mod result;
mod select;
pub mod shape;
mod store;
mod table;
#[cfg(test)]
#[allow(
    clippy::format_push_string,
    clippy::format_collect,
    reason = "the logs of tests are put together once"
)]
mod tests;

use std::borrow::Cow;
use std::panic::{AssertUnwindSafe, catch_unwind};

pub(crate) use lines::long;
pub use lines::plain;
use lines::splitter::Splitter;
pub use marker::LeftOut;
pub use options::{ExitKind, JobPart, Source, ViewOptions};
pub use result::View;
pub(crate) use store::line::{prefix, push_gap, suffix};

use super::growth::growth;
use minimize::{Ranges, whole_view};

/// Builds a view of a stream, piece by piece. The view of the stream so far is available at any time.
///
/// A stream within the budget is kept unchanged, and nothing is computed. Beyond it, the memory is bounded by
/// 2 MiB + 4 × `max_bytes` for any stream and any length of lines, and the work is O(n).
///
/// ```
/// use agent_bash::text::view::{ExitKind, Source, ViewBuilder, ViewOptions};
///
/// let mut builder = ViewBuilder::new(&ViewOptions::new(400));
/// for number in 1..=1000 {
///     builder.push(format!("copied block {number}\n").as_bytes(), None);
///     if number == 600 {
///         builder.push(b"error: disk full\n", None);
///     }
/// }
/// let view = builder.view(ExitKind::Failed, &Source::NotKept);
/// assert!(view.text.contains("\nerror: disk full\n"));
/// assert!(view.text.len() <= 400);
/// assert_eq!(view.lines, 1001);
/// ```
#[derive(Clone, Debug)]
pub struct ViewBuilder {
    options: ViewOptions,
    /// The whole stream, while it fits into the budget.
    short: Vec<u8>,
    /// For each piece of `short`, its end and its stream.
    streams: Vec<(usize, Option<u8>)>,
    splitter: Option<Box<Splitter>>,
}

impl ViewBuilder {
    /// Creates an empty builder, which takes no memory.
    #[must_use]
    pub fn new(options: &ViewOptions) -> Self {
        Self { options: options.clone(), short: Vec::new(), streams: Vec::new(), splitter: None }
    }

    /// Adds the next bytes, of one of two streams (0 or 1) if they are separate.
    ///
    /// The result does not depend on where the pieces are cut, except that a line belongs to the stream of
    /// its first byte.
    pub fn push(&mut self, bytes: &[u8], stream: Option<u8>) {
        if bytes.is_empty() {
            return;
        }
        if self.splitter.is_none() && self.short.len() + bytes.len() <= self.options.max_bytes {
            let (len, capacity) = (self.short.len(), self.short.capacity());
            self.short.reserve_exact(growth(len, capacity, bytes.len(), self.options.max_bytes));
            self.short.extend_from_slice(bytes);
            let end = self.short.len();
            match self.streams.last_mut() {
                Some(last) if last.1 == stream => last.0 = end,
                _ => self.streams.push((end, stream)),
            }
            return;
        }
        if self.splitter.is_none() {
            self.splitter = Some(Box::new(self.split_short()));
            self.short = Vec::new();
            self.streams = Vec::new();
        }
        if let Some(splitter) = &mut self.splitter {
            splitter.push(bytes, stream);
        }
    }

    /// Returns the number of bytes so far.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.splitter.as_ref().map_or(self.short.len() as u64, |splitter| splitter.total())
    }

    /// Returns the approximate memory of the builder (bytes).
    #[must_use]
    pub fn memory(&self) -> usize {
        self.short.capacity() + self.splitter.as_ref().map_or(0, |splitter| splitter.memory())
    }

    /// Ends the stream: no more bytes may be added. The view of an ended stream needs no copy of the kept
    /// lines.
    #[must_use]
    pub fn finished(mut self) -> Self {
        if let Some(splitter) = &mut self.splitter {
            splitter.finish();
        }
        self
    }

    /// Returns the view of the stream so far, including an unfinished line. Changes nothing.
    #[must_use]
    pub fn view(&self, ending: ExitKind, source: &Source<'_>) -> View {
        let splitter = match &self.splitter {
            Some(splitter) => Cow::Borrowed(splitter.as_ref()),
            None if !self.may_minimize() && plain::is_plain_text(&self.short) => {
                return View::whole_text(&self.short);
            }
            None => Cow::Owned(self.split_short()),
        };
        let splitter = splitter.finished();
        let budget = self.options.max_bytes;
        let ranges = Ranges::of(&splitter.store, &self.options, ending, source);
        if let Some(view) = splitter.whole_view() {
            return whole_view(&splitter.store, &self.options, &ranges, source).unwrap_or(view);
        }
        let choose = || select::view(&splitter.store, &self.options, ending, source, ranges);
        match catch_unwind(AssertUnwindSafe(choose)) {
            Ok(view) if view.text.len() <= budget => view,
            // After a defect of the selection (a panic, or a view over its budget), the view is the plain
            // beginning and end.
            _ => select::ends(&splitter.store, &self.options, source),
        }
    }

    /// Returns whether lines may be left out although the stream fits into the budget.
    fn may_minimize(&self) -> bool {
        self.options.minimize.is_some() && self.short.len() as u64 >= minimize::MIN_BYTES
    }

    fn split_short(&self) -> Splitter {
        let mut splitter = Splitter::new(&self.options);
        let mut start = 0;
        for (end, stream) in &self.streams {
            splitter.push(&self.short[start..*end], *stream);
            start = *end;
        }
        splitter
    }
}

#[must_use]
pub fn view(bytes: &[u8], options: &ViewOptions, ending: ExitKind, source: &Source<'_>) -> View {
    let mut builder = ViewBuilder::new(options);
    builder.push(bytes, None);
    builder.finished().view(ending, source)
}
