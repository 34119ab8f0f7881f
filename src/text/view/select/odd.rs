//! Finds words that stand out in a column: the one `Evicted` among hundreds of `Running`.
//!
//! Lines of one form are the rows of a table, and their words its columns. In a column of few different
//! words, a rare word is information, even if each whole line differs from all others (a table of names). The
//! first characters of the lines form a column too.

use crate::text::view::store::line::{Body, StoredLine};
use crate::text::view::table::{MAX_COLUMNS, MAX_ROW, ONE_IN, Vote};

/// The fewest rows of a table.
const MIN_ROWS: usize = 40;

/// The smallest share of rows with the most frequent word that makes a column one of few different words.
const MIN_COMMON_SHARE: f64 = 0.6;

/// The score of a row whose word no other row has.
const ODD_SCORE: f64 = 40.0;

/// Returns the score of each line for a word that stands out in its column.
pub(super) fn odd_words(lines: &[&StoredLine]) -> Vec<f64> {
    let mut worth = vec![0.0; lines.len()];
    let mut rows: Vec<(u64, usize)> = (0..lines.len())
        .filter(|&index| row(lines[index]).is_some())
        .map(|index| (lines[index].shape.skeleton, index))
        .collect();
    rows.sort_unstable();
    for table in rows.chunk_by(|one, other| one.0 == other.0).filter(|table| table.len() >= MIN_ROWS) {
        let mut rows: Vec<_> = table
            .iter()
            .filter_map(|&(_, index)| Some((row(lines[index])?.split_whitespace(), index)))
            .collect();
        let mut column = Vec::with_capacity(rows.len());
        for _ in 0..MAX_COLUMNS {
            column.clear();
            rows.retain_mut(|(words, index)| {
                let word = words.next();
                column.extend(word.map(|word| (word, *index)));
                word.is_some()
            });
            if column.len() < MIN_ROWS {
                break;
            }
            add_odd(&column, &mut worth);
        }
    }
    // The first characters of all lines are one more column: `-` and `+` in a difference, or the state of a
    // package.
    let first = |&(_, index): &(u64, usize)| {
        let text = row(lines[index])?;
        Some((&text[..text.chars().next()?.len_utf8()], index))
    };
    let column: Vec<_> = rows.iter().filter_map(first).collect();
    if column.len() >= MIN_ROWS {
        add_odd(&column, &mut worth);
    }
    worth
}

/// Returns the text of a line that may be a row.
fn row(line: &StoredLine) -> Option<&str> {
    match &line.body {
        Body::Whole(text) if text.len() <= MAX_ROW && !text.is_empty() => Some(text),
        _ => None,
    }
}

#[allow(clippy::cast_precision_loss, reason = "counts of rows")]
fn add_odd(column: &[(&str, usize)], worth: &mut [f64]) {
    let mut common = Vote::default();
    for &(word, _) in column {
        common.count(word);
    }
    let Some(common) = common.leader() else { return };
    let mut others: Vec<(&str, usize)> = column.iter().copied().filter(|(word, _)| *word != common).collect();
    if ((column.len() - others.len()) as f64) < MIN_COMMON_SHARE * column.len() as f64 {
        return;
    }
    others.sort_unstable();
    let groups = || {
        let groups = others.chunk_by(|one, other| one.0 == other.0);
        groups.filter(|group| group.len() <= (column.len() / ONE_IN as usize).max(1))
    };
    let odd: usize = groups().map(<[_]>::len).sum();
    // Each odd word means less the more of them there are.
    let each = ODD_SCORE / (1.0 + (odd.max(1) as f64).log2());
    for &(_, index) in groups().flatten() {
        worth[index] = worth[index].max(each);
    }
}

#[cfg(test)]
mod tests {
    use super::{MIN_ROWS, ODD_SCORE, add_odd};

    /// Returns the scores of rows with these words.
    fn scores(words: &[&str]) -> Vec<f64> {
        let column: Vec<(&str, usize)> = words.iter().copied().zip(0..).collect();
        let mut worth = vec![0.0; words.len()];
        add_odd(&column, &mut worth);
        worth
    }

    #[test]
    fn a_word_of_one_row_stands_out_among_common_ones() {
        let words = [vec!["Evicted"], vec!["Running"; 200], vec!["Pending"; 39]].concat();
        let mut expected = vec![0.0; 240];
        expected[0] = ODD_SCORE;
        assert_eq!(scores(&words), expected);
    }

    #[test]
    fn each_of_two_odd_words_means_less() {
        let words = [vec!["Evicted"], vec!["Running"; 200], vec!["Unknown"]].concat();
        assert_eq!((scores(&words)[0], scores(&words)[201]), (ODD_SCORE / 2.0, ODD_SCORE / 2.0));
    }

    #[test]
    fn no_word_stands_out_where_none_is_common() {
        let words: Vec<String> = (0..MIN_ROWS).map(|row| row.to_string()).collect();
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        assert_eq!(scores(&words), vec![0.0; MIN_ROWS]);
    }
}
