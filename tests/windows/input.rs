//! Standard input.

use agent_bash::job::model::plan::Input;

use crate::support::{Job, code, role, run};

#[test]
fn no_input_is_an_empty_one() {
    let outcome = run(role("counts_input", &[]));
    assert!(outcome.stdout.text().contains("<0 0>"), "{}", outcome.stdout.text());
}

#[test]
fn ten_megabytes_arrive_whole() {
    let bytes: Vec<u8> = (0..10_000_000_u32).map(|number| (number % 251).to_le_bytes()[0]).collect();
    let sum: u64 = bytes.iter().map(|&byte| u64::from(byte)).sum();
    let mut plan = role("counts_input", &[]);
    plan.input = Input::Bytes(bytes);
    let outcome = run(plan);
    assert_eq!(outcome.end, code(0));
    assert!(outcome.stdout.text().contains(&format!("<10000000 {sum}>")), "{}", outcome.stdout.text());
}

#[test]
fn what_is_written_later_arrives_line_by_line() {
    let mut plan = role("echoes_lines", &[]);
    plan.input = Input::Open;
    let job = Job::start(plan);
    for text in ["one", "zwölf"] {
        assert!(job.handle.input().write(format!("{text}\n").into_bytes()));
        job.wait_for_stdout(&format!("<{text}>"));
    }
    job.wait_for_drains(2);
    job.handle.input().end();
    assert_eq!(job.outcome().end, code(0));
}

#[test]
fn input_that_nobody_reads_does_not_delay_the_end() {
    let mut plan = role("exits_as_it_is_told", &["4"]);
    plan.input = Input::Bytes(vec![b'x'; 10_000_000]);
    assert_eq!(run(plan).end, code(4));
}
