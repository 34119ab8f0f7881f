//! Tests which lines are left out.

use proptest::prelude::*;

use super::{Choice, Minimizer, Reasons};
use crate::text::view::{ExitKind, Source, View, ViewBuilder, ViewOptions, view};

fn words(line: &str) -> Vec<String> {
    line.split(' ').map(str::to_owned).collect()
}

fn options_for(command: &str, choice: &str, max_bytes: usize) -> ViewOptions {
    let choice: Choice = serde_json::from_str(choice).expect("a choice");
    let minimize = Minimizer::of(&[words(command)], &choice, true);
    ViewOptions { minimize, ..ViewOptions::new(max_bytes) }
}

fn minimized(command: &str, log: &str, ending: ExitKind) -> View {
    view(log.as_bytes(), &options_for(command, "{}", 16_000), ending, &Source::NotKept)
}

/// Returns lines of passed tests.
fn passed(from: u32, to: u32) -> String {
    (from..=to).map(|number| format!("test cases::case_{number} ... ok\n")).collect()
}

#[test]
fn passed_tests_are_left_out_with_an_exact_marker_and_the_reason() {
    let log = format!("running 90 tests\n{}test result: ok. 90 passed; 0 failed\n", passed(10, 99));
    let view = minimized("cargo test", &log, ExitKind::Well);
    assert_eq!(
        view.text,
        "running 90 tests\n[lines 2-91 left out: 90 lines, 2,430 bytes, passed tests]\n\
         test result: ok. 90 passed; 0 failed\n[output: 92 lines, 2,484 bytes, 2 lines shown]"
    );
    assert_eq!(view.left_out[0].reason.map(Reasons::text).as_deref(), Some("passed tests"));
    assert_eq!((view.shown, view.complete), (vec![(1, 1), (92, 92)], false));
}

#[test]
fn a_failure_stays_with_the_lines_around_it_and_its_indented_block() {
    let block: String = (0..9).map(|number| format!("    at step {number} ... ok\n\n")).collect();
    let failed = format!("test cases::bad ... FAILED\n{block}");
    let log = format!("running\n{}{failed}{}end\n", passed(10, 60), passed(61, 99));
    let view = minimized("cargo test", &log, ExitKind::Failed);
    let kept = format!("test cases::case_59 ... ok\ntest cases::case_60 ... ok\n{failed}");
    assert!(view.text.contains(&kept), "{}", view.text);
    assert!(!view.text.contains("case_58 ") && !view.text.contains("case_70 "), "{}", view.text);
}

#[test]
fn the_file_is_named_and_without_a_file_nothing_is_left_out() {
    let log = format!("running 90 tests\n{}done\n", passed(10, 99));
    let choice = Choice::default();
    let minimize = Minimizer::of(&[words("cargo test")], &choice, false);
    let options = ViewOptions { minimize, ..ViewOptions::new(16_000) };
    let of = |source: &Source<'_>| view(log.as_bytes(), &options, ExitKind::Well, source);
    assert_eq!(of(&Source::NotKept).text, log);
    assert_eq!(of(&Source::Beginning("/tmp/a", 9)).text, log);
    let text = of(&Source::File("/tmp/a b")).text;
    assert!(
        text.ends_with("\ndone\n[output: 92 lines, 2,452 bytes, 2 lines shown; whole: '/tmp/a b']"),
        "{text}"
    );
}

#[test]
fn short_outputs_and_small_savings_stay_whole() {
    let own: String = (0..90).map(|number| format!("{number} lines that no rule is about\n")).collect();
    for log in [
        format!("running\n{}end\n", passed(10, 30)),
        format!("{own}{}end\n", passed(10, 16)),
        (0..60).map(|number| format!("Compiling a v1.0.0\n{number}\n")).collect(),
    ] {
        assert_eq!(minimized("cargo test", &log, ExitKind::Well).text, log);
    }
}

#[test]
fn of_equal_lines_the_first_and_the_last_stay() {
    let log = format!("start\n{}ready\n", "waiting for the database\n".repeat(80));
    let view = minimized("./deploy.sh", &log, ExitKind::Well);
    assert!(
        view.text.starts_with(
            "start\nwaiting for the database\n[lines 3-80 left out: 78 lines, 1,950 bytes, repeated]\n\
             waiting for the database\nready\n"
        ),
        "{}",
        view.text
    );
}

