//! The order of what has a rank.

/// Sorts indexes by the ranks of what they stand for: the highest first, equal ranks in ascending order.
///
/// All orders by rank use this function. Each sort of a type of its own would add 6 kB of machine code.
pub(in crate::text::view) fn best_first(indexes: &mut [usize], ranks: &[f64]) {
    indexes.sort_unstable_by(|&one, &other| ranks[other].total_cmp(&ranks[one]).then(one.cmp(&other)));
}

#[cfg(test)]
mod tests {
    use super::best_first;

    #[test]
    fn the_highest_rank_comes_first() {
        let mut indexes = [0, 1, 2];
        best_first(&mut indexes, &[1.0, f64::INFINITY, 2.0]);
        assert_eq!(indexes, [1, 2, 0]);
    }

    #[test]
    fn equal_ranks_keep_the_order_of_the_output() {
        let mut indexes = [3, 1, 2, 0];
        best_first(&mut indexes, &[5.0, 5.0, 7.0, 5.0]);
        assert_eq!(indexes, [2, 0, 1, 3]);
    }
}
