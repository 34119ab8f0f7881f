use proptest::prelude::*;

use super::{MIN_RUN_LIMIT, Piece, Ring};

fn ring_of(limit: usize, pushes: &[(char, &str)]) -> Ring<char> {
    let mut ring = Ring::new(limit);
    for (stream, text) in pushes {
        ring.push(*stream, text);
    }
    ring
}

fn piece(dropped: u64, cursor: u64, chunks: &[(char, &str)]) -> Piece<char> {
    let chunks = chunks.iter().map(|(stream, text)| (*stream, (*text).to_owned())).collect();
    Piece { dropped, cursor, chunks }
}

#[test]
fn memory_counts_the_text_and_stays_about_twice_the_limit() {
    let mut ring = Ring::new(1000);
    assert_eq!(ring.memory(), 0);
    ring.push("out", &"a".repeat(500));
    assert!(ring.memory() >= 500, "{}", ring.memory());
    for _ in 0..1000 {
        ring.push("out", &"a".repeat(99));
    }
    assert!((1000..4000).contains(&ring.memory()), "{}", ring.memory());
}

#[test]
fn consecutive_text_of_one_stream_is_one_chunk() {
    let ring = ring_of(10, &[('o', "a"), ('o', "b"), ('e', "c"), ('e', ""), ('o', ""), ('e', "d")]);
    assert_eq!(ring.read(0), piece(0, 4, &[('o', "ab"), ('e', "cd")]));
}

#[test]
fn reading_begins_at_the_cursor() {
    let ring = ring_of(10, &[('o', "abc"), ('e', "def")]);
    assert_eq!(ring.read(2), piece(0, 6, &[('o', "c"), ('e', "def")]));
    assert_eq!(ring.read(3), piece(0, 6, &[('e', "def")]));
    assert_eq!(ring.read(6), piece(0, 6, &[]));
}

#[test]
fn a_cursor_in_the_future_gives_nothing() {
    let ring = ring_of(10, &[('o', "abc")]);
    assert_eq!(ring.read(4), piece(0, 3, &[]));
    assert_eq!(ring.read(u64::MAX), piece(0, 3, &[]));
}

#[test]
fn an_empty_ring_is_empty() {
    assert_eq!(ring_of(10, &[]).read(0), piece(0, 0, &[]));
}

#[test]
fn text_over_the_limit_is_dropped_from_the_beginning() {
    let ring = ring_of(4, &[('o', "abc"), ('e', "def")]);
    assert_eq!(ring.read(0), piece(2, 6, &[('o', "c"), ('e', "def")]));
    assert_eq!(ring.read(1), piece(1, 6, &[('o', "c"), ('e', "def")]));
}

#[test]
fn a_text_that_fills_the_ring_replaces_the_older_text() {
    let ring = ring_of(4, &[('o', "abc"), ('e', "defg")]);
    assert_eq!(ring.read(0), piece(3, 7, &[('e', "defg")]));
}

#[test]
fn a_text_longer_than_the_limit_keeps_its_end() {
    let ring = ring_of(4, &[('o', "abc"), ('e', "defghijk")]);
    assert_eq!(ring.read(0), piece(7, 11, &[('e', "hijk")]));
}

#[test]
fn a_character_is_dropped_whole() {
    assert_eq!(ring_of(4, &[('o', "a🦀")]).read(0), piece(1, 5, &[('o', "🦀")]));
    assert_eq!(ring_of(4, &[('o', "🦀"), ('o', "b")]).read(0), piece(4, 5, &[('o', "b")]));
    assert_eq!(ring_of(4, &[('o', "a🦀b")]).read(0), piece(5, 6, &[('o', "b")]));
}

#[test]
fn a_character_larger_than_the_ring_is_dropped() {
    let ring = ring_of(3, &[('o', "ab"), ('o', "🦀")]);
    assert_eq!(ring.read(0), piece(6, 6, &[]));
}

#[test]
fn a_cursor_inside_a_character_begins_at_the_next_one() {
    let ring = ring_of(10, &[('o', "€"), ('e', "é")]);
    for since in 1..=3 {
        assert_eq!(ring.read(since), piece(3 - since, 5, &[('e', "é")]));
    }
    assert_eq!(ring.read(4), piece(1, 5, &[]));
}

#[test]
fn a_limit_of_zero_keeps_nothing_and_counts_all() {
    assert_eq!(ring_of(0, &[('o', "abc"), ('e', "")]).read(1), piece(2, 3, &[]));
}

#[test]
fn nothing_is_allocated_before_text_arrives() {
    let ring = ring_of(usize::MAX, &[('o', "")]);
    assert_eq!((ring.bytes.capacity(), ring.runs.capacity()), (0, 0));
}

#[test]
fn the_buffers_grow_to_the_limit_and_not_beyond_it() {
    let limit = 100_000;
    let mut ring = Ring::new(limit);
    for _ in 0..1_000 {
        ring.push('o', &"a".repeat(777));
        assert!(ring.bytes.capacity() <= limit);
    }
}

