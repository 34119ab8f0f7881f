//! The guarantees of a view, for any input.

use proptest::prelude::*;

use super::class::{Class, classify};
use super::minimize::Ranges;
use super::plain::plain_line;
use super::shape::shape_of;
use super::{Ending, Source, View, ViewBuilder, ViewOptions, view};

/// Returns the plain forms of the lines of a short stream.
fn plain_lines(bytes: &[u8]) -> Vec<String> {
    let mut lines: Vec<String> =
        bytes.split(|&byte| byte == b'\n').map(|line| plain_line(line).into_owned()).collect();
    if bytes.is_empty() || bytes.ends_with(b"\n") {
        lines.pop();
    }
    lines
}

/// Returns the offsets at which lines begin, and the end of the last one.
fn starts(bytes: &[u8]) -> Vec<u64> {
    let mut starts = vec![0];
    starts.extend(memchr::memchr_iter(b'\n', bytes).map(|offset| offset as u64 + 1));
    if !bytes.ends_with(b"\n") {
        starts.push(bytes.len() as u64);
    }
    starts
}

/// Returns whether a line of the view is a line of the output, or parts of it in order with counts of the
/// rest.
fn is_of(shown: &str, line: &str) -> bool {
    if shown == line {
        return true;
    }
    let mut rest = line;
    let mut parts = shown.split("[… ");
    let Some(head) = parts.next() else { return false };
    let Some(after) = rest.strip_prefix(head) else { return false };
    rest = after;
    for part in parts {
        let Some((count, text)) = part.split_once(" …]") else { return false };
        let digits: String = count.chars().filter(char::is_ascii_digit).collect();
        let Ok(count) = digits.parse::<usize>() else { return false };
        let Some(after) = rest.get(count..).and_then(|rest| rest.strip_prefix(text)) else { return false };
        rest = after;
    }
    rest.is_empty()
}

/// Returns the selected view. A defect of the selection shows here, without the plain view that replaces it.
fn selected(bytes: &[u8], options: &ViewOptions, ending: Ending, source: &Source<'_>) -> View {
    let mut builder = ViewBuilder::new(options);
    builder.push(bytes, None);
    let splitter = match builder.splitter.take() {
        Some(splitter) => *splitter,
        None => builder.split_short(),
    };
    super::select::view(&splitter.finished().store, options, ending, source, Ranges::default())
}

fn check(bytes: &[u8], options: &ViewOptions, view: &View) {
    let lines = plain_lines(bytes);
    let plain_len: usize = lines.iter().map(|line| line.len() + 1).sum::<usize>()
        - usize::from(!bytes.is_empty() && !bytes.ends_with(b"\n"));
    assert!(view.text.len() <= options.max_bytes, "{} of {}", view.text.len(), options.max_bytes);
    assert_eq!((view.lines, view.bytes), (lines.len() as u64, bytes.len() as u64));
    assert_eq!(view.complete, plain_len <= options.max_bytes);
    if view.complete {
        let whole = lines.join("\n") + if bytes.ends_with(b"\n") { "\n" } else { "" };
        assert_eq!(view.text, whole);
        return;
    }
    account(bytes, &lines, view, options);
    let shows = |number: usize| view.shown.iter().any(|(from, to)| (*from..=*to).contains(&(number as u64)));
    assert!(shows(1), "the first line");
    let last = lines.iter().rposition(|line| !line.trim().is_empty());
    assert!(last.is_none_or(|last| shows(last + 1)), "the last line that is not blank");
}

