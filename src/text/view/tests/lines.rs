//! The lines that are shown.

use super::{check, failed, filler, selected, shows};
use crate::text::view::{ExitKind, Source, ViewBuilder, ViewOptions, view};

#[test]
fn an_output_that_fits_is_whole() {
    let view = failed(b"one\n\x1b[31mtwo\x1b[0m\nthree", 200);
    assert_eq!((view.text.as_str(), view.complete, view.lines), ("one\ntwo\nthree", true, 3));
}

#[test]
fn an_output_with_colours_is_whole_up_to_the_last_byte_of_the_budget() {
    for lines in ["one line\n".repeat(30), "x".repeat(100_000)] {
        let log = "\x1b[1m".repeat(100) + &lines;
        let is_whole = |max_bytes| failed(log.as_bytes(), max_bytes).text == lines;
        assert!(is_whole(lines.len()) && !is_whole(lines.len() - 1));
    }
}

#[test]
fn a_very_long_line_between_equal_ones_is_accounted_for() {
    let log = "a line\n".repeat(9) + &"long ".repeat(20_000) + "\na line\na line\n";
    for max_bytes in [200, 1_000] {
        let options = ViewOptions::new(max_bytes);
        check(log.as_bytes(), &options, &failed(log.as_bytes(), max_bytes));
    }
}

#[test]
fn nothing_is_shown_of_nothing() {
    let view = failed(b"", 200);
    assert_eq!((view.text.as_str(), view.lines, view.shown.len()), ("", 0, 0));
}

#[test]
fn a_failure_in_the_middle_is_shown_with_what_follows() {
    let mut log = String::new();
    for number in 0..5_000 {
        log.push_str(&format!("compiled unit {number} in {} ms\n", number % 97));
        if number == 2_345 {
            log.push_str("main.c:12:3: error: 'x' undeclared\n   12 |   x = 1;\n      |   ^\n");
        }
    }
    let view = failed(log.as_bytes(), 1_000);
    assert!(view.text.contains("\nmain.c:12:3: error: 'x' undeclared\n   12 |   x = 1;\n"), "{}", view.text);
}

#[test]
fn a_line_of_another_kind_is_shown_without_any_keyword() {
    let mut log = String::new();
    for number in 0..20_000 {
        log.push_str(&format!("shard {number} written\nshard {number} read in {} ms\n", number % 9));
        if number == 12_345 {
            log.push_str("replica of shard 17 is older than its manifest\n");
        }
    }
    assert!(failed(log.as_bytes(), 800).text.contains("\nreplica of shard 17 is older than its manifest\n"));
}

#[test]
fn a_word_that_stands_out_in_its_column_is_shown_of_any_number_of_rows() {
    let name = |number: usize| -> String {
        format!("{number:o}").bytes().map(|digit| char::from(digit - b'0' + b'g')).collect()
    };
    for last in [1_500, 60_000] {
        let log: String = (512..last)
            .map(|number| {
                let state = if number == last * 2 / 3 { "Evicted" } else { "Running" };
                format!("shop  {}  {state}  {}d\n", name(number), number % 30)
            })
            .collect();
        let view = view(log.as_bytes(), &ViewOptions::new(600), ExitKind::Well, &Source::NotKept);
        assert!(view.text.contains("  Evicted  "), "{last} rows: {}", view.text);
    }
}

#[test]
fn a_line_that_names_what_a_failure_names_is_shown() {
    let name =
        |number: usize| format!("unit_{}.toml", char::from(b'a' + u8::try_from(number % 26).expect("small")));
    let log: String = (0..520)
        .map(|number| format!("read {number} bytes of {}\nkept {number} of them\n", name(number)))
        .collect();
    let named = format!("{log}error: {} has no section\n", name(17));
    let unnamed = format!("{log}error: it has no section\n");
    let needle = format!("\nread 17 bytes of {}\n", name(17));
    assert!(failed(named.as_bytes(), 500).text.contains(&needle));
    assert!(!failed(unnamed.as_bytes(), 500).text.contains(&needle));
}

