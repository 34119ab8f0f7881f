//! Compares the view of a stream in pieces with that of the whole stream, and checks its budget and its
//! account of every line.

#![no_main]

use agent_bash::text::view::{ExitKind, Source, View, ViewBuilder, ViewOptions, view};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: (u16, u8, Vec<Vec<u8>>)| {
    let (more, flags, pieces) = input;
    let max_bytes = 200 + usize::from(more);
    let options = ViewOptions {
        fold: flags & 1 == 0,
        footer: flags & 2 == 0,
        escape: flags & 4 != 0,
        head: if flags & 8 == 0 { max_bytes / 10 } else { max_bytes / 2 },
        tail: if flags & 16 == 0 { max_bytes / 7 } else { 0 },
        important: if flags & 32 == 0 { Vec::new() } else { vec!["a".to_owned(), "or: ".to_owned()] },
        ..ViewOptions::new(max_bytes)
    };
    let ending = if flags & 64 == 0 { ExitKind::Well } else { ExitKind::Failed };
    let source = if flags & 128 == 0 { Source::NotKept } else { Source::File("/tmp/the output's file") };
    let mut builder = ViewBuilder::new(&options);
    for piece in &pieces {
        builder.push(piece, None);
        assert!(builder.memory() <= 2 * 1024 * 1024 + 4 * max_bytes);
    }
    let result = builder.view(ending, &source);
    let bytes = pieces.concat();
    assert_eq!(result, view(&bytes, &options, ending, &source));
    assert!(result.text.len() <= max_bytes);
    assert_eq!(result.bytes, bytes.len() as u64);
    account(&result);
});

/// Checks that each line is shown or counted by one marker, and that the text has a line for each of these.
fn account(view: &View) {
    let mut ranges = view.shown.clone();
    ranges.extend(view.left_out.iter().map(|gap| (gap.from, gap.to)));
    ranges.sort_unstable();
    let end = ranges.iter().fold(0, |last, (from, to)| {
        assert_eq!(*from, last + 1);
        assert!(from <= to);
        *to
    });
    assert_eq!(end, view.lines);
    if !view.complete {
        let shown: u64 = view.shown.iter().map(|(from, to)| to - from + 1).sum();
        let lines = view.text.split('\n').count() as u64;
        let expected = shown + view.left_out.len() as u64;
        assert!(lines == expected || lines == expected + 1, "{lines} of {expected}");
    }
}