/// Walks through the view: each line is shown, or lies in one marker whose counts are exact.
fn account(bytes: &[u8], lines: &[String], view: &View, options: &ViewOptions) {
    let line_of = |number: u64| &lines[usize::try_from(number).expect("small") - 1];
    let starts = starts(bytes);
    let mut text = view.text.split('\n');
    let mut shown = view.shown.iter().peekable();
    let mut left_out = view.left_out.iter().peekable();
    let mut number = 1;
    while number <= lines.len() as u64 {
        let line = text.next().expect("a line for each range");
        if let Some(gap) = left_out.next_if(|gap| gap.from == number) {
            assert_eq!(line, gap.marker());
            let size = starts[usize::try_from(gap.to).expect("small")]
                - starts[usize::try_from(number).expect("small") - 1];
            assert_eq!(gap.bytes, size);
            if let Some(like) = gap.like {
                let template = |number| shape_of(line_of(number)).template;
                assert!((gap.from..=gap.to).all(|number| template(number) == template(like)), "{line}");
            }
            number = gap.to + 1;
            continue;
        }
        let (from, to) = *shown.peek().expect("a line is shown or left out");
        assert!((*from..=*to).contains(&number), "{number} is in {from}-{to}");
        let is_escaped = options.escape && (line.starts_with(" [line") || line.starts_with(" [output"));
        let is_line = is_of(line, line_of(number)) || is_escaped && is_of(&line[1..], line_of(number));
        assert!(is_line, "{number}: {line:?}");
        assert!(!options.escape || !line.starts_with("[line") && !line.starts_with("[output"), "{line}");
        if number == *to {
            shown.next();
        }
        number += 1;
    }
    assert!(shown.next().is_none() && left_out.next().is_none());
    if options.footer
        && let Some(footer) = text.next()
    {
        assert!(footer.starts_with("[output: ") && footer.ends_with(']'), "{footer}");
    }
    assert_eq!(text.next(), None);
}

fn any_line() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        4 => "[a-z]{2,8} [0-9]{1,3} (ok|done|of) [a-z]{0,9}".prop_map(String::into_bytes),
        2 => "(error|warning|FAILED|note): [a-z ]{0,40}".prop_map(String::into_bytes),
        2 => prop::collection::vec(any::<u8>(), 0..60)
            .prop_map(|bytes| bytes.into_iter().filter(|&byte| byte != b'\n').collect()),
        1 => Just(Vec::new()),
        1 => "[ -~]{0,900}".prop_map(String::into_bytes),
        1 => "(\\[line [0-9]|\\[output: |[é€🦀\\t]{1,30})[a-z]{0,5}".prop_map(String::into_bytes),
        1 => "[0-9]{1,3}%\r[0-9]{1,3}%\r\u{1b}\\[Kdone".prop_map(String::into_bytes),
        1 => (1..3000_usize)
            .prop_map(|length| b"{\"a\":1,\"b\":[2,3],".iter().copied().cycle().take(length).collect()),
    ]
}

fn any_stream() -> impl Strategy<Value = Vec<u8>> {
    (prop::collection::vec((any_line(), 1..40_usize), 0..24), any::<bool>()).prop_map(|(lines, ends)| {
        let mut stream = Vec::new();
        for (line, times) in lines {
            for _ in 0..times {
                stream.extend_from_slice(&line);
                stream.push(b'\n');
            }
        }
        if !ends {
            stream.pop();
        }
        stream
    })
}

fn any_options() -> impl Strategy<Value = ViewOptions> {
    (200..6_000_usize, any::<[bool; 3]>(), 0..=50_usize, 0..=90_usize, prop::bool::weighted(0.2)).prop_map(
        |(max_bytes, [fold, footer, escape], head, tail, important)| ViewOptions {
            fold,
            footer,
            escape,
            head: max_bytes * head / 100,
            tail: max_bytes * tail / 100,
            important: if important { vec!["done".to_owned()] } else { Vec::new() },
            ..ViewOptions::new(max_bytes)
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn any_view_keeps_its_budget_and_accounts_for_every_line(
        stream in any_stream(), options in any_options(), well: bool,
    ) {
        let ending = if well { Ending::Well } else { Ending::Failed };
        for source in [Source::NotKept, Source::File("/tmp/a file"), Source::Beginning("/tmp/f", 7)] {
            let view = view(&stream, &options, ending, &source);
            check(&stream, &options, &view);
            if !view.complete {
                prop_assert_eq!(selected(&stream, &options, ending, &source), view);
            }
        }
    }

    #[test]
    fn the_pieces_in_which_a_stream_comes_change_nothing(
        stream in any_stream(),
        options in any_options(),
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..12),
    ) {
        let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut.index(stream.len() + 1)).collect();
        cuts.sort_unstable();
        let mut builder = ViewBuilder::new(&options);
        let mut start = 0;
        for cut in cuts {
            builder.push(&stream[start..cut], None);
            start = cut;
        }
        builder.push(&stream[start..], None);
        let whole = view(&stream, &options, Ending::Failed, &Source::NotKept);
        prop_assert_eq!(builder.view(Ending::Failed, &Source::NotKept), whole);
    }
}

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

