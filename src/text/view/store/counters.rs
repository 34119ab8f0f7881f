//! Counts the occurrences of keys in bounded memory.

use crate::text::view::class::Class;

/// The number of slots in a group: a key can be in any slot of its group.
const WAYS: usize = 4;

/// The number of groups in a page, and the number of pages.
///
/// A page takes memory once it has a key: clearing all pages for an output with a few kinds of lines would
/// take longer than counting its lines.
const GROUPS: usize = 64;
const PAGES: usize = 64;

/// The counters that lines and segments share.
#[derive(Clone, Debug, Default)]
pub(in crate::text::view) struct Counts {
    pub(in crate::text::view) templates: Counters,
    pub(in crate::text::view) skeletons: Counters,
    pub(in crate::text::view) lines: u64,
    pub(in crate::text::view) segments: u64,
}

/// Counts up to 16,384 keys.
///
/// A full group drops the key with the fewest and oldest occurrences. A dropped count only makes a line look
/// rarer than it is.
#[derive(Clone, Debug, Default)]
pub(in crate::text::view) struct Counters {
    pages: Vec<Option<Box<Page>>>,
    /// How often a key was new.
    distinct: u64,
}

type Page = [[Slot; WAYS]; GROUPS];

#[derive(Clone, Copy, Debug, Default)]
struct Slot {
    key: u64,
    count: u32,
    /// The time of the last occurrence: the upper bits of the number of the call.
    age: u16,
    class: Class,
}

/// The count of a key.
#[derive(Clone, Copy, Debug)]
pub(in crate::text::view) struct SeenLines {
    /// The number of occurrences, including this one.
    pub(in crate::text::view) count: u32,
    /// The class that was recorded with the key.
    pub(in crate::text::view) class: Class,
}

impl Counters {
    /// Counts a key. Calls `class` for the class to record with a new key.
    pub(in crate::text::view) fn count(
        &mut self,
        key: u64,
        now: u64,
        class: impl FnOnce() -> Class,
    ) -> SeenLines {
        if self.pages.is_empty() {
            self.pages = vec![None; PAGES];
        }
        let (page, group) = place_of(key);
        let page = self.pages[page].get_or_insert_with(|| Box::new([[Slot::default(); WAYS]; GROUPS]));
        #[allow(clippy::cast_possible_truncation, reason = "the age is modular")]
        let age = (now >> 10) as u16;
        let group = &mut page[group];
        if let Some(slot) = group.iter_mut().find(|slot| slot.key == key && slot.count > 0) {
            slot.count = slot.count.saturating_add(1);
            slot.age = age;
            return SeenLines { count: slot.count, class: slot.class };
        }
        self.distinct += 1;
        let class = class();
        // A single number per slot lets slots be compared without branches.
        let worth = |slot: &&mut Slot| slot.count.min(8) << 16 | u32::from(!age.wrapping_sub(slot.age));
        if let Some(slot) = group.iter_mut().min_by_key(worth) {
            *slot = Slot { key, count: 1, age, class };
        }
        SeenLines { count: 1, class }
    }

    /// Adds further occurrences of the key that was counted last.
    pub(in crate::text::view) fn count_more(&mut self, key: u64, now: u64, times: u64) {
        self.count(key, now, Class::default);
        let (page, group) = place_of(key);
        let Some(Some(page)) = self.pages.get_mut(page) else { return };
        if let Some(slot) = page[group].iter_mut().find(|slot| slot.key == key) {
            slot.count = slot.count.saturating_add(u32::try_from(times - 1).unwrap_or(u32::MAX));
        }
    }

    /// Returns the number of occurrences of a key, as far as it is known: at least 1.
    pub(in crate::text::view) fn get(&self, key: u64) -> u32 {
        let (page, group) = place_of(key);
        let Some(Some(page)) = self.pages.get(page) else { return 1 };
        page[group].iter().find(|slot| slot.key == key).map_or(1, |slot| slot.count.max(1))
    }

    /// Returns how often a key was new.
    pub(in crate::text::view) const fn distinct(&self) -> u64 {
        self.distinct
    }

    pub(in crate::text::view) fn memory(&self) -> usize {
        let pages = self.pages.iter().flatten().count();
        pages * size_of::<Page>() + self.pages.capacity() * size_of::<Option<Box<Page>>>()
    }
}

#[allow(clippy::cast_possible_truncation, reason = "the key is a hash")]
const fn place_of(key: u64) -> (usize, usize) {
    let group = key as usize % (PAGES * GROUPS);
    (group / GROUPS, group % GROUPS)
}

#[cfg(test)]
mod tests {
    use super::{Class, Counters, GROUPS, PAGES};

    #[test]
    fn keys_are_counted_and_keep_their_class() {
        let mut counters = Counters::default();
        assert_eq!(counters.count(7, 1, || Class::Failure).count, 1);
        let seen = counters.count(7, 2, || Class::None);
        assert_eq!((seen.count, seen.class, counters.get(7), counters.get(8)), (2, Class::Failure, 2, 1));
        assert_eq!(counters.distinct(), 1);
    }

    #[test]
    fn further_occurrences_are_added() {
        let mut counters = Counters::default();
        counters.count(7, 1, Class::default);
        counters.count_more(7, 6, 5);
        assert_eq!((counters.get(7), counters.distinct()), (6, 1));
    }

    #[test]
    fn of_keys_seen_equally_often_a_full_group_drops_the_oldest() {
        let mut counters = Counters::default();
        let key = |index: u64| 7 + index * (PAGES * GROUPS) as u64;
        for index in [2, 0, 1, 3] {
            counters.count(key(index), index << 10, Class::default);
            counters.count(key(index), index << 10, Class::default);
        }
        counters.count(key(4), 4 << 10, Class::default);
        assert_eq!([0, 1, 2, 3].map(|index| counters.get(key(index))), [1, 2, 2, 2]);
    }

    #[test]
    fn what_was_seen_often_stays_among_many_that_were_seen_once() {
        let mut counters = Counters::default();
        for round in 0..100 {
            counters.count(5, round, Class::default);
        }
        for key in 0..200_000_u64 {
            counters.count(key.wrapping_mul(0x9e37_79b9_7f4a_7c15), key, Class::default);
        }
        assert!(counters.get(5) >= 100);
        assert!(counters.memory() <= 300 * 1024);
    }
}
