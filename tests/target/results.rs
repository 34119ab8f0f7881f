//! The result of a command is that of the command, wherever it runs.

use std::time::Duration;

use agent_bash::job::JobRequest;
use agent_bash::job::model::outcome::{Cause, End};
use agent_bash::job::model::plan::{Drain, Input, Leftovers, Terminal};
use agent_bash::process::pty::WindowSize;
use agent_bash::process::wait::Exit;

use crate::place::Place;
use crate::support::{Command, NEVER};

#[test]
fn streams_are_separate_and_the_code_is_the_commands() {
    let place = Place::new();
    for code in [0, 1, 75, 126, 127, 137, 255] {
        let outcome = place.command(&format!("echo out; echo err >&2; exit {code}")).start().outcome();
        assert_eq!(outcome.end, End::Exit(Exit::Code(code)));
        assert_eq!((outcome.stdout.text().as_str(), outcome.stderr.text().as_str()), ("out\n", "err\n"));
    }
}

#[test]
fn a_signal_is_told_from_a_code() {
    let outcome = Place::new().command("kill -9 $$").start().outcome();
    assert_eq!(outcome.end, End::Exit(Exit::Signal(9)));
}

#[test]
fn large_output_arrives_whole_and_in_order() {
    let job = Place::new().command("seq 1 400000; echo end").keep(8 << 20).start();
    let text = job.outcome().stdout.text();
    assert_eq!(text.len(), 2_688_895 + 4);
    assert!(text.starts_with("1\n2\n3\n") && text.ends_with("399999\n400000\nend\n"));
}

#[test]
fn a_slow_reader_slows_the_command_down() {
    let place = Place::new();
    let job = place.command("yes").without_acknowledgement().start();
    job.wait_for_stdout("y");
    assert_eq!(place.command("echo other").start().outcome().stdout.text(), "other\n");
    assert!(job.handle.ask(JobRequest::StopAtOnce(Cause::Killed)));
    let outcome = job.outcome();
    // Windows and pipes of a few hundred kibibytes each, and what is written while the kill is on its way. A
    // command that is not slowed down writes far more in that time.
    assert!(outcome.stdout.total < 64 << 20, "{}", outcome.stdout.total);
    job.tag.assert_gone();
}

#[test]
fn input_and_its_end_arrive() {
    let place = Place::new();
    let mut command = place.command("cat; echo end");
    command.plan.input = Input::Bytes(vec![b'x'; 1_000_000]);
    let outcome = command.keep(2 << 20).start().outcome();
    assert_eq!(outcome.stdout.total, 1_000_004);
}

#[test]
fn a_command_that_closes_its_input_ends() {
    let mut command = Place::new().command("exec <&-; echo closed");
    command.plan.input = Input::Bytes(vec![b'x'; 10_000_000]);
    assert_eq!(command.start().outcome().stdout.text(), "closed\n");
}

#[test]
fn a_terminal_is_one_there() {
    let mut command = Place::new().command("stty size; tty >/dev/null && echo yes");
    command.plan.input = Input::Open;
    let size = WindowSize { columns: 101, rows: 33 };
    command.plan.terminal = Some(Terminal { size, scrollback: 100, answers_queries: true });
    assert_eq!(command.start().outcome().stdout.text(), "33 101\r\nyes\r\n");
}

#[test]
fn background_processes_are_reported_and_kept() {
    let place = Place::new();
    let mut command = place.command("sleep 1000 >/dev/null 2>&1 & echo started");
    command.plan.leftovers = Some(Leftovers::Keep);
    let job = command.start();
    let outcome = job.outcome();
    let [sleep] = job.tag.wait_for(1, "sleep").try_into().expect("one");
    assert_eq!(outcome.background_pids, [sleep.pid()]);
    drop(place);
    // The connection ends with the last reference to the target, and its processes with it.
    job.tag.wait_until_gone();
}

#[test]
fn a_process_that_holds_the_output_does_not_hold_the_result() {
    let place = Place::new();
    let mut command = place.command("sleep 1000 & echo started");
    command.plan.leftovers = Some(Leftovers::Kill);
    command.plan.drain = Some(Drain { idle: Duration::from_millis(50), most: Duration::from_secs(1) });
    let job = command.start();
    assert_eq!(job.outcome().stdout.text(), "started\n");
    job.tag.assert_gone();
}

#[test]
fn a_missing_directory_or_program_has_its_own_error() {
    let place = Place::new();
    let code = |command: Command| match place.place(command).start().outcome().end {
        End::NotStarted(error) => error.code(),
        end => panic!("it ran: {end:?}"),
    };
    assert_eq!(code(Command::script("pwd").directory("/nowhere")), "CWD_MISSING");
    assert_eq!(code(Command::program("/nowhere/program", &[])), "ENOENT");
    let mut outside = Command::script("pwd").directory("/usr/..");
    outside.plan.surroundings.directory.root = Some("/usr".to_owned());
    assert_eq!(code(outside), "CWD_OUTSIDE");
}

#[test]
fn many_commands_run_at_once() {
    let place = Place::new();
    let jobs: Vec<_> = (0..64).map(|code| place.command(&format!("exit {code}")).start()).collect();
    for (code, job) in (0..).zip(jobs) {
        assert_eq!(job.outcome().end, End::Exit(Exit::Code(code)));
    }
}

#[test]
fn the_environment_of_this_process_is_not_sent() {
    let place = Place::new();
    let mut command = Command::script("echo \"$PATH ${CARGO_MANIFEST_DIR:-none} ${TMPDIR:-unset}\"")
        .environment("NEW=1\0TMPDIR");
    command.plan.times.timeout = Some(NEVER);
    let text = place.place(command).start().outcome().stdout.text();
    assert_eq!(text, "/usr/bin:/bin none unset\n");
}
