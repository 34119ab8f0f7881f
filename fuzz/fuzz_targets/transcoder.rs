//! Checks that the text, plain or not, does not depend on how the bytes are cut, and that `peek` returns what
//! `finish` returns.

#![no_main]

use agent_bash::text::Transcoder;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: (bool, Vec<Vec<u8>>)| {
    let (plain, pieces) = input;
    let mut transcoder = Transcoder::new(plain);
    let mut text = String::new();
    for piece in &pieces {
        transcoder.push(piece, &mut text);
    }
    let mut peeked = text.clone();
    transcoder.peek(&mut peeked);
    transcoder.finish(&mut text);
    assert_eq!(text, peeked);

    let whole = pieces.concat();
    let mut at_once = String::new();
    transcoder.push(&whole, &mut at_once);
    transcoder.finish(&mut at_once);
    assert_eq!(text, at_once);
    if plain {
        assert!(!text.chars().any(|c| c.is_control() && c != '\n' && c != '\t'));
    } else {
        assert_eq!(text, String::from_utf8_lossy(&whole));
    }
});
