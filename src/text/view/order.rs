//! Sorts by rank.

/// Sorts indexes by the ranks of the elements they refer to: the highest first, equal ranks in ascending
/// order.
///
/// All orders by rank share this function, because each sort of another type adds 6 kB of machine code.
pub(in crate::text::view) fn best_first(indexes: &mut [usize], ranks: &[f64]) {
    indexes.sort_unstable_by(|&one, &other| ranks[other].total_cmp(&ranks[one]).then(one.cmp(&other)));
}

/// Returns the indexes of all ranks, in the order of [`best_first`].
pub(in crate::text::view) fn ranking(ranks: &[f64]) -> Vec<usize> {
    let mut indexes: Vec<usize> = (0..ranks.len()).collect();
    best_first(&mut indexes, ranks);
    indexes
}

#[cfg(test)]
mod tests {
    use super::{best_first, ranking};

    #[test]
    fn the_highest_rank_comes_first() {
        assert_eq!(ranking(&[1.0, f64::INFINITY, 2.0]), [1, 2, 0]);
    }

    #[test]
    fn equal_ranks_keep_the_order_of_the_output() {
        let mut indexes = [3, 1, 2, 0];
        best_first(&mut indexes, &[5.0, 5.0, 7.0, 5.0]);
        assert_eq!(indexes, [2, 0, 1, 3]);
    }
}
