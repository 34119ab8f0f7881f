//! Compares the decoder, fed in arbitrary pieces, with the standard library on the whole stream.

#![no_main]

use agent_bash::text::Utf8Decoder;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: (Vec<u8>, Vec<u8>)| {
    let (bytes, lengths) = input;
    let mut decoder = Utf8Decoder::default();
    let mut text = String::new();
    let mut rest = bytes.as_slice();
    for length in lengths {
        let (piece, after) = rest.split_at(usize::from(length).min(rest.len()));
        let before = text.len();
        decoder.push(piece, &mut text);
        // The decoder holds back at most three bytes, and each other byte gives at most one U+FFFD.
        assert!(text.len() - before <= 3 * (piece.len() + 3));
        rest = after;
    }
    decoder.push(rest, &mut text);
    decoder.finish(&mut text);
    assert_eq!(text, String::from_utf8_lossy(&bytes));
    // A push after the end starts a new stream.
    let end = text.len();
    decoder.push(b"a", &mut text);
    assert_eq!(&text[end..], "a");
});
