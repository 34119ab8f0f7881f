//! Attachments: several hosts, cursors, input.

use std::os::unix::net::UnixStream;

use agent_bash::durable::find;
use agent_bash::helper::durable::record::end::{EndCause, LeaderExit};
use agent_bash::job::JobRequest;
use agent_bash::job::model::outcome::{End, Status};
use agent_bash::job::model::plan::{Input, OnWaiting, Spill, Terminal, WindowSize};
use agent_bash::process::wait::Exit;

use crate::jobs::{Jobs, lines};
use crate::support::{Command, Job, until};

fn with_input(mut command: Command) -> Command {
    command.plan.input = Input::Open;
    command
}

fn write(job: &Job, text: &str) {
    assert!(job.handle.input().write(text.as_bytes().to_vec()));
}

#[test]
fn the_output_and_the_exit_are_those_of_the_command() {
    let jobs = Jobs::new();
    let (job, id) = jobs.start("echo out; echo err >&2; exit 3");
    let outcome = job.outcome();
    assert_eq!(outcome.end, End::Exit(Exit::Code(3)));
    assert_eq!((job.stdout(), job.stderr()), ("out\n".to_owned(), "err\n".to_owned()));
    let end = jobs.ended(&id).end.expect("an end");
    assert_eq!((end.cause, end.exit, end.total), (EndCause::Exit, Some(LeaderExit::Code(3)), 8));
}

#[test]
fn each_host_gets_all_output_in_the_order_of_the_log() {
    let jobs = Jobs::new();
    let script = "for i in $(seq 1 2000); do echo out$i; echo err$i >&2; done; read x";
    let (job, id) = jobs.start_with(script, jobs.options(), with_input);
    let second = jobs.attach(&id, Some(0));
    for host in [&job, &second] {
        host.wait_for_stdout("out2000\n");
    }
    write(&second, "x\n");
    let (first, second) = ((job.outcome(), job), (second.outcome(), second));
    for (outcome, job) in [first, second] {
        assert_eq!(outcome.end, End::Exit(Exit::Code(0)));
        assert_eq!((job.stdout(), job.stderr()), (lines("out", 1..=2000), lines("err", 1..=2000)));
    }
}

#[test]
fn a_host_that_lets_go_leaves_the_job_and_its_input_open() {
    let jobs = Jobs::new();
    let (job, id) = jobs.start_with("while read x; do echo got $x; done", jobs.options(), with_input);
    write(&job, "one\n");
    job.wait_for_stdout("got one\n");
    assert!(job.handle.ask(JobRequest::Detach));
    assert_eq!(job.outcome().status(), Status::Background);
    let again = jobs.attach(&id, Some(4));
    write(&again, "two\n");
    again.wait_for_stdout("got two\n");
    again.handle.input().end();
    assert_eq!(again.outcome().end, End::Exit(Exit::Code(0)));
    assert_eq!(again.stdout(), "one\ngot two\n");
}

#[test]
fn a_host_that_lets_go_while_it_writes_a_file_leaves_the_input_open() {
    let jobs = Jobs::new();
    let spill = |mut command: Command| {
        // A file for the output makes the end of the host's job take a while.
        let directory = jobs.place.path().join("spill").display().to_string();
        command.plan.output.spill = Some(Spill { directory, limit: 1 << 20, above: 0 });
        with_input(command)
    };
    let (job, id) = jobs.start_with("echo; while read x; do echo got $x; done", jobs.options(), spill);
    job.wait_for_stdout("\n");
    write(&job, "one\n");
    job.wait_for_stdout("got one\n");
    assert!(job.handle.ask(JobRequest::Detach));
    job.outcome();
    let again = jobs.attach(&id, Some(0));
    write(&again, "two\n");
    again.wait_for_stdout("got two\n");
}

