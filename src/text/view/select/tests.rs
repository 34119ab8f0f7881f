//! Tests which lines are selected.

use crate::text::view::{ExitKind, Source, View, ViewOptions, view};

fn selected(log: &str, max_bytes: usize) -> View {
    view(log.as_bytes(), &ViewOptions::new(max_bytes), ExitKind::Failed, &Source::NotKept)
}

fn has_line(view: &View, line: &str) -> bool {
    view.text.lines().any(|shown| shown == line)
}

#[test]
fn a_row_with_an_odd_number_is_shown_within_a_run_of_similar_rows() {
    let row = |number: u32| format!("node {number} has {} of 9 disks\n", if number == 321 { 7 } else { 9 });
    let log: String = (100..900).map(row).collect();
    let view = selected(&log, 1_000);
    assert!(has_line(&view, "node 321 has 7 of 9 disks"), "{}", view.text);
    // Line 222 is the odd one, so the lines after it are not similar to it.
    assert!(view.left_out.iter().all(|gap| gap.like != Some(222)), "{}", view.text);
}

#[test]
fn the_line_that_a_difference_announces_is_shown_even_if_it_is_frequent() {
    let passed =
        |number: u32| format!("Trying:\n    f{number}({number})\nExpecting:\n    {}\nok\n", 3 * number);
    let failed = "Failed example:\n    f143(143)\nExpected:\n    430\nGot:\n    429\n";
    let log: String =
        (0..200).map(|number| if number == 143 { failed.to_owned() } else { passed(number) }).collect();
    let view = selected(&log, 1_000);
    assert!(view.text.contains("\nGot:\n    429\n"), "{}", view.text);
}

#[test]
fn the_place_before_an_error_is_shown_rather_than_warnings() {
    const MARKS: [char; 10] = ['(', '[', '=', '+', '*', '/', ';', '?', '!', '%'];
    let line = |number: usize| match number {
        600 => {
            "  File \"bad.py\", line 1\n    def f(x)\n            ^\nSyntaxError: expected ':'\n".to_owned()
        }
        _ if number % 18 == 7 => {
            format!("    warned of {}{}{number}\n", MARKS[number / 18 % 10], MARKS[number / 180 % 10])
        }
        _ => format!("    'item {number}': read(item.x{}),\n", ["a", "b", "c"][number % 3]),
    };
    let log: String = (0..900).map(line).collect();
    let view = selected(&log, 800);
    assert!(has_line(&view, "  File \"bad.py\", line 1"), "{}", view.text);
}

#[test]
fn what_follows_a_failure_within_a_long_line_is_shown() {
    let record = |number: u32| match number {
        2000 => "{\"level\":\"error\",\"file\":\"m8.py\"},".to_owned(),
        _ => format!("{{\"level\":\"info\",\"file\":\"m{}.py\"}},", number % 9),
    };
    let log: String = (1000..3000).map(record).collect();
    let view = selected(&log, 1_000);
    assert!(view.text.contains("{\"level\":\"error\",\"file\":\"m8.py\"}"), "{}", view.text);
}

/// Returns a word that differs for each number.
fn name(number: u32) -> String {
    format!("{}x{}", ["ada", "bob", "cy", "di", "eve"][number as usize % 5], number * 7919 % 10_007)
        .replace(|digit: char| digit.is_ascii_digit(), "")
        + &"abcdefghij"[number as usize % 7..7 + number as usize % 4]
}

#[test]
fn a_row_that_begins_with_another_character_is_shown_whatever_the_forms_of_the_rows() {
    const MARKS: [&str; 6] = ["(", "[=", "+", "*/", "; ?", "! %"];
    for (usual, odd) in [(" ", "-"), ("ii ", "hi "), (" ", "+")] {
        let row = |number: u32| {
            let (mark, other) = (MARKS[number as usize / 6 % 6], MARKS[number as usize % 6]);
            let begin = if number == 411 { odd } else { usual };
            format!("{begin}{}{mark}{other}{}{mark} {}\n", name(number), name(number + 3), name(number + 9))
        };
        let log: String = (1..900).map(row).collect();
        let view = selected(&log, 1_000);
        assert!(has_line(&view, row(411).trim_end()), "{}", view.text);
    }
}

#[test]
fn the_message_of_a_failure_within_a_long_line_is_one_part() {
    let record = |number: u32| match number {
        2000 => "{\"state\":\"failed\",\"took\":5,\"why\":[\"TypeError: got { a: [ 1, 2, 3 ] } for \
                 { a: [ 1, 2, 4 ] }, at t52.js\"]},"
            .to_owned(),
        _ => format!("{{\"state\":\"passed\",\"took\":{number},\"why\":[]}},"),
    };
    let log: String = (1000..3000).map(record).collect();
    let view = selected(&log, 1_000);
    assert!(view.text.contains("got { a: [ 1, 2, 3 ] } for { a: [ 1, 2, 4 ] }"), "{}", view.text);
}
