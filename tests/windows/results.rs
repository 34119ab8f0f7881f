//! Commands that end by themselves.

use agent_bash::job::model::plan::{Directory, Invocation};

use crate::support::{code, line, program, role, run};

#[test]
fn the_output_and_the_exit_code_of_a_command_are_its_outcome() {
    let outcome = run(line("echo hi& exit 3"));
    assert_eq!((outcome.end, outcome.stdout.text().as_str()), (code(3), "hi\r\n"));
    assert_eq!(outcome.cause, None);
    assert!(outcome.background_pids.is_empty(), "{:?}", outcome.background_pids);
}

#[test]
fn both_streams_are_told_apart() {
    let outcome = run(line("echo out& echo err>&2"));
    assert_eq!((outcome.stdout.text().trim(), outcome.stderr.text().trim()), ("out", "err"));
}

#[test]
fn merged_streams_keep_their_order() {
    let mut plan = line("echo one& echo two>&2& echo three");
    plan.output.is_merged = true;
    let text = run(plan).stdout.text().replace("\r\n", " ");
    assert_eq!(text.split_whitespace().collect::<Vec<_>>(), ["one", "two", "three"]);
}

#[test]
fn an_exit_code_has_32_bits() {
    for number in [255_u32, 256, 0xC000_0005, u32::MAX] {
        let outcome = run(role("exits_as_it_is_told", &[&number.to_string()]));
        assert_eq!(outcome.exit_code(), Some(number), "{number:#x}");
    }
}

#[test]
fn arguments_and_variables_arrive_as_they_are() {
    let arguments = ["", "a b", r#"q"q"#, r"\", r#"\\""#, "zwölf € 😀", "%PATH%", "^&|<>", "*"];
    let outcome = run(role("prints_arguments", &arguments));
    let expected = format!("<{arguments:?}><zwölf € 😀>");
    assert!(outcome.stdout.text().contains(&expected), "{}", outcome.stdout.text());
}

#[test]
fn the_directory_is_that_of_the_plan() {
    let place = tempfile::tempdir().expect("a directory");
    let below = place.path().join("ein Verzeichnis – ü");
    std::fs::create_dir(&below).expect("a directory");
    let mut plan = line("cd");
    plan.surroundings.directory = Directory {
        path: below.to_str().expect("text").to_owned(),
        root: place.path().to_str().map(str::to_owned),
    };
    let outcome = run(plan);
    assert_eq!(outcome.end, code(0));
    assert!(outcome.directory.is_some_and(|path| path.ends_with("ein Verzeichnis – ü")));
}

#[test]
fn a_missing_directory_and_a_missing_program_have_their_codes() {
    let mut plan = line("cd");
    plan.surroundings.directory.path = r"C:\none here".to_owned();
    assert_eq!(run(plan).fault().map(|fault| fault.code), Some("CWD_MISSING".into()));
    assert_eq!(run(program("no-such-program", &[])).fault().map(|fault| fault.code), Some("ENOENT".into()));
}

#[test]
fn what_windows_lacks_says_what_to_use() {
    let mut plan = line("cd");
    plan.surroundings.limits.open_files = Some(10);
    let fault = run(plan).fault().expect("a fault");
    assert_eq!(fault.code, "ERR_FEATURE_UNAVAILABLE");
    assert!(fault.message.contains("use limits.memory"), "{}", fault.message);
}

#[test]
fn two_hundred_commands_run_at_once() {
    let jobs: Vec<_> = (0..200)
        .map(|number| crate::support::Job::start(line(&format!("echo {number}& exit {number}"))))
        .collect();
    for (number, job) in jobs.iter().enumerate() {
        let outcome = job.outcome();
        let number = i32::try_from(number).expect("a small number");
        assert_eq!((outcome.end, outcome.stdout.text().trim()), (code(number), &*number.to_string()));
    }
}

#[test]
fn a_program_is_found_by_its_name() {
    let mut plan = program("CMD", &["/d", "/c", "exit 5"]);
    assert!(matches!(plan.invocation, Invocation::Program { .. }));
    plan.surroundings.environment = crate::support::environment(&[]);
    assert_eq!(run(plan).end, code(5));
}
