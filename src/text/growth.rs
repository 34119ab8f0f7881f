//! How the buffers grow: with what arrives, and never beyond their limits.

/// How many elements a buffer with `len` of `capacity` elements in use is to reserve, exactly, for `more` elements.
///
/// It doubles, so that growing is amortised, but reserves nothing over `limit` that is not needed.
pub(super) fn growth(len: usize, capacity: usize, more: usize, limit: usize) -> usize {
    let needed = len + more;
    if needed <= capacity {
        return 0;
    }
    needed.max(capacity.saturating_mul(2).min(limit)) - len
}

#[cfg(test)]
mod tests {
    use super::growth;

    #[test]
    fn what_there_is_room_for_reserves_nothing() {
        assert_eq!(growth(3, 8, 5, 100), 0);
    }

    #[test]
    fn a_full_buffer_doubles() {
        assert_eq!(growth(8, 8, 1, 100), 8);
    }

    #[test]
    fn it_does_not_double_beyond_the_limit() {
        assert_eq!(growth(8, 8, 1, 12), 4);
    }

    #[test]
    fn much_at_once_gets_its_room_at_once() {
        assert_eq!(growth(8, 8, 50, 100), 50);
    }
}