#[test]
fn the_footer_counts_failures_that_are_left_out() {
    let log: String = (0..500).map(|number| format!("error: step {number} failed\n")).collect();
    let view = failed(log.as_bytes(), 600);
    assert!(view.text.contains(" more lines look like failures, from line "), "{}", view.text);
}

#[test]
fn what_matters_in_a_long_line_is_shown() {
    let mut line = "{\"rows\":[".to_owned();
    for number in 0..60_000 {
        let error = if number == 41_111 { "\"disk /dev/sdb offline\"" } else { "null" };
        line.push_str(&format!("{{\"id\":{number},\"error\":{error}}},"));
    }
    let view = failed(line.as_bytes(), 2_000);
    assert!(view.text.contains("\"error\":\"disk /dev/sdb offline\""), "{}", view.text);
    assert_eq!(view.lines, 1);
}

#[test]
fn a_line_that_is_alone_has_the_whole_budget() {
    let view = failed(&b"word ".repeat(48_000), 30_000);
    assert!(view.text.len() > 29_000, "{} bytes", view.text.len());
    assert!(view.text.contains("[output: 1 line, 240,000 bytes, 1 line shown"), "{}", &view.text[29_000..]);
}

#[test]
fn a_few_long_lines_share_what_is_left() {
    let view = failed(&[b"a ".repeat(30_000), b"b ".repeat(30_000)].join(&b'\n'), 30_000);
    assert!(view.text.len() > 29_000, "{} bytes", view.text.len());
}

#[test]
fn a_line_of_progress_only_is_its_last_state() {
    let progress: String = (0..200_000).map(|number| format!("{number} of 200000 blocks\r")).collect();
    let view = failed(progress.as_bytes(), 400);
    assert_eq!((view.text.as_str(), view.complete), ("199999 of 200000 blocks", true));
}

#[test]
fn a_run_of_lines_of_one_form_is_folded() {
    let mut log: String = (1..=40).map(|number| format!("get {number} of 40\n")).collect();
    log.push_str("done\n");
    let view = failed(log.as_bytes(), 300);
    assert!(view.text.contains(" lines like line "), "{}", view.text);
}

#[test]
fn equal_lines_are_shown_once_at_the_beginning_and_once_at_the_end() {
    for line in ["y\n", "\n", "Downloading the package\n"] {
        let view = failed(line.repeat(250_000).as_bytes(), 30_000);
        let lines: Vec<_> = view.text.lines().collect();
        assert!(lines.len() <= 4, "{} lines", lines.len());
        assert!(lines[1].contains(" lines like line 1, "), "{}", view.text);
        assert_eq!([lines[0], lines[2]], [line.trim_end(); 2]);
    }
}

#[test]
fn lines_between_equal_lines_are_shown() {
    let log = format!("{}one\n{}two\n{0}", "y\n".repeat(90_000), "z z\n".repeat(90_000));
    let view = failed(log.as_bytes(), 8_000);
    for line in ["\none\nz z\n", "\ntwo\ny\n"] {
        assert!(view.text.contains(line), "{}", view.text);
    }
    assert!(view.text.lines().count() < 40, "{}", view.text);
}

#[test]
fn texts_of_the_callers_rank_above_all_others() {
    let log: String = (0..2_000)
        .map(|number| {
            if number == 999 {
                "port 4711\n".to_owned()
            } else {
                format!("error: {number} bad\nerror {number}!\n")
            }
        })
        .collect();
    let options = ViewOptions { important: vec!["4711".to_owned()], ..ViewOptions::new(500) };
    let view = view(log.as_bytes(), &options, ExitKind::Failed, &Source::NotKept);
    assert!(view.text.contains("\nport 4711\n"), "{}", view.text);
}

#[test]
fn a_view_of_short_lines_is_never_longer_than_its_budget() {
    let log: String = (0..3_000).map(|number| format!("{}\n", ["x", "yz", "-"][number % 3])).collect();
    for max_bytes in 200..300 {
        let options = ViewOptions::new(max_bytes);
        check(
            log.as_bytes(),
            &options,
            &selected(log.as_bytes(), &options, ExitKind::Failed, &Source::NotKept),
        );
    }
}

