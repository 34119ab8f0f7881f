//! Sizes buffers: they grow with the data that arrives, and never beyond their limits.

/// Returns how many elements to reserve, exactly, in a buffer that uses `len` of `capacity` elements and gets
/// `more`.
///
/// The capacity doubles, so that the cost of growing is amortized, but not beyond `limit` unless the elements
/// need it.
pub(super) fn growth(len: usize, capacity: usize, more: usize, limit: usize) -> usize {
    let needed = len + more;
    if needed <= capacity {
        return 0;
    }
    needed.max(capacity.saturating_mul(2).min(limit)) - len
}

/// Returns by how many elements to grow a full list whose reserved memory must stay small: an eighth.
pub(super) const fn step(len: usize) -> usize {
    len / 8 + 16
}

#[cfg(test)]
mod tests {
    use super::growth;

    #[test]
    fn elements_that_fit_reserve_nothing() {
        assert_eq!(growth(3, 8, 5, 100), 0);
    }

    #[test]
    fn a_full_buffer_doubles() {
        assert_eq!(growth(8, 8, 1, 100), 8);
    }

    #[test]
    fn doubling_stops_at_the_limit() {
        assert_eq!(growth(8, 8, 1, 12), 4);
    }

    #[test]
    fn a_large_addition_is_reserved_at_once() {
        assert_eq!(growth(8, 8, 50, 100), 50);
    }
}
