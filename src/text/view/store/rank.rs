//! The ranks of lines.

use super::counters::Counts;
use super::line::StoredLine;
use crate::text::view::class::Class;
use crate::text::view::options::ExitKind;

/// The bonus of the first two failures of the output: the first error is the cause more often than the last.
const FIRST_BONUS: f64 = 30.0;

/// The bonus of a line from a stream with few lines.
const QUIET_BONUS: f64 = 25.0;

/// The bonus of a table row with a word that is rare in its column.
const ODD_BONUS: f64 = 25.0;

/// The largest bonus of a rare line: one for its words, one for its form.
const MAX_RARITY_BONUS: f64 = 40.0;
const RARITY_OF_FORM: f64 = 40.0;

/// The bonus of a line with one of the caller's texts; exceeds all other ranks.
const IMPORTANT_BONUS: f64 = 10_000.0;

/// The most candidates with one template: for lines in general, and for failures.
pub(super) const OF_ONE_KIND: u32 = 6;
pub(super) const FAILURES_OF_ONE_KIND: u32 = 40;

/// The largest number of similar lines at which a line is rare.
pub(super) const MAX_SIMILAR: u32 = 3;

/// Returns the rank of each of these lines, which must be in order.
pub(in crate::text::view) fn ranks<'a>(
    lines: impl Iterator<Item = &'a StoredLine>,
    counts: &Counts,
    ending: ExitKind,
) -> Vec<f64> {
    let repetition = Repetition::of(counts);
    let mut failures = 0;
    let rank = |line: &StoredLine| {
        if line.is_blank() || !may_matter(line, counts) {
            return 0.0;
        }
        let templates = counts.templates.get(line.shape.template);
        let skeletons = counts.skeletons.get(line.shape.skeleton);
        let (alike, same_form) = (f64::from(templates), f64::from(skeletons));
        let damping = 1.0 / (1.0 + 0.12 * alike.log2() + 0.22 * same_form.log2());
        // The first line represents all lines that are similar to it.
        let damping = if line.kth == 1 { damping.sqrt() } else { damping };
        let mut rank = weight(line, ending) * position(line.kth, skeletons) * damping;
        rank += repetition.rarity(alike, same_form);
        if line.class == Class::Failure {
            failures += 1;
            if failures <= 2 {
                rank += FIRST_BONUS;
            }
        }
        if line.marks.quiet {
            rank += QUIET_BONUS;
        }
        if line.marks.odd {
            rank += ODD_BONUS;
        }
        if line.marks.important {
            rank += IMPORTANT_BONUS;
        }
        rank
    };
    lines.map(rank).collect()
}

/// Returns whether a line may be worth showing when there is no room for all lines.
pub(super) fn may_matter(line: &StoredLine, counts: &Counts) -> bool {
    let marks = line.marks;
    if marks.important || marks.context || marks.quiet || marks.odd {
        return true;
    }
    let is_first = line.template_kth <= OF_ONE_KIND;
    match line.class {
        Class::Failure => line.template_kth <= FAILURES_OF_ONE_KIND,
        Class::BadSummary | Class::Likely | Class::Summary | Class::Warning | Class::Complaint
            if is_first =>
        {
            true
        }
        Class::Place if is_first && marks.near_failure => true,
        _ => {
            line.kth <= MAX_SIMILAR && counts.skeletons.get(line.shape.skeleton) <= MAX_SIMILAR
                || line.template_kth <= MAX_SIMILAR
                    && counts.templates.get(line.shape.template) <= MAX_SIMILAR
        }
    }
}

fn weight(line: &StoredLine, ending: ExitKind) -> f64 {
    let (failed, well) = match line.class {
        Class::Failure => (90.0, 90.0),
        Class::BadSummary => (80.0, 70.0),
        Class::Likely => (45.0, 30.0),
        Class::Place if line.marks.near_failure => (32.0, 20.0),
        Class::Place => (4.0, 4.0),
        Class::Complaint => (32.0, 20.0),
        Class::Warning => (12.0, 60.0),
        Class::Summary => (40.0, 45.0),
        Class::Word => (14.0, 6.0),
        Class::None => (0.0, 0.0),
    };
    if ending == ExitKind::Failed { failed } else { well }
}

/// Returns the weight of a line's position in its group: 1 for the first line, and more for the last line
/// than for those between.
fn position(kth: u32, all: u32) -> f64 {
    match kth {
        0 | 1 => 1.0,
        _ if kth == all => 0.75,
        _ => 0.9 / f64::from(kth + 1).log2(),
    }
}

/// The share of the output that repeats. If all lines are new, none is rare.
struct Repetition {
    lines: f64,
    templates: f64,
    skeletons: f64,
}

impl Repetition {
    #[allow(clippy::cast_precision_loss, reason = "shares need no more")]
    fn of(counts: &Counts) -> Self {
        let lines = counts.lines.max(2) as f64;
        let share = |distinct: u64| (1.0 - distinct as f64 / lines).max(0.0);
        Self {
            lines,
            templates: share(counts.templates.distinct()),
            skeletons: share(counts.skeletons.distinct()),
        }
    }

    fn rarity(&self, alike: f64, same_form: f64) -> f64 {
        let of = |count: f64| (self.lines / count).max(1.0).log2() / self.lines.log2();
        MAX_RARITY_BONUS * self.templates * of(alike) + RARITY_OF_FORM * self.skeletons * of(same_form)
    }
}

#[cfg(test)]
mod tests {
    use super::ranks;
    use crate::text::view::options::{ExitKind, ViewOptions};
    use crate::text::view::store::{Arrival, Store};

    /// Returns the ranks of lines after two failures, which take the bonus of the first failures.
    fn ranks_of(lines: impl Iterator<Item = String>) -> Vec<f64> {
        let mut store = Store::new(&ViewOptions::new(100_000));
        let first = ["error: a", "error: [b]"].map(str::to_owned);
        for line in first.into_iter().chain(lines) {
            store.take(&line, &Arrival { has_break: true, ..Arrival::default() });
        }
        ranks(store.all().into_iter(), &store.counts, ExitKind::Failed).split_off(2)
    }

    #[test]
    fn a_failure_ranks_no_lower_for_passes_of_its_form() {
        let result = |number| format!("{} {number} - merge", if number == 140 { "not ok" } else { "ok" });
        let ranks = ranks_of((0..200).map(result));
        assert!(ranks[140] >= 90.0, "{}", ranks[140]);
    }

    #[test]
    fn the_first_of_many_similar_failures_ranks_higher_than_the_next_ones() {
        let ranks = ranks_of((10..260).map(|number| format!("error: node {number} is gone")));
        assert!(ranks[0] > 40.0 && ranks[0] > 2.0 * ranks[1], "{:?}", &ranks[..2]);
    }
}
