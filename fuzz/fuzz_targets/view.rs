//! The view of a stream in pieces against that of the whole stream, its budget, and its account of every line.

#![no_main]

use agent_bash::text::view::{Ending, Source, ViewBuilder, ViewOptions, view};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: (u16, bool, Vec<Vec<u8>>)| {
    let (more, well, pieces) = input;
    let options = ViewOptions::new(200 + usize::from(more));
    let ending = if well { Ending::Well } else { Ending::Failed };
    let mut builder = ViewBuilder::new(&options);
    for piece in &pieces {
        builder.push(piece, None);
    }
    let result = builder.view(ending, &Source::NotKept);
    assert_eq!(result, view(&pieces.concat(), &options, ending, &Source::NotKept));
    assert!(result.text.len() <= options.max_bytes);
    let mut ranges = result.shown.clone();
    ranges.extend(result.left_out.iter().map(|gap| (gap.from, gap.to)));
    ranges.sort_unstable();
    let end = ranges.iter().fold(0, |last, (from, to)| {
        assert_eq!(*from, last + 1);
        *to
    });
    assert_eq!(end, result.lines);
});
