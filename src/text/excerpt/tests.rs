use proptest::prelude::*;

use super::{Cut, Excerpt, ExcerptText, Keep, Marker, Shape};

fn excerpt_of(stream: &[u8], limit: usize, keep: Keep) -> Excerpt {
    let mut excerpt = Excerpt::new(limit, keep);
    excerpt.push(stream);
    excerpt
}

fn text_of(stream: &[u8], limit: usize, keep: Keep) -> String {
    excerpt_of(stream, limit, keep).text_with(|_| "|".to_owned())
}

fn shaped_text(stream: &[u8], shape: &Shape) -> String {
    let mut excerpt = Excerpt::shaped(shape);
    excerpt.push(stream);
    excerpt.finish().text
}

/// Returns a shape that cuts between characters and has a bar as its marker.
fn cut_at_characters(limit: usize, keep: Keep) -> Shape {
    Shape { cut: Cut::Character, marker: Some(Marker::new("|")), ..Shape::new(limit, keep) }
}

#[test]
fn a_stream_within_the_limit_is_whole_wherever_its_halves_meet() {
    for keep in [Keep::Head, Keep::Tail, Keep::Both] {
        let stream = "a\n€€\n🦀";
        let excerpt = excerpt_of(stream.as_bytes(), stream.len(), keep);
        assert!(!excerpt.is_cut());
        let whole = ExcerptText { text: stream.to_owned(), ..ExcerptText::default() };
        assert_eq!(excerpt.finish(), whole);
    }
}

#[test]
fn one_byte_over_the_limit_is_cut() {
    assert_eq!(text_of(b"abcdefghi", 8, Keep::Head), "abcdefgh|");
    assert_eq!(text_of(b"abcdefghi", 8, Keep::Tail), "|bcdefghi");
    assert_eq!(text_of(b"abcdefghi", 8, Keep::Both), "abcd|fghi");
}

#[test]
fn the_odd_byte_goes_to_the_tail() {
    assert_eq!(text_of(b"abcdefghi", 5, Keep::Both), "ab|ghi");
    assert_eq!(text_of(b"abcdefghi", 1, Keep::Both), "|i");
}

#[test]
fn a_limit_of_zero_keeps_nothing_and_counts_all() {
    for keep in [Keep::Head, Keep::Tail, Keep::Both] {
        let text = excerpt_of(b"a\nb", 0, keep).finish();
        assert_eq!(text.text, "[... 3 bytes (1 line) omitted ...]\n");
        assert_eq!((text.truncated, text.omitted_bytes, text.omitted_lines), (true, 3, 1));
    }
}

#[test]
fn an_empty_stream_is_empty() {
    for limit in [0, 8] {
        assert_eq!(Excerpt::new(limit, Keep::Both).finish(), ExcerptText::default());
    }
}

#[test]
fn the_default_marker_stands_on_a_line_of_its_own() {
    let stream = b"abcdefghij";
    let text = |keep| excerpt_of(stream, 4, keep).finish().text;
    assert_eq!(text(Keep::Head), "abcd\n[... 6 bytes of a line omitted ...]\n");
    assert_eq!(text(Keep::Tail), "[... 6 bytes of a line omitted ...]\nghij");
    assert_eq!(text(Keep::Both), "ab\n[... 6 bytes of a line omitted ...]\nij");
}

#[test]
fn the_default_marker_makes_no_empty_line_after_a_whole_line() {
    let text = excerpt_of(b"aaa\nbbb\nccc\nddd\n", 8, Keep::Both).finish().text;
    assert_eq!(text, "aaa\n[... 8 bytes (2 lines) omitted ...]\nddd\n");
}

#[test]
fn the_cut_moves_to_a_line_break_near_it() {
    // Bytes 6 and 7 are the last quarter of the head.
    assert_eq!(text_of(b"abcdef\nhijkl", 8, Keep::Head), "abcdef\n|");
    assert_eq!(text_of(b"abcde\nghijkl", 8, Keep::Head), "abcde\ngh|");
    // Bytes 0 and 1 are the first quarter of the tail.
    assert_eq!(text_of(b"abcde\nghijkl", 8, Keep::Tail), "|ghijkl");
    assert_eq!(text_of(b"abcdef\nhijkl", 8, Keep::Tail), "|ef\nhijkl");
}

#[test]
fn a_cut_between_characters_ignores_line_breaks() {
    let text = |keep| shaped_text(b"abcdef\nhijk\nlmnopq", &cut_at_characters(8, keep));
    assert_eq!(text(Keep::Head), "abcdef\nh|");
    assert_eq!(text(Keep::Tail), "|k\nlmnopq");
    assert_eq!(text(Keep::Both), "abcd|nopq");
}

#[test]
fn a_cut_between_characters_omits_a_split_character_whole() {
    for character in ["é", "€", "🦀"] {
        for length in 1..character.len() {
            let stream = format!("ab{character}yz");
            let text = |keep| shaped_text(stream.as_bytes(), &cut_at_characters(2 + length, keep));
            assert_eq!((text(Keep::Head), text(Keep::Tail)), ("ab|".to_owned(), "|yz".to_owned()));
        }
    }
}

