//! Compares an excerpt fed in pieces with an excerpt of the whole stream, and its counts and ends with the
//! stream itself.

#![no_main]

use agent_bash::text::{Cut, Excerpt, Keep, Shape};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: (u16, u8, Option<u16>, bool, Vec<Vec<u8>>)| {
    let (limit, keep, head, at_characters, pieces) = input;
    let shape = Shape {
        head: head.map(usize::from),
        cut: if at_characters { Cut::Character } else { Cut::Line },
        ..Shape::new(limit.into(), [Keep::Head, Keep::Tail, Keep::Both][usize::from(keep) % 3])
    };
    let mut excerpt = Excerpt::shaped(&shape);
    let mut stream = Vec::new();
    for piece in &pieces {
        excerpt.push(piece);
        stream.extend_from_slice(piece);
        let mut whole = Excerpt::shaped(&shape);
        whole.push(&stream);
        assert_eq!(excerpt.finish(), whole.finish());
    }
    let text = excerpt.finish();
    assert_eq!(excerpt.total(), stream.len() as u64);
    assert_eq!(text.truncated, stream.len() > shape.limit);
    let decoded = String::from_utf8_lossy(&stream);
    if !text.truncated {
        assert_eq!(text.text, decoded);
        return;
    }
    assert!(stream.len() as u64 - text.omitted_bytes <= shape.limit as u64);
    // The text of a cut stream is a prefix and a suffix of the whole text, each decoded by itself.
    let kept = excerpt.text_with(|_| String::new());
    let head = common(kept.chars(), decoded.chars());
    let tail = common(kept.chars().rev(), decoded.chars().rev());
    assert!(head + tail >= kept.chars().count());
});

fn common(one: impl Iterator<Item = char>, other: impl Iterator<Item = char>) -> usize {
    one.zip(other).take_while(|(one, other)| one == other).count()
}
