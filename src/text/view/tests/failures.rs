//! Failures are shown.

use proptest::prelude::*;

use super::{check, failed, filler, selected, shows};
use crate::text::view::class::{Class, classify};
use crate::text::view::shape::shape_of;
use crate::text::view::{ExitKind, Source, ViewBuilder, ViewOptions, view};

/// Generates failures of several forms, many or few, some of them long, between lines that are no failures.
fn any_failures() -> impl Strategy<Value = String> {
    const FORMS: [&str; 6] = [
        "error: unit N is missing",
        "FATAL: [db] N; (it is gone)",
        "panic: index out of range <N>",
        "--- FAIL: TestOf/N (0.01s)",
        "Segmentation fault (core dumped) {N}",
        "main.c:N:3: error: 'x' undeclared",
    ];
    let block = (0..FORMS.len(), 1..120_usize, prop::bool::weighted(0.1), 0..60_usize);
    prop::collection::vec(block, 1..12).prop_map(|blocks| {
        let mut log = "start\n".to_owned();
        let mut number = 0;
        for (form, times, is_long, between) in blocks {
            for _ in 0..times {
                number += 1;
                let padding = if is_long { " and more of it".repeat(200) } else { String::new() };
                log.push_str(&format!("{}{padding}\n", FORMS[form].replace('N', &number.to_string())));
            }
            log.extend((0..between).map(|step| format!("step {step} is through\n")));
        }
        log
    })
}

/// Returns the numbers of the first and the last failure of each group.
fn groups_of_failures(log: &str) -> Vec<(u64, u64)> {
    let mut groups: Vec<(u64, u64, u64)> = Vec::new();
    for (line, number) in log.lines().zip(1..) {
        let beginning = &line[..line.len().min(60)];
        if classify(beginning) != Class::Failure {
            continue;
        }
        let skeleton = shape_of(beginning).skeleton;
        match groups.iter_mut().find(|group| group.0 == skeleton) {
            Some(group) => group.2 = number,
            None => groups.push((skeleton, number, number)),
        }
    }
    groups.into_iter().map(|(_, first, last)| (first, last)).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn the_first_and_the_last_failure_of_two_groups_are_shown(
        log in any_failures(), max_bytes in 1_000..8_000_usize,
    ) {
        let view = failed(log.as_bytes(), max_bytes);
        let groups = groups_of_failures(&log);
        let shows = |number| view.shown.iter().any(|(from, to)| (*from..=*to).contains(&number));
        let shown = groups.iter().filter(|(first, last)| shows(*first) && shows(*last)).count();
        prop_assert!(shown >= groups.len().min(2), "{shown} of {groups:?}\n{}", view.text);
    }

    #[test]
    fn both_ends_are_shown_whatever_their_length(
        head in 1..4_000_usize, tail in 1..4_000_usize, blank in "[ \n]{0,40}", max_bytes in 200..700_usize,
    ) {
        let middle = "get /items\n".repeat(300);
        let log = format!("{}\n{middle}{}\n{blank}", "head ".repeat(head), "tail ".repeat(tail));
        check(log.as_bytes(), &ViewOptions::new(max_bytes), &failed(log.as_bytes(), max_bytes));
    }
}

#[test]
fn the_last_line_is_shown_before_any_number_of_blank_ones() {
    for blank in ["\n".repeat(80_000), " \n\n".repeat(80_000), " ".repeat(9_000), " ".repeat(90_000)] {
        let log = format!("{}{blank}", "get /items\nput, then: all\n".repeat(2_500));
        let view = failed(log.as_bytes(), 300);
        assert!(view.shown.iter().any(|(from, to)| (*from..=*to).contains(&5_000)), "{}", view.text);
    }
}

#[test]
fn the_last_failure_of_a_group_is_shown_after_any_number_of_others() {
    let mut log = "start\n".to_owned();
    for form in ["error: unit N is missing", "panic: index out of range <N>"] {
        for number in 0..20_000_usize {
            log.push_str(&format!("{}\n", form.replace('N', &number.to_string())));
            log.push_str(&format!("read {number} of '{}' <{}>\n", ["a", "b"][number % 2], number % 7));
        }
        log.push_str(&"get /items\n".repeat(40));
    }
    let view = failed(log.as_bytes(), 1_000);
    for line in
        ["error: unit 0 is missing", "error: unit 19999 is missing", "panic: index out of range <19999>"]
    {
        assert!(view.text.contains(&format!("\n{line}\n")), "{}", view.text);
    }
}

#[test]
fn two_groups_of_failures_are_shown_of_any_number_of_groups() {
    let marks =
        |group: usize| format!("{}>", "<".repeat(group / 6) + &"|".repeat(1 + group % 6).replace('|', "|-"));
    for groups in [13, 40, 300] {
        let mut log = "start\n".to_owned();
        for number in 0..30_000 {
            log.push_str(&format!("error: {} {number}\n", marks(number * 7 % groups)));
        }
        let view = failed(log.as_bytes(), 1_000);
        let shows = |number| view.shown.iter().any(|(from, to)| (*from..=*to).contains(&number));
        let groups = groups_of_failures(&log);
        let both = groups.iter().filter(|(first, last)| shows(*first) && shows(*last)).count();
        assert!(both >= 2, "{both} of {}\n{}", groups.len(), view.text);
    }
}

#[test]
fn a_failure_at_the_end_of_a_long_line_is_shown_though_its_beginning_is_common() {
    let beginning = "copied a file to the other side, ".repeat(20);
    let log: String = (0..60).map(|number| format!("{beginning}and went on {number}\n")).collect();
    let log = log + &format!("{beginning}cp: error: disk full\n").repeat(2);
    for (before, number) in [(String::new(), 61), (filler(), 20_061)] {
        let log = before + &log + &filler();
        for max_bytes in [1_000, 16_000] {
            let view = failed(log.as_bytes(), max_bytes);
            assert!(shows(&view, number) && view.text.contains("cp: error: disk full"), "{}", view.text);
        }
    }
}