#[test]
fn the_head_has_the_size_that_the_shape_asks_for() {
    let text =
        |head| shaped_text(b"abcdefghi", &Shape { head: Some(head), ..cut_at_characters(4, Keep::Both) });
    assert_eq!(text(0), "|fghi");
    assert_eq!(text(1), "a|ghi");
    assert_eq!(text(3), "abc|i");
    assert_eq!(text(4), "abcd|");
}

#[test]
fn a_head_larger_than_the_limit_takes_all_of_it() {
    let shape = Shape { head: Some(usize::MAX), ..cut_at_characters(4, Keep::Both) };
    assert_eq!(shaped_text(b"abcdefghi", &shape), "abcd|");
}

#[test]
fn the_size_of_the_head_counts_only_with_both_ends() {
    for (keep, text) in [(Keep::Head, "abcd|"), (Keep::Tail, "|fghi")] {
        let shape = Shape { head: Some(1), ..cut_at_characters(4, keep) };
        assert_eq!(shaped_text(b"abcdefghi", &shape), text);
    }
}

#[test]
fn a_custom_marker_gets_all_counts() {
    let marker = Some(Marker::new("<{bytes}, {lines}, {total}>"));
    let shape = Shape { marker, ..Shape::new(4, Keep::Both) };
    assert_eq!(shaped_text(b"ab\ncd\nef", &shape), "ab<4, 2, 8>ef");
}

#[test]
fn a_stream_within_the_limit_has_no_marker() {
    assert_eq!(shaped_text(b"abcd", &cut_at_characters(4, Keep::Both)), "abcd");
}

#[test]
fn a_tail_that_begins_a_line_is_not_cut_further() {
    assert_eq!(text_of(b"xyz\n\nbcdefgh", 8, Keep::Tail), "|\nbcdefgh");
}

#[test]
fn a_cut_inside_a_character_omits_it_whole() {
    for character in ["é", "€", "🦀"] {
        for length in 1..character.len() {
            let head = text_of(format!("ab{character}yz").as_bytes(), 2 + length, Keep::Head);
            assert_eq!(head, "ab|");
            let tail = text_of(format!("ab{character}yz").as_bytes(), 2 + length, Keep::Tail);
            assert_eq!(tail, "|yz");
        }
    }
}

#[test]
fn invalid_bytes_beside_a_cut_are_kept() {
    assert_eq!(text_of(b"abc\xffdef", 4, Keep::Head), "abc\u{fffd}|");
    assert_eq!(text_of(b"abc\x80def", 4, Keep::Tail), "|\u{fffd}def");
}

#[test]
fn a_chunk_larger_than_the_tail_replaces_it() {
    let mut excerpt = Excerpt::new(4, Keep::Tail);
    for chunk in ["ab", "cdefghij", "k", "lmnop"] {
        excerpt.push(chunk.as_bytes());
    }
    assert_eq!(excerpt.text_with(|_| String::new()), "mnop");
    assert_eq!(excerpt.total(), 16);
}

#[test]
fn the_text_can_be_read_while_the_stream_goes_on() {
    let mut excerpt = excerpt_of(b"ab", 2, Keep::Both);
    assert_eq!(excerpt.finish().text, "ab");
    excerpt.push(b"c");
    assert_eq!(excerpt.text_with(|omitted| omitted.bytes.to_string()), "a1c");
}

#[test]
fn nothing_is_allocated_before_bytes_arrive() {
    let mut excerpt = Excerpt::new(usize::MAX, Keep::Both);
    excerpt.push(b"");
    assert_eq!((excerpt.head.capacity(), excerpt.tail.capacity()), (0, 0));
}

#[test]
fn the_buffers_grow_to_the_limit_and_not_beyond_it() {
    for keep in [Keep::Head, Keep::Tail, Keep::Both] {
        let limit = 100_000;
        let mut excerpt = Excerpt::new(limit, keep);
        for _ in 0..1_000 {
            excerpt.push(&[b'a'; 777]);
            assert!(excerpt.head.capacity() + excerpt.tail.capacity() <= limit + 1);
        }
    }
}

/// Generates bytes with many line breaks and parts of characters.
fn tricky_bytes() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        any::<u8>().prop_map(|byte| vec![byte]),
        (0x80..=0xbf_u8).prop_map(|byte| vec![byte]),
        prop::sample::select(vec!["\n", "a", "é", "€", "🦀", "a line\n"])
            .prop_map(|text| text.as_bytes().to_vec()),
    ];
    prop::collection::vec(piece, 0..80).prop_map(|pieces| pieces.concat())
}

fn any_keep() -> impl Strategy<Value = Keep> {
    prop::sample::select(vec![Keep::Head, Keep::Tail, Keep::Both])
}

fn any_shape() -> impl Strategy<Value = Shape> {
    let head = prop::option::of(0..200_usize);
    let cut = prop::sample::select(vec![Cut::Line, Cut::Character]);
    (0..150_usize, any_keep(), head, cut).prop_map(|(limit, keep, head, cut)| Shape {
        head,
        cut,
        ..Shape::new(limit, keep)
    })
}

