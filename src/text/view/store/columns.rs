//! Finds rows of a long table with a word that stands out in its column, while the rows pass by.
//!
//! In a table of names all rows differ, so no row is kept for its words alone. A row with the one `Evicted`
//! among thousands of `Running` is kept: its column has few different words. `select::odd` compares the kept
//! rows.

use super::line::{Body, StoredLine};
use crate::text::view::shape::hash_of;
use crate::text::view::table::{MAX_COLUMNS, MAX_ROW, ONE_IN, Vote};

/// The fewest rows of a table.
const MIN_ROWS: u32 = 100;

/// The number of words in a column that are counted besides the most frequent one.
const MAX_OTHERS: usize = 8;

/// The columns of the table that most lines belong to.
#[derive(Clone, Debug, Default)]
pub(super) struct Columns {
    /// The form of the rows.
    form: Vote<u64>,
    all: [Column; MAX_COLUMNS],
}

/// The words of a column, by their hashes.
#[derive(Clone, Copy, Debug, Default)]
struct Column {
    rows: u32,
    /// The word that most rows have.
    common: Vote<u64>,
    others: [(u64, u32); MAX_OTHERS],
    /// The number of rows with an odd word.
    odd: u32,
}

impl Columns {
    /// Counts a line. Returns whether it is a row with a word that stands out.
    pub(super) fn has_odd_word(&mut self, line: &StoredLine) -> bool {
        let Body::Whole(text) = &line.body else { return false };
        if text.len() > MAX_ROW || !self.is_row(line.shape.skeleton) {
            return false;
        }
        let mut is_odd = false;
        for (column, word) in self.all.iter_mut().zip(text.split_ascii_whitespace()) {
            is_odd |= column.is_odd(hash_of(word.as_bytes()));
        }
        is_odd
    }

    fn is_row(&mut self, skeleton: u64) -> bool {
        let before = self.form.leader();
        let is_row = self.form.count(skeleton);
        if self.form.leader() != before {
            self.all = Default::default();
        }
        is_row
    }
}

impl Column {
    /// Counts a word. Returns whether it stands out.
    fn is_odd(&mut self, word: u64) -> bool {
        self.rows = self.rows.saturating_add(1);
        if self.common.count(word) {
            return false;
        }
        let count = self.count_other(word);
        let is_odd = self.rows >= MIN_ROWS && count <= self.rows / ONE_IN + 1;
        self.odd += u32::from(is_odd);
        // In a column of names or numbers, most rows have an odd word.
        is_odd && self.odd <= self.rows / ONE_IN + 8 && self.common.lead() > self.rows / 5
    }

    /// Counts a word other than the most frequent one. A new word replaces the rarest one.
    fn count_other(&mut self, word: u64) -> u32 {
        let mut rarest = 0;
        for index in 0..MAX_OTHERS {
            let (other, count) = self.others[index];
            if other == word && count > 0 {
                self.others[index].1 = count.saturating_add(1);
                return count + 1;
            }
            if count < self.others[rarest].1 {
                rarest = index;
            }
        }
        self.others[rarest] = (word, 1);
        1
    }
}

#[cfg(test)]
mod tests {
    use super::{Columns, StoredLine};
    use crate::text::view::store::candidates::tests::row;

    /// Returns the numbers of the rows that have an odd word.
    fn odd(rows: impl Iterator<Item = String>) -> Vec<u64> {
        let mut columns = Columns::default();
        rows.zip(0..)
            .filter(|(text, number)| columns.has_odd_word(&row(*number, text)))
            .map(|(_, number)| number)
            .collect()
    }

    #[test]
    fn the_only_row_in_another_state_stands_out() {
        let state = |row| {
            if row == 700 {
                "Evicted"
            } else if row % 3 == 0 {
                "Completed"
            } else {
                "Running"
            }
        };
        assert_eq!(odd((0..2_000).map(|row| format!("name-{row} {}", state(row)))), [700]);
    }

    #[test]
    fn no_word_stands_out_among_words_that_all_differ() {
        assert_eq!(odd((0..2_000).map(|row| format!("name-{row} owner-{row}"))), Vec::<u64>::new());
    }

    #[test]
    fn a_frequent_word_stands_out_for_its_first_rows_at_most() {
        let state = |row| if row % 2_000 < 1_200 { "Running" } else { "Pending" };
        assert!(odd((0..20_000).map(|row| format!("name-{row} {}", state(row)))).len() < 20);
    }

    #[test]
    fn lines_of_other_forms_between_the_rows_do_not_matter() {
        let text = |row: u64| match row {
            700 => "name Evicted".to_owned(),
            _ if row.is_multiple_of(4) => format!("- {row}: ({row})"),
            _ => "name Running".to_owned(),
        };
        let mut columns = Columns::default();
        let odd: Vec<u64> = (0..2_000)
            .filter(|&number| {
                let line = row(number, &text(number));
                let shape = crate::text::view::shape::shape_of(&text(number));
                columns.has_odd_word(&StoredLine { shape, ..line })
            })
            .collect();
        assert_eq!(odd, [700]);
    }
}
