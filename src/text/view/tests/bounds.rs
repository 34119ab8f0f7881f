//! Outputs of any size.

use super::{check, failed, shows};
use crate::text::view::{ExitKind, Source, ViewBuilder, ViewOptions, view};

#[test]
fn memory_is_bounded_whatever_comes() {
    let bound = |max_bytes: usize| 2 * 1024 * 1024 + 4 * max_bytes;
    for max_bytes in [200, 16_000, 300_000] {
        let unique =
            |number: u64| format!("{:x} {:o}: {number}-{:b}?\n", number * 77, number * 31, number * 3);
        let long = |number: u64| {
            if number.is_multiple_of(1_000) {
                return format!(
                    "error: {}> {}\n",
                    "<|".repeat((number / 1_000) as usize),
                    "a unit ".repeat(8_000)
                );
            }
            unique(number)
        };
        let kinds: [Box<dyn Fn(u64) -> String>; 7] = [
            Box::new(long),
            Box::new(unique),
            Box::new(|number| format!("error: {number:x}z failed\n")),
            Box::new(|_| "\n".to_owned()),
            Box::new(|_| "x".repeat(700)),
            Box::new(|number| format!("{{\"k{number:x}\":{number}}},")),
            Box::new(|number| format!("{number} of many\r")),
        ];
        for kind in kinds {
            let mut builder = ViewBuilder::new(&ViewOptions::new(max_bytes));
            for number in 0..40_000 {
                builder.push(kind(number).as_bytes(), None);
                if number % 1_000 == 0 {
                    let memory = builder.memory();
                    assert!(memory <= bound(max_bytes), "{memory} of {}", bound(max_bytes));
                }
            }
            assert!(builder.view(ExitKind::Failed, &Source::NotKept).text.len() <= max_bytes);
        }
    }
}

#[test]
fn equal_lines_in_any_number_are_accounted_for() {
    let runs = [("ok", 3_000), ("", 5_000), ("error: no room", 4_000), ("\u{1b}[31mx", 900), ("end", 1)];
    let stream: Vec<u8> =
        runs.iter().flat_map(|(line, times)| format!("{line}\n").repeat(*times).into_bytes()).collect();
    for max_bytes in [200, 700, 3_000] {
        let options = ViewOptions::new(max_bytes);
        let whole = view(&stream, &options, ExitKind::Failed, &Source::NotKept);
        check(&stream, &options, &whole);
        let mut builder = ViewBuilder::new(&options);
        for piece in stream.chunks(777) {
            builder.push(piece, None);
            assert!(builder.view(ExitKind::Failed, &Source::NotKept).text.len() <= max_bytes);
        }
        assert_eq!(builder.view(ExitKind::Failed, &Source::NotKept), whole);
    }
    let whole = ViewOptions::new(stream.len());
    check(&stream, &whole, &view(&stream, &whole, ExitKind::Well, &Source::NotKept));
}

#[test]
fn equal_failures_are_counted_however_many_there_are() {
    let log = "start\n".to_owned() + &"error: no room\n".repeat(100_000) + "end\n";
    let view = failed(log.as_bytes(), 800);
    let shown = view.text.matches("error: no room\n").count();
    let footer = view.text.lines().last().expect("a footer").replace(',', "");
    let first = (2..=100_001).find(|&number| !shows(&view, number)).expect("a failure is left out");
    let footer_of = |count| format!("; {count} more lines look like failures from line {first} on;");
    assert!(footer.contains(&footer_of(100_000 - shown)), "{footer}");
}

#[test]
fn a_run_at_the_beginning_is_folded_as_far_as_it_goes() {
    for (count, after) in [(10_000, 3), (10_000, 3_000), (400, 0)] {
        let mut log: String = (1..=count).map(|number| format!("copied block {number}\n")).collect();
        log.extend((0..after).map(|number| format!("{} went {number} well\n", ["a", "b", "c"][number % 3])));
        let view = failed(log.as_bytes(), 400);
        let gap = view.left_out.first().expect("a gap");
        assert!(view.text.starts_with(&format!("copied block 1\n{}\n", gap.marker())), "{}", view.text);
        // The room that other lines leave goes to the end of the run.
        assert!(gap.like == Some(1) && gap.to >= count - 20, "{}", view.text);
        assert!(view.text.contains(&format!("\ncopied block {count}\n")), "{}", view.text);
    }
}
