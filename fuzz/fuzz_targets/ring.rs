//! Compares the ring with all text that was pushed.

#![no_main]

use agent_bash::text::Ring;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: (u8, Vec<(bool, String)>, u16)| {
    let (limit, pushes, since) = input;
    let mut ring = Ring::new(limit.into());
    let mut all = String::new();
    for (stream, text) in &pushes {
        ring.push(*stream, text);
        all.push_str(text);
    }
    let since = u64::from(since);
    let piece = ring.read(since);
    assert_eq!((ring.cursor(), piece.cursor), (all.len() as u64, all.len() as u64));
    assert!(piece.chunks.windows(2).all(|pair| pair[0].0 != pair[1].0));
    assert!(piece.chunks.iter().all(|(_, text)| !text.is_empty()));
    let returned: String = piece.chunks.into_iter().map(|(_, text)| text).collect();
    assert!(all.ends_with(&returned) && returned.len() <= usize::from(limit));
    assert_eq!(piece.dropped + returned.len() as u64, piece.cursor.saturating_sub(since));
});
