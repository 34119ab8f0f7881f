//! Computes the score of each line: its own rank, or a part of the rank of a line near it.

use super::named::named_by_failures;
use crate::text::view::class::Class;
use crate::text::view::options::{ExitKind, ViewOptions};
use crate::text::view::store::Store;
use crate::text::view::store::line::{Body, StoredLine};
use crate::text::view::store::rank::ranks;

/// The part of an important line's rank that a line after it gets, by the number of lines between them.
const SHARES_AFTER: [f64; 4] = [0.62, 0.55, 0.48, 0.42];
const SHARES_BEFORE: [f64; 2] = [0.40, 0.30];

/// The part of the rank that a position in a file before the important line gets: Python writes it before the
/// error.
const PLACE_BEFORE: f64 = 0.50;

/// The part of the rank that the next line gets if the important line ends with a colon, which announces it.
const ANNOUNCED_SHARE: f64 = 0.90;

/// The part of the rank that lines further after the important one get, in case there is room.
const FAR_SHARE: f64 = 0.16;
const FAR_LINES: usize = 14;

/// The lowest rank of a line that passes a part of its rank on to the lines around it.
const MIN_SPREAD_RANK: f64 = 25.0;

pub(super) struct Scores {
    /// The rank of each line by itself.
    pub(super) ranks: Vec<f64>,
    /// The score of each line, with the parts of the lines around it.
    pub(super) scores: Vec<f64>,
}

impl Scores {
    pub(super) fn of(
        lines: &[&StoredLine],
        odd: &[f64],
        store: &Store,
        options: &ViewOptions,
        ending: ExitKind,
    ) -> Self {
        let mut ranks = ranks(lines.iter().copied(), &store.counts, ending);
        let add = |ranks: &mut [f64], worth: &[f64]| {
            ranks.iter_mut().zip(worth).for_each(|(rank, worth)| *rank += worth);
        };
        add(&mut ranks, odd);
        let named = named_by_failures(lines, &ranks);
        add(&mut ranks, &named);
        let mut scores = ranks.clone();
        for index in 0..ranks.len() {
            if ranks[index] >= MIN_SPREAD_RANK {
                spread(lines, store, options, &ranks, &mut scores, index);
            }
        }
        Self { ranks, scores }
    }
}

/// Passes a part of the rank of each line that matters on to the lines around it.
#[allow(clippy::needless_range_loop, reason = "two lists are read side by side")]
fn spread(
    lines: &[&StoredLine],
    store: &Store,
    options: &ViewOptions,
    ranks: &[f64],
    scores: &mut [f64],
    index: usize,
) {
    let line = lines[index];
    let is_frequent = |other: &StoredLine| {
        let count = u64::from(store.counts.templates.get(other.shape.template));
        other.class == Class::None && count > 8 && count * 20 > store.lines()
    };
    let matters = line.class >= Class::Likely || line.marks.important;
    let mut distance = 0;
    for other in index + 1..lines.len() {
        let is_next = lines[other].number - line.number == (other - index) as u64;
        if !is_next || distance >= FAR_LINES || (is_frequent(lines[other]) && !announces(lines[other - 1])) {
            break;
        }
        if lines[other].is_blank() {
            continue;
        }
        let part = match SHARES_AFTER.get(distance) {
            _ if distance >= options.after => FAR_SHARE,
            // A compiler writes the position of an error below the message.
            Some(_) if distance == 0 && (announces(line) || lines[other].class == Class::Place) => {
                ANNOUNCED_SHARE
            }
            part => part.copied().unwrap_or(FAR_SHARE),
        };
        let part = if matters { part } else { part * 0.5 };
        scores[other] = scores[other].max(ranks[index] * part);
        distance += 1;
    }
    let mut distance = 0;
    for other in (0..index).rev() {
        let is_next = line.number - lines[other].number == (index - other) as u64;
        // Headings are frequent in a list of findings, which has one for each file.
        let is_heading = distance == 0 && follows_blank(lines, other);
        if !is_next || distance >= options.before || (is_frequent(lines[other]) && !is_heading) {
            break;
        }
        if lines[other].is_blank() {
            continue;
        }
        let part = SHARES_BEFORE.get(distance).copied().unwrap_or(FAR_SHARE);
        let part = if lines[other].class == Class::Place { part.max(PLACE_BEFORE) } else { part };
        let part = if matters { part } else { part * 0.5 };
        scores[other] = scores[other].max(ranks[index] * part);
        // The mark under a column stands between the error and its position, and says nothing alone.
        if !is_pointer(lines[other]) {
            distance += 1;
        }
    }
}

/// Returns whether a line announces the next one and means nothing without it, as `Expected:` does.
fn announces(line: &StoredLine) -> bool {
    matches!(&line.body, Body::Whole(text) if line.class >= Class::Place && text.ends_with(':'))
}

/// Returns whether the line before is blank.
fn follows_blank(lines: &[&StoredLine], index: usize) -> bool {
    index > 0 && lines[index - 1].is_blank() && lines[index - 1].number + 1 == lines[index].number
}

/// Returns whether a line has only marks under a column: `    ^^^^`.
fn is_pointer(line: &StoredLine) -> bool {
    matches!(&line.body, Body::Whole(text) if text.trim_start().bytes().all(|byte| b"^~ ".contains(&byte)))
}

#[cfg(test)]
mod tests {
    use super::Scores;
    use crate::text::view::options::{ExitKind, ViewOptions};
    use crate::text::view::store::{Arrival, Store};

    #[test]
    fn the_line_that_a_failure_announces_has_nearly_its_score() {
        let options = ViewOptions::new(100_000);
        let mut store = Store::new(&options);
        for line in ["moved", "thread 7 panicked at lib.rs:3:", "the lease has ended", "note: stack"] {
            store.take(line, &Arrival { has_break: true, ..Arrival::default() });
        }
        let scores = Scores::of(&store.all(), &[0.0; 4], &store, &options, ExitKind::Failed).scores;
        assert!(scores[2] >= 0.85 * scores[1], "{scores:?}");
    }

    #[test]
    fn the_heading_above_a_failure_has_a_part_of_its_score_though_headings_are_frequent() {
        let options = ViewOptions::new(100_000);
        let mut store = Store::new(&options);
        for file in 0..100 {
            let finding = if file == 50 { "  4:1  error  Parsing error" } else { "  4:1  note  var" };
            for line in [format!("/src/{file}.js").as_str(), finding, ""] {
                store.take(line, &Arrival { has_break: true, ..Arrival::default() });
            }
        }
        let scores = Scores::of(&store.all(), &[0.0; 300], &store, &options, ExitKind::Failed).scores;
        assert!(scores[150] >= 0.35 * scores[151] && scores[151] > 40.0, "{:?}", &scores[147..153]);
    }
}
