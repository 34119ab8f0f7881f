//! Checks, by the allocator's count, that the memory of a view is bounded for any output.

#![allow(clippy::format_collect, reason = "a piece of a log is put together once")]

use agent_bash::text::view::{ExitKind, Source, ViewBuilder, ViewOptions};

#[global_allocator]
static ALLOCATOR: dhat::Alloc = dhat::Alloc;

/// A kind of output: its name, and a function that makes the piece with an index.
type Kind = (&'static str, fn(usize) -> String);

const KINDS: [Kind; 9] = [
    ("lines of new forms", |number| {
        (0..50)
            .map(|line| format!("{:x} {:o}: {number}-{:b}?\n", number * 77 + line, number, line * 3))
            .collect()
    }),
    ("failures of many groups", |number| {
        let marks = "({[<|>]})!?".chars().cycle().skip(number % 11).take(number % 37);
        format!("error: {}z {} failed\n", number, marks.collect::<String>()).repeat(9)
    }),
    ("long failures", |number| format!("error: {number} {}\n", "of a unit ".repeat(number % 900))),
    ("failures of many groups, each as long as a line is kept", |number| {
        format!("error: {} {number}\n", "({[<|>]})!?".chars().cycle().take(number % 17).collect::<String>())
            + &format!("panic: {number} {}\n", "of a unit ".repeat([3_700, 13_000][number % 2]))
    }),
    ("blank lines", |_| "\n \n".repeat(300)),
    ("a line without an end", |_| "x".repeat(7_000)),
    ("a record without an end", |number| {
        format!("{{\"k{number:x}\":{number},\"error\":\"no room\"}},").repeat(40)
    }),
    ("progress", |number| format!("{number} of many\r").repeat(90)),
    ("two lines in turns", |number| format!("get {number}\nput, then: all\n").repeat(90)),
];

/// Loads the memory that all views of a process share: the automaton of the class rules.
fn load() {
    memory_of(200, |number| format!("error: {number}\n"));
}

#[test]
fn a_view_takes_no_more_than_2_mib_and_4_times_its_budget() {
    load();
    for max_bytes in [200, 16_000, 300_000, 1024 * 1024] {
        // With the largest budget, only the kind of which the most is kept is tested: the others take long.
        let kinds = if max_bytes > 300_000 { &KINDS[..1] } else { &KINDS[..] };
        for (name, piece) in kinds {
            let most = memory_of(max_bytes, *piece);
            let bound = 2 * 1024 * 1024 + 4 * max_bytes;
            assert!(most <= bound, "{name}, {max_bytes}: {most} of {bound}");
        }
    }
}

/// Returns the peak memory of a view of 500 pieces, without the pieces (bytes).
fn memory_of(max_bytes: usize, piece: fn(usize) -> String) -> usize {
    let profiler = dhat::Profiler::builder().testing().build();
    let mut builder = ViewBuilder::new(&ViewOptions::new(max_bytes));
    let mut longest = 0;
    for number in 0..500 {
        let text = piece(number);
        longest = longest.max(2 * text.capacity());
        builder.push(text.as_bytes(), None);
    }
    assert!(builder.finished().view(ExitKind::Failed, &Source::NotKept).text.len() <= max_bytes);
    let most = dhat::HeapStats::get().max_bytes - longest;
    drop(profiler);
    most
}
