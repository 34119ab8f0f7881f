//! How commands start and end.

use agent_bash::sandbox::report::SandboxStep;

use crate::support::{again_as_user, command, plan, run, start, text};

#[test]
fn exit_codes_and_signals_are_the_commands() {
    let place = tempfile::tempdir().expect("a directory");
    let plan = plan(place.path());
    for code in [0, 1, 77, 125, 255] {
        assert_eq!(run(&plan, place.path(), &format!("exit {code}")).code(), Some(code));
    }
    for signal in [libc::SIGTERM, libc::SIGKILL, libc::SIGSEGV, libc::SIGPIPE] {
        assert_eq!(run(&plan, place.path(), &format!("kill -{signal} $$")).signal(), Some(signal));
    }
}

#[test]
fn exit_codes_and_signals_are_the_commands_as_a_user() {
    again_as_user("life::exit_codes_and_signals_are_the_commands");
}

#[test]
fn output_is_the_commands() {
    let place = tempfile::tempdir().expect("a directory");
    let outcome = run(&plan(place.path()), place.path(), "echo out; echo error >&2; pwd");
    let expected = format!("out\nerror\n{}\n", place.path().display());
    assert_eq!(outcome.output, expected, "{outcome:?}");
}

#[test]
fn a_program_that_can_not_be_executed_is_reported() {
    let place = tempfile::tempdir().expect("a directory");
    let missing = command(place.path(), "");
    let missing =
        agent_bash::sandbox::plan::SandboxedCommand { candidates: vec![text("/nowhere")], ..missing };
    let failure = start(&plan(place.path()), &missing).err().expect("it fails");
    assert_eq!((failure.step, failure.errno.0), (SandboxStep::Execute, libc::ENOENT));
}