#[test]
fn input_and_its_end_right_before_a_host_lets_go_arrive() {
    let jobs = Jobs::new();
    for size in [1, 100_000, 300_000] {
        let (job, id) = jobs.start_with("wc -c", jobs.options(), with_input);
        job.pid();
        assert!(job.handle.input().write(vec![b'x'; size]));
        job.handle.input().end();
        assert!(job.handle.ask(JobRequest::Detach));
        job.outcome();
        jobs.ended(&id);
        let again = jobs.attach(&id, Some(0));
        again.outcome();
        assert_eq!(again.stdout().trim(), size.to_string());
    }
}

#[test]
fn the_default_beginning_is_what_comes_next() {
    let jobs = Jobs::new();
    let (job, id) = jobs.start_with("echo before; read x; echo after", jobs.options(), with_input);
    job.wait_for_stdout("before");
    let later = jobs.attach(&id, None);
    write(&later, "x\n");
    later.outcome();
    assert_eq!(later.stdout(), "after\n");
}

#[test]
fn an_ended_job_can_be_read_again_with_the_same_exit() {
    let jobs = Jobs::new();
    let (job, id) = jobs.start("echo text; kill -9 $$");
    assert_eq!(job.outcome().end, End::Exit(Exit::Signal(9)));
    for _ in 0..2 {
        let again = jobs.attach(&id, Some(0));
        let outcome = again.outcome();
        assert_eq!((outcome.end, again.stdout()), (End::Exit(Exit::Signal(9)), "text\n".to_owned()));
        assert!(outcome.usage.is_some());
    }
}

#[test]
fn an_input_that_was_given_is_whole_without_its_host() {
    let jobs = Jobs::new();
    let input = "line\n".repeat(100_000);
    let (job, id) = jobs.start_with("sleep 0.2; wc -c", jobs.options(), |mut command| {
        command.plan.input = Input::Bytes(input.clone().into_bytes());
        command
    });
    assert!(job.handle.ask(JobRequest::Detach));
    let again = jobs.attach(&id, Some(0));
    again.outcome();
    assert_eq!(again.stdout().trim(), input.len().to_string());
}

#[test]
fn more_input_than_fits_into_pipes_arrives() {
    let jobs = Jobs::new();
    let (job, _) = jobs.start_with("sleep 0.2; md5sum", jobs.options(), with_input);
    let bytes: Vec<u8> = (0..3_000_000_u32).map(|i| i.to_le_bytes()[0]).collect();
    assert!(job.handle.input().write(bytes));
    job.handle.input().end();
    job.outcome();
    assert!(job.stdout().contains("  -"), "{}", job.stdout());
}

#[test]
fn a_terminal_is_one_for_each_host() {
    let jobs = Jobs::new();
    let terminal = |mut command: Command| {
        let size = WindowSize { columns: 90, rows: 30 };
        command.plan.terminal = Some(Terminal { size, scrollback: 100, answers_queries: true });
        with_input(command)
    };
    let (job, id) = jobs.start_with("stty size; read x; stty size; test -t 2", jobs.options(), terminal);
    job.wait_for_stdout("30 90");
    let second = jobs.attach_with(&id, Some(0), terminal);
    second.wait_for_stdout("30 90");
    assert!(second.handle.resize(WindowSize { columns: 50, rows: 20 }));
    write(&second, "x\r");
    assert_eq!(job.outcome().end, End::Exit(Exit::Code(0)));
    second.outcome();
    assert!(second.stdout().contains("20 50"), "{}", second.stdout());
    assert_eq!(job.stdout(), second.stdout());
}

#[test]
fn a_screen_that_lacks_output_is_partial() {
    let jobs = Jobs::new();
    let size = WindowSize { columns: 80, rows: 24 };
    let in_terminal = |mut command: Command| {
        command.plan.terminal = Some(Terminal { size, scrollback: 100, answers_queries: true });
        with_input(command)
    };
    let (job, id) = jobs.start_with("echo hello; read x", jobs.options(), in_terminal);
    job.wait_for_stdout("hello");
    for (since, is_partial) in [(0, false), (3, true)] {
        let other = jobs.attach_with(&id, Some(since), in_terminal);
        other.wait_for_stdout("lo");
        assert_eq!(other.handle.screen().expect("a screen").is_partial(), is_partial);
    }
}

