//! Starts of programs: batch files and their arguments.

use crate::support::{code, program, run};

fn script(name: &str, text: &str) -> (tempfile::TempDir, String) {
    let place = tempfile::tempdir().expect("a directory");
    let path = place.path().join(name);
    std::fs::write(&path, text).expect("a file");
    let path = path.to_str().expect("text").to_owned();
    (place, path)
}

#[test]
fn a_batch_file_gets_its_arguments() {
    let (_place, path) = script("a b.cmd", "@echo [%~1][%~2]\r\n@exit /b 7\r\n");
    let outcome = run(program(&path, &["one two", "three"]));
    assert_eq!((outcome.end, outcome.stdout.text().trim()), (code(7), "[one two][three]"));
}

#[test]
fn an_argument_that_a_batch_file_would_get_changed_is_refused() {
    let (_place, path) = script("x.bat", "@echo ran\r\n");
    for argument in ["%PATH%", "a\"&whoami", "a\nb"] {
        let outcome = run(program(&path, &[argument]));
        assert_eq!(
            outcome.fault().map(|fault| fault.code),
            Some("ERR_INVALID_ARG_VALUE".into()),
            "{argument}"
        );
    }
}
