//! Checks that a value is nowhere in a stream, however it is cut, and that everything else is unchanged.

#![no_main]

use std::sync::Arc;

use agent_bash::text::redact::{MaskStyle, RedactedStream, Redactor};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: (String, Vec<Vec<u8>>, Vec<bool>)| {
    let (value, pieces, has_value) = input;
    if !(6..=8192).contains(&value.len()) {
        return;
    }
    let Ok(redactor) = Redactor::new(&[("V".to_owned(), value.clone())], &[], true) else { return };
    let mut stream = RedactedStream::new(Arc::new(redactor), MaskStyle::Asterisks);
    let (mut whole, mut out) = (Vec::new(), Vec::new());
    for (index, piece) in pieces.iter().enumerate() {
        for part in [piece.as_slice(), value.as_bytes()] {
            if part == piece || has_value.get(index) == Some(&true) {
                whole.extend_from_slice(part);
                stream.push(part, &mut out);
            }
        }
    }
    stream.finish(&mut out);
    assert_eq!(out.len(), whole.len());
    assert!(out.iter().zip(&whole).all(|(new, old)| new == old || *new == b'*'));
    let is_stars = value.bytes().all(|byte| byte == b'*');
    assert!(is_stars || !out.windows(value.len()).any(|window| window == value.as_bytes()));
});
