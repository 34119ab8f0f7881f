//! Runs of similar lines, of which only the first and the last are shown.

use crate::text::view::store::line::StoredLine;

/// The fewest lines in a run that is folded.
const MIN_FOLDED: u64 = 5;

/// The runs among lines.
#[derive(Default)]
pub(super) struct LineRuns {
    /// For each line, whether it is inside a run: neither its first nor its last line.
    pub(super) is_folded: Vec<bool>,
    /// For each line, whether it is inside a run and equals the line before: it adds nothing, whatever room
    /// there is.
    pub(super) is_repeated: Vec<bool>,
    /// The numbers of the first and of the last line of each run.
    ranges: Vec<(u64, u64)>,
}

impl LineRuns {
    pub(super) fn none(lines: &[&StoredLine]) -> Self {
        let none = vec![false; lines.len()];
        Self { is_folded: none.clone(), is_repeated: none, ranges: Vec::new() }
    }

    /// Finds the runs, including lines that are not kept: the store records where each run begins.
    ///
    /// A line with an odd word is in no run, although it has the template of the lines around it: `GET /a
    /// 500` among `GET /a 200`.
    pub(super) fn of(lines: &[&StoredLine], odd: &[f64]) -> Self {
        let mut runs = Self::none(lines);
        let mut start = 0;
        for index in 1..=lines.len() {
            let goes_on = |line: &&StoredLine| line.run_start <= lines[index - 1].number;
            if lines.get(index).is_some_and(goes_on) && odd[index - 1] == 0.0 && odd[index] == 0.0 {
                continue;
            }
            let (first, last) = (lines[start].number, lines[index - 1].number);
            if last - first + 1 >= MIN_FOLDED {
                for inner in start + 1..index - 1 {
                    runs.is_folded[inner] = true;
                    runs.is_repeated[inner] = lines[inner].body.is_text_of(&lines[inner - 1].body);
                }
                runs.ranges.push((first, last));
            }
            start = index;
        }
        runs
    }

    /// Returns whether one run contains all of these lines and begins before them.
    pub(super) fn has(&self, from: u64, to: u64) -> bool {
        let offset = self.ranges.partition_point(|(_, last)| *last < to);
        self.ranges.get(offset).is_some_and(|(first, last)| *first < from && to <= *last)
    }
}
