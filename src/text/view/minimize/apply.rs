//! Decides which ranges are left out, and makes the view of an output that fits into its budget.

use super::reason::Reasons;
use super::track::Range;
use super::{LineTracker, MIN_BYTES};
use crate::text::view::marker::{Detail, Footer, LeftOut, looks_like_marker};
use crate::text::view::options::{ExitKind, Source, ViewOptions};
use crate::text::view::result::View;
use crate::text::view::store::Store;

/// The ranges of lines that are left out, in order. No two touch.
#[derive(Clone, Debug, Default)]
pub(in crate::text::view) struct Ranges(Vec<LeftOut>);

impl Ranges {
    /// Returns the ranges for an output; none if they would save less than a tenth of it, or if nobody has
    /// the whole output.
    pub(in crate::text::view) fn of(
        store: &Store,
        options: &ViewOptions,
        ending: ExitKind,
        source: &Source<'_>,
    ) -> Self {
        let (Some(tracker), Some(minimizer)) = (&store.tracker, &options.minimize) else {
            return Self::default();
        };
        let is_kept = minimizer.has_source || matches!(source, Source::File(_));
        if !is_kept || matches!(source, Source::Job(_)) || store.total() < MIN_BYTES {
            return Self::default();
        }
        let (ranges, saved) = joined(tracker, ending, last_text(store));
        let plain = store.whole_text().map_or(store.total(), |whole| whole.len() as u64);
        if saved * 10 < plain { Self::default() } else { Self(ranges) }
    }

    pub(in crate::text::view) const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns whether a line is left out.
    pub(in crate::text::view) fn contains(&self, number: u64) -> bool {
        let index = self.0.partition_point(|range| range.to < number);
        self.0.get(index).is_some_and(|range| range.from <= number)
    }

    /// Returns the reasons for these lines, if they are one range.
    pub(in crate::text::view) fn reasons(&self, from: u64, to: u64) -> Option<Reasons> {
        let index = self.0.partition_point(|range| range.to < to);
        self.0.get(index).filter(|range| (range.from, range.to) == (from, to))?.reason
    }
}

/// Joins the recorded ranges that touch, leaves out those that are shorter than their markers, and returns
/// what the others save (bytes). `last` is the number and the offset of the last line, which stays.
fn joined(tracker: &LineTracker, ending: ExitKind, last: (u64, u64)) -> (Vec<LeftOut>, u64) {
    let holds = |range: &Range| {
        let is_allowed = ending == ExitKind::Well || range.reason.holds_after_failure();
        is_allowed && range.to - range.from + 1 >= range.reason.min_lines()
    };
    let mut groups: Vec<(LeftOut, u64)> = Vec::new();
    for range in tracker.ranges.iter().filter(|range| holds(range)) {
        let Some(Range { from, to, start, end, plain, reason }) = before_last(*range, last) else { break };
        match groups.last_mut() {
            Some((group, size)) if group.to + 1 == from => {
                (group.to, group.bytes) = (to, group.bytes + (end - start));
                group.reason = group.reason.map(|reasons| reasons.with(reason));
                *size += plain;
            }
            _ => {
                let reasons = Some(Reasons::default().with(reason));
                let group = LeftOut { from, to, bytes: end - start, like: None, reason: reasons };
                groups.push((group, plain));
            }
        }
    }
    let gain = |(group, plain): &(LeftOut, u64)| plain.checked_sub(group.marker_len() as u64 + 1);
    let saved = groups.iter().filter_map(gain).sum();
    (
        groups
            .into_iter()
            .filter(|group| gain(group).is_some_and(|gain| gain > 0))
            .map(|(group, _)| group)
            .collect(),
        saved,
    )
}

/// Returns a range without the last line and what follows it.
fn before_last(range: Range, (last, start): (u64, u64)) -> Option<Range> {
    if range.to < last {
        return Some(range);
    }
    let plain = range.plain.min(start.saturating_sub(range.start));
    (range.from < last).then_some(Range { to: last - 1, end: start, plain, ..range })
}

/// Returns the number and the offset of the last line that is not blank.
fn last_text(store: &Store) -> (u64, u64) {
    let lines = store.all();
    let last = lines.iter().rfind(|line| !line.is_blank());
    last.map_or((store.lines() + 1, store.total()), |line| (line.number, line.start))
}

/// Returns the minimized view of an output that fits into its budget; `None` if it stays whole.
pub(in crate::text::view) fn whole_view(
    store: &Store,
    options: &ViewOptions,
    ranges: &Ranges,
    source: &Source<'_>,
) -> Option<View> {
    let whole = store.whole_text()?;
    if ranges.is_empty() {
        return None;
    }
    let mut text = String::with_capacity(whole.len());
    let mut shown: Vec<(u64, u64)> = Vec::new();
    let mut gaps = ranges.0.iter().peekable();
    for (number, line) in (1..).zip(whole.strip_suffix('\n').unwrap_or(whole).split('\n')) {
        match gaps.peek() {
            Some(gap) if number > gap.from && number < gap.to => continue,
            Some(gap) if number >= gap.from => {
                if number == gap.from {
                    text.push_str(&gap.marker());
                    text.push('\n');
                }
                if number == gap.to {
                    gaps.next();
                }
                continue;
            }
            _ => {}
        }
        if options.escape && looks_like_marker(line) {
            text.push(' ');
        }
        text.push_str(line);
        text.push('\n');
        match shown.last_mut() {
            Some(range) if range.1 + 1 == number => range.1 = number,
            _ => shown.push((number, number)),
        }
    }
    if options.footer {
        let count = shown.iter().map(|(from, to)| to - from + 1).sum();
        text.push_str(&footer(store, count, source));
    } else {
        text.pop();
    }
    let is_worth = text.len() * 10 <= whole.len() * 9 && text.len() <= options.max_bytes;
    is_worth.then(|| View {
        text,
        lines: store.lines(),
        bytes: store.total(),
        shown,
        left_out: ranges.0.clone(),
        complete: false,
    })
}

fn footer(store: &Store, shown: u64, source: &Source<'_>) -> String {
    let detail = if matches!(source, Source::File(_)) { Detail::NoCommand } else { Detail::Short };
    Footer { lines: store.lines(), bytes: store.total(), shown, failures: None, source }.text(detail)
}