#[test]
fn bytes_are_cut_exactly_at_the_limit() {
    let stream = "ab\n€€\n🦀".as_bytes();
    for limit in 0..=stream.len() + 1 {
        let half = limit / 2;
        let cut = stream.len() > limit;
        let bytes = |keep| excerpt_of(stream, limit, keep).into_bytes();
        assert_eq!(bytes(Keep::Head), stream[..limit.min(stream.len())]);
        assert_eq!(bytes(Keep::Tail), stream[stream.len().saturating_sub(limit)..]);
        let both = [&stream[..half], &stream[stream.len().saturating_sub(limit - half)..]].concat();
        assert_eq!(bytes(Keep::Both), if cut { both } else { stream.to_vec() });
    }
}

proptest! {
    #[test]
    fn the_text_is_a_beginning_and_an_end_of_the_stream_and_the_counts_add_up(
        stream in tricky_bytes(),
        shape in any_shape(),
    ) {
        let limit = shape.limit;
        let mut excerpt = Excerpt::shaped(&shape);
        excerpt.push(&stream);
        let parts = excerpt.parts();
        let kept = parts.head.len() + parts.tail.len();
        prop_assert!(kept <= limit);
        prop_assert_eq!(excerpt.is_cut(), stream.len() > limit);

        let from = stream.len() - parts.tail.len();
        prop_assert_eq!((parts.head, &parts.tail[..]), (&stream[..parts.head.len()], &stream[from..]));
        let omitted = &stream[parts.head.len()..from];
        let text = excerpt.finish();
        prop_assert_eq!(text.truncated, !omitted.is_empty());
        prop_assert_eq!(text.omitted_bytes, omitted.len() as u64);
        prop_assert_eq!(text.omitted_lines, omitted.split(|byte| *byte == b'\n').count() as u64 - 1);
        prop_assert_eq!(text.omitted_bytes + kept as u64, excerpt.total());

                    // `encoding_rs` is the reference for the WHATWG rule.
        let whole = encoding_rs::UTF_8.decode_without_bom_handling(&stream).0;
        let head = String::from_utf8_lossy(parts.head);
        let tail = String::from_utf8_lossy(&parts.tail);
        prop_assert!(whole.starts_with(&*head));
        prop_assert!(whole.ends_with(&*tail));
        if text.truncated {
            prop_assert_eq!(excerpt.text_with(|_| String::new()), [&*head, &*tail].concat());
        } else {
            prop_assert_eq!(text.text, whole);
        }
    }

    #[test]
    fn a_cut_adds_no_replacement_character(
        text in "[a\né€🦀]{0,80}",
        shape in any_shape(),
    ) {
        prop_assert!(!shaped_text(text.as_bytes(), &shape).contains(char::REPLACEMENT_CHARACTER));
    }

    #[test]
    fn an_excerpt_of_ascii_that_is_cut_at_characters_has_exactly_the_limit(
        text in "[a\n]{0,80}",
        shape in any_shape(),
    ) {
        let marker = Some(Marker::new(""));
        let shape = Shape { cut: Cut::Character, marker, ..shape };
        prop_assert_eq!(shaped_text(text.as_bytes(), &shape).len(), text.len().min(shape.limit));
    }

    #[test]
            fn a_cut_at_characters_loses_at_most_three_bytes_on_each_side(
        stream in tricky_bytes(),
        shape in any_shape(),
    ) {
        let mut excerpt = Excerpt::shaped(&Shape { cut: Cut::Character, ..shape.clone() });
        excerpt.push(&stream);
        let parts = excerpt.parts();
        prop_assert!(parts.head.len() + parts.tail.len() + 6 >= stream.len().min(shape.limit));
    }

    #[test]
            fn a_cut_loses_at_most_a_quarter_or_three_bytes(
        stream in tricky_bytes(),
        limit in 0..150_usize,
        keep in any_keep(),
    ) {
        let excerpt = excerpt_of(&stream, limit, keep);
        let parts = excerpt.parts();
        let least = |limit: usize| limit - (limit / 4).max(3).min(limit);
        let floor = match keep {
            Keep::Both => least(limit / 2) + least(limit - limit / 2),
            Keep::Head | Keep::Tail => least(limit),
        };
        prop_assert!(parts.head.len() + parts.tail.len() >= floor.min(stream.len()));
    }

    #[test]
            fn the_chunks_of_the_stream_do_not_matter(
        chunks in prop::collection::vec(tricky_bytes(), 0..8),
        shape in any_shape(),
    ) {
        let mut excerpt = Excerpt::shaped(&shape);
        let mut whole = Vec::new();
        for chunk in &chunks {
            excerpt.push(chunk);
            whole.extend_from_slice(chunk);
                            // Reading the text must not change the excerpt.
            prop_assert_eq!(excerpt.finish().text, shaped_text(&whole, &shape));
        }
    }
}
