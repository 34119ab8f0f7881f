//! Output.

use agent_bash::job::model::plan::Spill;

use crate::support::{code, role, run};

#[test]
fn no_byte_of_much_output_is_lost() {
    let outcome = run(role("writes_much", &["20000000"]));
    assert_eq!(outcome.end, code(0));
    let marks = outcome.stdout.text().matches("running 1 test").count();
    assert_eq!(marks, 1);
    assert!(outcome.stdout.total >= 20_000_000, "{}", outcome.stdout.total);
}

#[test]
fn all_of_it_is_in_the_file() {
    let place = tempfile::tempdir().expect("a directory");
    let directory = place.path().join("spilled");
    let mut plan = role("writes_much", &["3000000"]);
    plan.output.spill =
        Some(Spill { directory: directory.to_str().expect("text").to_owned(), limit: 1 << 30, above: 1000 });
    let outcome = run(plan);
    let spilled = outcome.spilled.expect("a file");
    let bytes = std::fs::read(&spilled.path).expect("a file");
    assert_eq!(bytes.iter().filter(|&&byte| byte == b'x').count(), 3_000_000);
}