#[test]
fn equal_lines_of_a_very_long_run_are_counted() {
    let log = format!("start\n{}ready\n", "waiting for the database\n".repeat(90_000));
    let view = minimized("./deploy.sh", &log, ExitKind::Well);
    assert!(
        view.text.contains("[lines 3-90000 left out: 89,998 lines, 2,249,950 bytes, repeated]"),
        "{}",
        view.text
    );
}

#[test]
fn notices_stay_after_a_failure_and_the_first_in_any_case() {
    let notice = |number| format!("npm warn deprecated left-pad@1.{number}.0: use something else instead\n");
    let log = format!("{}added 9 packages\n", (10..60).map(notice).collect::<String>());
    assert_eq!(minimized("npm ci", &log, ExitKind::Failed).text, log);
    let view = minimized("npm ci", &log, ExitKind::Well);
    assert!(
        view.text.starts_with(&format!("{}[lines 2-50 left out: 49 lines,", notice(10))),
        "{}",
        view.text
    );
}

#[test]
fn the_difference_of_a_lock_file_is_left_out_and_that_of_a_source_is_not() {
    let change = |file: &str| {
        let lines: String =
            (0..40).map(|number| format!("-    \"a{number}\": 1,\n+    \"a{number}\": 2,\n")).collect();
        format!("diff --git a/{file} b/{file}\n--- a/{file}\n+++ b/{file}\n@@ -1,9 +1,9 @@\n{lines}")
    };
    let log = format!("{}{}{}", change("src/a.json"), change("package-lock.json"), change("src/b.json"));
    let view = minimized("git diff", &log, ExitKind::Well);
    assert_eq!(view.left_out.len(), 1);
    let head = "diff --git a/package-lock.json b/package-lock.json\n[lines 86-168 left out: 83 lines,";
    assert!(view.text.contains(head), "{}", view.text);
    assert!(view.text.contains(&change("src/b.json").trim_end().to_owned()));
}

#[test]
fn rows_below_directories_of_dependencies_are_left_out_unless_the_command_names_the_directory() {
    let log: String =
        (0..60).map(|number| format!("./node_modules/p{number}/package.json\n")).collect::<String>()
            + "./package.json\n";
    assert!(minimized("find . -name package.json", &log, ExitKind::Well).text.len() < 300);
    assert_eq!(minimized("find node_modules -name package.json", &log, ExitKind::Well).text, log);
}

#[test]
fn rules_hold_in_a_script_from_the_sign_of_their_program_on() {
    let ticks: String = (10..60).map(|number| format!("  ✓ deployed service {number}\n")).collect();
    let log = |sign: &str| format!("{sign}\n{ticks}end\n");
    assert_eq!(minimized("./deploy.sh", &log("begin"), ExitKind::Well).text, log("begin"));
    for sign in ["> jest --verbose", " RUN  v2.1.9 /home/user/app"] {
        let text = minimized("npm test", &log(sign), ExitKind::Well).text;
        assert!(text.contains("passed tests"), "{sign}: {text}");
    }
}

#[test]
fn data_stays_whole() {
    let row = "{\"test\": 1}\n";
    for first in ["{\n", "[\n", "<?xml version=\"1.0\"?>\n", "[{\n"] {
        let log = format!("{first}{}", row.repeat(100));
        assert_eq!(minimized("./report", &log, ExitKind::Well).text, log);
    }
}

#[test]
fn important_lines_stay() {
    let log = format!("running 90 tests\n{}done\n", passed(10, 99));
    let options =
        ViewOptions { important: vec!["case_50".to_owned()], ..options_for("cargo test", "{}", 16_000) };
    let view = view(log.as_bytes(), &options, ExitKind::Well, &Source::NotKept);
    assert!(view.text.contains("\ntest cases::case_50 ... ok\n"), "{}", view.text);
}

