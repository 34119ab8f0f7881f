//! Compares the capture with a vector of the whole stream.

#![no_main]

use agent_bash::text::Capture;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: (u16, Vec<Vec<u8>>)| {
    let (limit, pieces) = input;
    let limit = usize::from(limit);
    let mut capture = Capture::new(limit);
    let mut whole = Vec::new();
    for piece in &pieces {
        capture.push(piece);
        whole.extend_from_slice(piece);
        let kept = &whole[..whole.len().min(limit)];
        assert_eq!(capture.kept(), kept);
        assert_eq!(capture.total(), whole.len() as u64);
        assert_eq!(capture.is_cut(), whole.len() > limit);
        assert_eq!(capture.text(), String::from_utf8_lossy(kept));
    }
});
