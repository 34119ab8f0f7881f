//! Starts of programs: batch files and their arguments.

use agent_bash::job::model::plan::Shell;

use crate::support::{code, line, program, run};

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

#[test]
fn a_batch_file_runs_without_a_path_to_the_system() {
    let (_place, path) = script("x.cmd", "@echo ran\r\n");
    let mut plan = program(&path, &[]);
    plan.surroundings.environment.0 += "\0PATH=C:\\nothing";
    let outcome = run(plan);
    assert_eq!((outcome.end, outcome.stdout.text().trim()), (code(0), "ran"));
}

#[test]
fn a_command_that_a_batch_file_as_the_shell_would_get_changed_is_refused() {
    let (_place, path) = script("shell.cmd", "@echo [%2]\r\n");
    let with = |command: &str| {
        let mut plan = line(command);
        plan.surroundings.shell = Shell { program: path.clone(), flags: vec!["-c".to_owned()] };
        run(plan)
    };
    assert_eq!(with("a b & c").stdout.text().trim(), r#"["a b & c"]"#);
    for command in ["\"&whoami", "echo %PATH%", "a\nb"] {
        let fault = with(command).fault().map(|fault| fault.code);
        assert_eq!(fault, Some("ERR_INVALID_ARG_VALUE".into()), "{command}");
    }
}

#[test]
fn a_command_that_is_too_long_for_cmd_is_refused() {
    let outcome = run(line(&"a".repeat(10_000)));
    assert_eq!(outcome.fault().map(|fault| fault.code), Some("E2BIG".into()));
}

#[test]
fn a_program_beside_the_runtime_of_msys_gets_its_arguments_by_the_rules_of_that() {
    let (place, _) = script("msys-2.0.dll", "");
    let cmd = place.path().join("cmd.exe");
    std::fs::copy(r"C:\windows\system32\cmd.exe", &cmd).expect("a copy");
    let outcome = run(program(cmd.to_str().expect("text"), &["/d", "/c", "echo", r"a\b c", "*"]));
    let stdout = outcome.stdout.text();
    assert!(stdout.contains(r#""a\\b c" "*"#), "{stdout}");
}
