//! The limits and the vote that both searches for odd words in tables share: `store::columns` examines the
//! rows that pass by, `select::odd` the rows that are kept.

/// The most columns examined.
pub(super) const MAX_COLUMNS: usize = 10;

/// The longest row (bytes).
pub(super) const MAX_ROW: usize = 400;

/// A word is odd if at most one row in this many has it.
pub(super) const ONE_IN: u32 = 200;

/// Finds the value that more than half of a series have, if there is one.
///
/// The vote is that of Boyer and Moore: each other value cancels one occurrence of the leader.
#[derive(Clone, Copy, Debug)]
pub(super) struct Vote<T> {
    leader: Option<T>,
    lead: u32,
}

impl<T> Default for Vote<T> {
    fn default() -> Self {
        Self { leader: None, lead: 0 }
    }
}

impl<T: Copy + PartialEq> Vote<T> {
    /// Counts a value. Returns whether it is the leader.
    pub(super) fn count(&mut self, value: T) -> bool {
        if self.lead == 0 {
            self.leader = Some(value);
        }
        let leads = self.leader == Some(value);
        self.lead = if leads { self.lead.saturating_add(1) } else { self.lead - 1 };
        leads
    }

    /// Returns the value that more than half of the series have, or any value if none has that many.
    pub(super) const fn leader(&self) -> Option<T> {
        self.leader
    }

    /// Returns the number of occurrences of the leader that are not cancelled.
    pub(super) const fn lead(&self) -> u32 {
        self.lead
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::Vote;

    proptest! {
        #[test]
        fn the_value_of_more_than_half_of_a_series_leads(series in prop::collection::vec(0..4_u64, 1..60)) {
            let mut vote = Vote::default();
            for &value in &series {
                vote.count(value);
            }
            for value in 0..4 {
                let count = series.iter().filter(|&&other| other == value).count();
                if 2 * count > series.len() {
                    prop_assert_eq!(vote.leader(), Some(value));
                }
            }
        }
    }
}