#[test]
fn a_caller_chooses_rules_and_adds_some() {
    let log = format!("running 90 tests\n{}done\n", passed(10, 99));
    let of = |choice: &str| {
        let options = options_for("cargo test", choice, 16_000);
        view(log.as_bytes(), &options, ExitKind::Well, &Source::NotKept).complete
    };
    assert!(!of("{}") && !of(r#"{"only":["cargo"]}"#));
    assert!(of(r#"{"except":["cargo"]}"#) && of(r#"{"only":["pytest"]}"#));
    let lines = r#"[{"reason":"built","patterns":["test *"]}]"#;
    let own =
        format!(r#"{{"only":["own"],"rules":[{{"name":"own","commands":["cargo"],"lines":{lines}}}]}}"#);
    assert!(!of(&own));
}

#[test]
fn beyond_the_budget_lines_that_are_left_out_make_room_for_others() {
    let other = |number: u32| format!("note {} of the build number {number}\n", number * 7919 % 997);
    let log: String = (0..4_000)
        .map(|number| if number % 100 == 50 { other(number) } else { passed(number, number) })
        .collect();
    let options = options_for("cargo test", "{}", 6_000);
    let view = view(log.as_bytes(), &options, ExitKind::Well, &Source::NotKept);
    assert!(view.text.len() <= 6_000);
    assert!((50..4_000).step_by(100).all(|number| view.text.contains(&other(number))), "{}", view.text);
    assert!(view.text.contains(" bytes, passed tests]"), "{}", view.text);
}

fn any_line() -> impl Strategy<Value = String> {
    prop_oneof![
        8 => (0..400_u32).prop_map(|number| format!("test case_{number} ... ok")),
        2 => (0..400_u32).prop_map(|number| format!("   Compiling part{number} v1.{number}.0")),
        2 => Just("waiting".to_owned()),
        1 => (0..400_u32).prop_map(|number| format!("text {number}")),
        1 => (0..400_u32).prop_map(|number| format!("test case_{number} ... FAILED")),
        1 => Just("warning: unused variable".to_owned()),
        1 => Just(String::new()),
        1 => Just("    indented ... ok".to_owned()),
        1 => "\\PC{0,20}",
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn any_minimized_view_accounts_for_every_line_and_loses_no_failure(
        lines in prop::collection::vec((any_line(), 1..9_usize), 1..200),
        max_bytes in prop::sample::select(vec![2_000_usize, 100_000]),
        well: bool,
        chunk in 1..4_000_usize,
    ) {
        let lines: Vec<String> =
            lines.into_iter().flat_map(|(line, count)| std::iter::repeat_n(line, count)).collect();
        let log = lines.join("\n") + "\n";
        let options = options_for("cargo test", "{}", max_bytes);
        let ending = if well { ExitKind::Well } else { ExitKind::Failed };
        let mut builder = ViewBuilder::new(&options);
        for piece in log.as_bytes().chunks(chunk) {
            builder.push(piece, None);
        }
        let made = builder.view(ending, &Source::NotKept);
        prop_assert_eq!(&made, &view(log.as_bytes(), &options, ending, &Source::NotKept));
        prop_assert!(made.text.len() <= max_bytes);
        if made.complete {
            prop_assert_eq!(made.text, log);
            return Ok(());
        }
        let mut next = 1;
        let mut bytes = 0;
        let mut ranges: Vec<(u64, u64, Option<u64>)> =
            made.shown.iter().map(|(from, to)| (*from, *to, None)).collect();
        ranges.extend(made.left_out.iter().map(|gap| (gap.from, gap.to, Some(gap.bytes))));
        ranges.sort_unstable();
        for (from, to, gap) in ranges {
            prop_assert_eq!(from, next);
            next = to + 1;
            let range = &lines[usize::try_from(from).expect("small") - 1..usize::try_from(to).expect("small")];
            let size: usize = range.iter().map(|line| line.len() + 1).sum();
            prop_assert!(gap.is_none_or(|gap| gap == size as u64));
            bytes += size;
        }
        prop_assert_eq!((next, bytes), (lines.len() as u64 + 1, log.len()));
        for gap in made.left_out.iter().filter(|gap| gap.reason.is_some()) {
            let range = usize::try_from(gap.from).expect("small") - 1..usize::try_from(gap.to).expect("small");
            prop_assert!(lines[range].iter().all(|line| !line.contains("FAILED") && !line.contains("warning")));
        }
        if max_bytes > log.len() {
            prop_assert!(made.left_out.iter().all(|gap| gap.reason.is_some()));
            prop_assert!(made.text.len() * 10 <= log.len() * 9);
        }
    }
}