#[test]
fn input_that_a_command_reads_late_arrives_though_its_host_has_let_go() {
    let jobs = Jobs::new();
    let gate = jobs.place.path().join("gate");
    let script = format!("until [ -e '{}' ]; do sleep 0.02; done; wc -c; read x", gate.display());
    let (job, id) = jobs.start_with(&script, jobs.options(), with_input);
    write(&job, &"x".repeat(5_000_000));
    job.handle.input().end();
    assert!(job.handle.ask(JobRequest::Detach));
    assert_eq!(job.outcome().status(), Status::Background);
    std::fs::write(gate, "").expect("a file");
    let again = jobs.attach(&id, Some(0));
    again.outcome();
    assert_eq!(again.stdout(), "5000000\n");
}

#[test]
fn processes_that_outlive_the_leader_are_the_job() {
    let jobs = Jobs::new();
    let (job, id) = jobs.start("(sleep 0.5; echo late) & exit 4");
    job.wait_for_stdout("late");
    assert_eq!(job.outcome().end, End::Exit(Exit::Code(4)));
    assert_eq!(jobs.ended(&id).end.expect("an end").exit, Some(LeaderExit::Code(4)));
}

#[test]
fn a_job_with_as_many_hosts_as_it_takes_refuses_another_one_and_can_be_found_extended_and_ended() {
    let jobs = Jobs::new();
    let (job, id) = jobs.start("sleep 1000");
    let hosts: Vec<_> = (0..15).map(|_| jobs.attach(&id, None)).collect();
    for host in &hosts {
        host.pid();
    }
    // The refused job stays, because the end of its tag would kill the job.
    let refused = jobs.attach(&id, None);
    assert_eq!(refused.outcome().fault().expect("a fault").code, "DURABLE_LIMIT");
    assert_eq!(jobs.info(&id).expect("it is found").attached, 16);
    let left = find::extend(&jobs.path(), &id, 1_000_000).expect("it is extended");
    assert!(left < jobs.info(&id).expect("it is found").facts.started_at + 2_000_000);
    find::stop(&jobs.path(), &id, libc::SIGTERM, None).expect("it is ended");
    assert_eq!(job.outcome().end, End::Exit(Exit::Signal(libc::SIGTERM)));
}

#[test]
fn connections_that_never_greet_make_room_for_others() {
    let jobs = Jobs::new();
    let (_job, id) = jobs.start("sleep 1000");
    let silent: Vec<_> = (0..100).map_while(|_| UnixStream::connect(jobs.file(&id, "socket")).ok()).collect();
    assert_eq!(silent.len(), 100);
    until("there is room", || find::extend(&jobs.path(), &id, 1_000_000).is_ok());
    assert_eq!(jobs.info(&id).expect("it is found").attached, 1);
}

#[test]
fn a_command_that_waits_for_input_is_noticed_by_an_attached_host() {
    let jobs = Jobs::new();
    let size = WindowSize { columns: 80, rows: 24 };
    for terminal in [None, Some(Terminal { size, scrollback: 100, answers_queries: true })] {
        let command = |mut command: Command| {
            command.plan.terminal = terminal;
            with_input(command)
        };
        let (_job, id) = jobs.start_with("cat; echo over; exit 5", jobs.options(), command);
        let ends_input = |mut other: Command| {
            other.plan.on_waiting = OnWaiting::End;
            command(other)
        };
        assert_eq!(jobs.attach_with(&id, Some(0), ends_input).outcome().end, End::Exit(Exit::Code(5)));
    }
}