#[test]
fn one_line_of_a_run_is_left_out_like_any_other_line() {
    let log: String =
        (0..40).map(|number| format!("{} {number}\n", ["get", "put"][number / 5 % 2])).collect();
    for max_bytes in 200..log.len() {
        let view = failed(log.as_bytes(), max_bytes);
        assert!(view.left_out.iter().all(|gap| gap.like.is_none() || gap.lines() > 1), "{}", view.text);
    }
}

#[test]
fn lines_that_may_be_a_message_are_not_folded() {
    let beginning = "a word ".repeat(80);
    let long = |number: usize| format!("{beginning}{}\n", "ab".repeat(number));
    let difference = |number: usize| format!("+ {number}\n");
    let summary = |number: usize| format!("Finished {number} tests\n");
    let lines: [&dyn Fn(usize) -> String; 3] = [&long, &difference, &summary];
    for line in lines {
        let run: String = (10..30).map(line).collect();
        let view = failed(format!("error: unit is missing\n{run}{}", filler()).as_bytes(), 8_000);
        assert!(view.left_out.iter().all(|gap| gap.from > 21 || gap.like.is_none()), "{}", view.text);
    }
}

#[test]
fn a_line_with_a_text_of_the_caller_is_shown_within_a_run() {
    let log: String = (0..5_000).map(|number| format!("copied block {number}.\n")).collect();
    let options = ViewOptions { important: vec!["block 7.".to_owned()], ..ViewOptions::new(600) };
    let view = view(log.as_bytes(), &options, ExitKind::Well, &Source::NotKept);
    assert!(view.text.contains("\ncopied block 7.\n"), "{}", view.text);
}

#[test]
fn the_beginning_of_a_very_long_line_ends_where_a_character_did_not_fit() {
    let log = "é".repeat(32 * 1024) + &"a, b; ".repeat(9_000) + "\nend\n";
    for max_bytes in [1_000, 1_001] {
        let options = ViewOptions::new(max_bytes);
        check(log.as_bytes(), &options, &failed(log.as_bytes(), max_bytes));
    }
}

#[test]
fn texts_of_the_callers_count_anywhere_in_a_very_long_line() {
    let options = ViewOptions { important: vec!["port 4711".to_owned()], ..ViewOptions::new(1_000) };
    for place in [0, 4_000, 8_000] {
        let words = |count| "all is as it was, ".repeat(count);
        let line = format!("{}port 4711, {}\n", words(place), words(8_000 - place));
        let log = filler() + &line + &"error: unit is missing\n".repeat(300) + &filler();
        let view = view(log.as_bytes(), &options, ExitKind::Failed, &Source::NotKept);
        assert!(view.text.contains("port 4711"), "{place}: {}", view.text);
    }
}

#[test]
fn a_difference_some_lines_after_a_failure_is_kept() {
    let other = |from: usize, count: usize| -> String {
        (from..from + count).map(|number| format!("{} {number}\n", ["get", "put"][number % 2])).collect()
    };
    let mut log: String = (0..4).map(|_| format!("+ 7 of <a unit>\n{}", other(0, 200))).collect();
    log += &format!("error: unit is missing\n{}+ 9 of <a unit>\n{}", other(0, 25), filler());
    let view = failed(log.as_bytes(), 1_000);
    assert!(view.text.contains("\n+ 9 of <a unit>\n"), "{}", view.text);
}

#[test]
fn a_quiet_stream_is_shown_beside_a_loud_one() {
    let mut builder = ViewBuilder::new(&ViewOptions::new(1_000));
    for number in 0..3_000 {
        builder.push(
            format!("the {} {number} went on as it should\n", ["cat", "dog", "owl"][number % 3]).as_bytes(),
            Some(0),
        );
        if number == 1_500 {
            builder.push(b"the owl 1500 went on as it should\n", Some(1));
        }
    }
    let view = builder.view(ExitKind::Failed, &Source::NotKept);
    assert!(shows(&view, 1_502), "{}", view.text);
}