/// Returns 20,000 lines of two kinds: more than the store keeps.
fn filler() -> String {
    (0..20_000).map(|number| format!("{} {number}\n", ["get, then", "put: all"][number % 2])).collect()
}

fn shows(view: &View, number: u64) -> bool {
    view.shown.iter().any(|(from, to)| (*from..=*to).contains(&number))
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
    let view = view(log.as_bytes(), &options, Ending::Failed, &Source::NotKept);
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
    let view = view(log.as_bytes(), &options, Ending::Failed, &Source::NotKept);
    let shows = |number| view.shown.iter().any(|(from, to)| (*from..=*to).contains(&number));
    let both = groups_of_failures(&log).iter().filter(|(first, last)| shows(*first) && shows(*last)).count();
    assert!(both >= 2, "{}", view.text);
}

#[test]
fn failures_are_counted_beside_a_path_of_any_length() {
    let log: String = (0..500).map(|number| format!("error: step {number} failed\n")).collect();
    let path = format!("/tmp/{}", "folder/".repeat(40));
    for source in [Source::File(&path), Source::Beginning(&path, 9)] {
        let view = view(log.as_bytes(), &ViewOptions::new(1_000), Ending::Failed, &source);
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
            let view = selected(log.as_bytes(), &options, Ending::Failed, &Source::NotKept);
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
        let view = selected(log.as_bytes(), &options, Ending::Failed, &Source::NotKept);
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
            let so_far = builder.view(Ending::Failed, &Source::NotKept);
            assert_eq!(
                so_far,
                builder.finished().view(Ending::Failed, &Source::NotKept),
                "{max_bytes} {end}"
            );
        }
    }
}

fn failed(bytes: &[u8], max_bytes: usize) -> View {
    let options = ViewOptions::new(max_bytes);
    let view = view(bytes, &options, Ending::Failed, &Source::NotKept);
    assert!(view.text.len() <= max_bytes);
    view
}

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
        let view = view(log.as_bytes(), &ViewOptions::new(600), Ending::Well, &Source::NotKept);
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
    let view = view(log.as_bytes(), &options, Ending::Failed, &Source::NotKept);
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
            &selected(log.as_bytes(), &options, Ending::Failed, &Source::NotKept),
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
    let view = view(log.as_bytes(), &options, Ending::Well, &Source::NotKept);
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
        let view = view(log.as_bytes(), &options, Ending::Failed, &Source::NotKept);
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
    let view = builder.view(Ending::Failed, &Source::NotKept);
    assert!(shows(&view, 1_502), "{}", view.text);
}

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
            assert!(builder.view(Ending::Failed, &Source::NotKept).text.len() <= max_bytes);
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
        let whole = view(&stream, &options, Ending::Failed, &Source::NotKept);
        check(&stream, &options, &whole);
        let mut builder = ViewBuilder::new(&options);
        for piece in stream.chunks(777) {
            builder.push(piece, None);
            assert!(builder.view(Ending::Failed, &Source::NotKept).text.len() <= max_bytes);
        }
        assert_eq!(builder.view(Ending::Failed, &Source::NotKept), whole);
    }
    let whole = ViewOptions::new(stream.len());
    check(&stream, &whole, &view(&stream, &whole, Ending::Well, &Source::NotKept));
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