#[test]
fn runs_of_one_byte_take_bounded_memory() {
    let limit = 16 * 1024;
    let mut ring = Ring::new(limit);
    for _ in 0..limit {
        ring.push('o', "a");
        ring.push('e', "b");
        assert!(ring.runs.capacity() <= limit / 16 + MIN_RUN_LIMIT);
    }
    let piece = ring.read(0);
    assert_eq!(piece.chunks.len(), limit / 16 + MIN_RUN_LIMIT);
    assert_eq!(piece.chunks.last(), Some(&('e', "b".to_owned())));
    assert_eq!(piece.dropped + piece.chunks.len() as u64, piece.cursor);
}

#[test]
fn many_runs_in_a_small_ring_drop_only_the_oldest() {
    let mut ring = Ring::new(MIN_RUN_LIMIT);
    for _ in 0..1_000 {
        ring.push('o', "a");
        ring.push('e', "b");
    }
    assert_eq!(ring.read(0).chunks.len(), MIN_RUN_LIMIT);
}

#[test]
fn debug_does_not_show_the_text() {
    let ring = ring_of(4, &[('o', "secret")]);
    assert_eq!(format!("{ring:?}"), "Ring { limit: 4, start: 2, len: 4, .. }");
}

/// The reference implementation: keeps all text, character by character, and cuts it when it is read.
struct Model {
    limit: usize,
    characters: Vec<(char, char)>,
}

impl Model {
    fn read(&self, since: u64) -> Piece<char> {
        let cursor: u64 = self.characters.iter().map(|(_, character)| character.len_utf8() as u64).sum();
        let oldest = cursor.saturating_sub(self.limit as u64).max(since);
        let mut chunks: Vec<(char, String)> = Vec::new();
        let mut cursor_of_character = 0;
        let mut returned = 0;
        for (stream, character) in &self.characters {
            if cursor_of_character >= oldest {
                returned += character.len_utf8() as u64;
                match chunks.last_mut() {
                    Some((last, text)) if last == stream => text.push(*character),
                    _ => chunks.push((*stream, character.to_string())),
                }
            }
            cursor_of_character += character.len_utf8() as u64;
        }
        Piece { dropped: cursor.saturating_sub(since) - returned, cursor, chunks }
    }
}

fn pushes() -> impl Strategy<Value = Vec<(char, String)>> {
    prop::collection::vec((prop::sample::select(vec!['o', 'e']), "[abé€🦀]{0,12}"), 0..40)
}

#[test]
fn a_ring_of_bytes_cuts_characters() {
    let mut ring = Ring::of_bytes(4);
    ring.push_bytes('o', "a€".as_bytes());
    ring.push_bytes('e', &[0xff]);
    let chunks = vec![('o', "€".as_bytes().to_vec()), ('e', vec![0xff])];
    assert_eq!(ring.read_bytes(0), Piece { dropped: 1, cursor: 5, chunks });
    let chunks = vec![('o', vec![0xac]), ('e', vec![0xff])];
    assert_eq!(ring.read_bytes(3), Piece { dropped: 0, cursor: 5, chunks });
    ring.push_bytes('o', "€€".as_bytes());
    assert_eq!(ring.read_bytes(0).chunks, [('o', vec![0xac, 0xe2, 0x82, 0xac])]);
}

proptest! {
    #[test]
        fn reading_agrees_with_the_reference_implementation(pushes in pushes(), limit in 0..60_usize) {
        let mut ring = Ring::new(limit);
        let mut model = Model { limit, characters: Vec::new() };
        for (stream, text) in &pushes {
            ring.push(*stream, text);
            model.characters.extend(text.chars().map(|character| (*stream, character)));
            prop_assert!(ring.bytes.len() <= limit);
        }
        for since in 0..ring.cursor() + 3 {
            prop_assert_eq!(ring.read(since), model.read(since));
        }
    }

    #[test]
        fn dropped_and_returned_bytes_add_up(pushes in pushes(), limit in 0..60_usize) {
        let mut ring = Ring::new(limit);
        for (stream, text) in &pushes {
            ring.push(*stream, text);
        }
        for since in 0..=ring.cursor() {
            let piece = ring.read(since);
            let returned: usize = piece.chunks.iter().map(|(_, text)| text.len()).sum();
            prop_assert_eq!(piece.dropped + returned as u64, ring.cursor() - since);
        }
    }

    #[test]
    fn reading_on_from_the_last_cursor_misses_nothing(pushes in pushes()) {
        let mut ring = Ring::new(usize::MAX);
        let mut read = String::new();
        let mut cursor = 0;
        for (stream, text) in &pushes {
            ring.push(*stream, text);
            let piece = ring.read(cursor);
            cursor = piece.cursor;
            prop_assert_eq!(piece.dropped, 0);
            read.extend(piece.chunks.into_iter().map(|(_, text)| text));
        }
        let all: String = pushes.into_iter().map(|(_, text)| text).collect();
        prop_assert_eq!(read, all);
    }
}
