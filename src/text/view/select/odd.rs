//! Finds words that stand out in a column: the one `Evicted` among hundreds of `Running`.
//!
//! Lines of one form are the rows of a table, and their words its columns. In a column of few different words, a rare word is
//! information, even if each line as a whole differs from all others (a table of names).

use crate::text::view::store::line::{Body, Line};

/// The fewest rows of a table.
const ROWS: usize = 40;

/// The most columns that are examined.
const COLUMNS: usize = 10;

/// The longest row (bytes).
const LONGEST: usize = 400;

/// The smallest share of the rows that the most frequent word of such a column has.
const COMMON: f64 = 0.6;

/// A word is odd if at most one row in this many has it.
const ONE_IN: usize = 200;

/// The score of a row whose word no other row has.
const ODD: f64 = 40.0;

/// Returns the score of each line for a word that stands out in its column.
pub(super) fn odd_words(lines: &[&Line]) -> Vec<f64> {
    let mut worth = vec![0.0; lines.len()];
    let mut rows: Vec<(u64, usize)> = (0..lines.len())
        .filter(|&index| row(lines[index]).is_some())
        .map(|index| (lines[index].shape.skeleton, index))
        .collect();
    rows.sort_unstable();
    for table in rows.chunk_by(|one, other| one.0 == other.0).filter(|table| table.len() >= ROWS) {
        for column in 0..COLUMNS {
            let mut words: Vec<(&str, usize)> = table
                .iter()
                .filter_map(|&(_, index)| Some((row(lines[index])?.split_whitespace().nth(column)?, index)))
                .collect();
            if words.len() < ROWS {
                break;
            }
            add_odd(&mut words, &mut worth);
        }
    }
    worth
}

/// Returns the text of a line that may be a row.
fn row(line: &Line) -> Option<&str> {
    match &line.body {
        Body::Whole(text) if text.len() <= LONGEST && !text.is_empty() => Some(text),
        _ => None,
    }
}

#[allow(clippy::cast_precision_loss, reason = "counts of rows")]
fn add_odd(words: &mut [(&str, usize)], worth: &mut [f64]) {
    words.sort_unstable();
    let count = words.len();
    let groups: Vec<&[(&str, usize)]> = words.chunk_by(|one, other| one.0 == other.0).collect();
    let most = groups.iter().map(|group| group.len()).max().unwrap_or(0);
    if (most as f64) < COMMON * count as f64 {
        return;
    }
    let is_odd = |group: &&&[(&str, usize)]| group.len() <= (count / ONE_IN).max(1);
    let odd: usize = groups.iter().filter(is_odd).map(|group| group.len()).sum();
    // The more odd words there are, the less each means.
    let each = ODD / (1.0 + (odd.max(1) as f64).log2());
    for group in groups.iter().filter(is_odd) {
        for &(_, index) in *group {
            worth[index] = worth[index].max(each);
        }
    }
}