#[test]
fn the_first_failure_is_shown_beside_any_number_of_the_callers_texts() {
    let failure = "error: unit is missing\n";
    let mine = |number: usize| format!("{} mine {number}\n", "({".repeat(number % 97));
    let log: String = (0..500).map(mine).chain([failure.to_owned()]).chain((0..500).map(mine)).collect();
    let log = log + failure + &(0..30_000).map(mine).collect::<String>();
    let options = ViewOptions { important: vec!["mine".to_owned()], ..ViewOptions::new(1_000) };
    let view = view(log.as_bytes(), &options, ExitKind::Failed, &Source::NotKept);
    assert!(shows(&view, 501) && shows(&view, 1_002), "{}", view.text);
}

#[test]
fn the_line_before_a_failure_is_kept_with_it() {
    let mut log: String =
        (0..10).map(|number| format!("opened <box> {number}\n{}", "get /\nput /\n".repeat(99))).collect();
    log += &format!("opened <box> 99\nerror: unit is missing\n{}", filler());
    let view = failed(log.as_bytes(), 1_000);
    assert!(view.text.contains("\nopened <box> 99\nerror: unit is missing\n"), "{}", view.text);
}

#[test]
fn the_first_failure_that_is_left_out_is_named_though_it_was_dropped() {
    let failures: String = (0..300).map(|number| format!("error: unit {number} is missing\n")).collect();
    let log = filler() + &failures + &filler();
    let view = failed(log.as_bytes(), 16_000);
    let first = (20_001..20_301).find(|&number| !shows(&view, number)).expect("a failure is left out");
    let footer =
        format!(" lines look like failures, from line {first} on; the rest was not kept]").replace(',', "");
    assert!(view.text.replace(',', "").ends_with(&footer.replace(',', "")), "{footer}\n{}", view.text);
}

#[test]
fn a_group_whose_last_line_is_gone_is_none_of_the_two() {
    let failure = |number: usize| {
        let name = if number % 40 == 33 { "mine of a unit ".repeat(20) } else { "unit".to_owned() };
        format!("error: {}> {name} {number}\n", "<|".repeat(number % 40))
    };
    let mut log: String = (0..800).map(failure).collect();
    log.extend((0..10_000).map(|number| failure(number * 40 + 33)));
    log.extend(
        (0..20_000)
            .map(|number| format!("{} {number} {}\n", "({".repeat(number % 97), ";]".repeat(number % 89))),
    );
    let options = ViewOptions { important: vec!["mine".to_owned()], ..ViewOptions::new(1_000) };
    let view = view(log.as_bytes(), &options, ExitKind::Failed, &Source::NotKept);
    let shows = |number| view.shown.iter().any(|(from, to)| (*from..=*to).contains(&number));
    let both = groups_of_failures(&log).iter().filter(|(first, last)| shows(*first) && shows(*last)).count();
    assert!(both >= 2, "{}", view.text);
}

#[test]
fn failures_are_counted_beside_a_path_of_any_length() {
    let log: String = (0..500).map(|number| format!("error: step {number} failed\n")).collect();
    let path = format!("/tmp/{}", "folder/".repeat(40));
    for source in [Source::File(&path), Source::Beginning(&path, 9)] {
        let view = view(log.as_bytes(), &ViewOptions::new(1_000), ExitKind::Failed, &source);
        assert!(view.text.contains(" more lines look like failures, from line "), "{}", view.text);
    }
}

#[test]
fn a_long_failure_at_both_ends_leaves_a_view_within_its_budget() {
    let rest = "of a unit ".repeat(140);
    let log = format!("error: {rest}\n{}error: {rest}\n\n", "error: a unit is missing\n".repeat(120));
    for max_bytes in 200..420 {
        for footer in [false, true] {
            let options = ViewOptions { footer, ..ViewOptions::new(max_bytes) };
            let view = selected(log.as_bytes(), &options, ExitKind::Failed, &Source::NotKept);
            check(log.as_bytes(), &options, &view);
        }
    }
}

#[test]
fn a_gap_is_closed_only_where_its_lines_take_no_more_than_its_marker() {
    let log: String = (100..400)
        .map(|number| format!("error: unit {number} is missing\n{}{number}\n", "get, then put ".repeat(3)))
        .collect();
    for max_bytes in 300..500 {
        let options = ViewOptions { before: 0, after: 0, ..ViewOptions::new(max_bytes) };
        let view = selected(log.as_bytes(), &options, ExitKind::Failed, &Source::NotKept);
        check(log.as_bytes(), &options, &view);
    }
}

#[test]
fn the_view_of_the_output_so_far_equals_that_of_the_end() {
    let mut log = String::new();
    for number in 0..9_000 {
        log.push_str(&format!("{} <{number}>\n", "ab ".repeat(number * 7 % 31)));
        log.push_str(&" \n".repeat(number % 3));
    }
    for max_bytes in [200, 939, 4_000] {
        for end in ["", "the same\nthe same\nthe same\n", "no end"] {
            let log = format!("{log}{}", end.repeat(90));
            let mut builder = ViewBuilder::new(&ViewOptions::new(max_bytes));
            builder.push(log.as_bytes(), None);
            let so_far = builder.view(ExitKind::Failed, &Source::NotKept);
            assert_eq!(
                so_far,
                builder.finished().view(ExitKind::Failed, &Source::NotKept),
                "{max_bytes} {end}"
            );
        }
    }
}
