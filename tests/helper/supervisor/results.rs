//! Results: output, exits, failures, surroundings.

use std::time::Duration;

use agent_bash::helper::supervisor::protocol::enums::{FailedStep, OutputPipe};
use agent_bash::helper::supervisor::protocol::message::ToSupervisor;
use agent_bash::helper::supervisor::protocol::plan::RemotePlan;
use agent_bash::process::spawn::Limits;

use super::client::{NONCE, Sent, Supervisor, line};

#[test]
fn the_hello_names_the_host_and_the_machine() {
    let mut supervisor = Supervisor::silent();
    let (0, Sent::Hello(hello)) = supervisor.next() else { panic!("a hello comes first") };
    assert_eq!((hello.fact("nonce"), hello.fact("system")), (NONCE, "Linux"));
    assert_eq!(hello.pid, supervisor.process.id());
    assert_ne!(hello.hash, [0; 32]);
}

#[test]
fn streams_are_separate_and_the_code_is_the_commands() {
    let mut supervisor = Supervisor::new();
    let result = supervisor.run(&line("echo out; echo err >&2; exit 7"));
    assert_eq!((result.text().as_str(), result.stderr.as_slice()), ("out\n", b"err\n".as_slice()));
    assert_eq!(result.code(), Some(7));
}

#[test]
fn a_signal_is_told_from_a_code() {
    let mut supervisor = Supervisor::new();
    let exit = supervisor.run(&line("kill -9 $$")).exit.expect("an exit");
    assert_eq!((exit.is_signal, exit.value), (true, 9));
    assert_eq!(supervisor.run(&line("exit 137")).code(), Some(137));
}

#[test]
fn merged_output_keeps_its_order() {
    let mut supervisor = Supervisor::new();
    let plan = RemotePlan { is_merged: true, ..line("echo a; echo b >&2; echo c") };
    let result = supervisor.run(&plan);
    assert_eq!((result.text().as_str(), result.stderr.len()), ("a\nb\nc\n", 0));
}

#[test]
fn large_output_arrives_whole_and_before_the_exit() {
    let mut supervisor = Supervisor::new();
    let result = supervisor.run(&line("head -c 3000000 /dev/zero | tr '\\0' x; echo end"));
    assert_eq!(result.stdout.len(), 3_000_004);
    assert!(result.stdout.ends_with(b"xend\n"));
}

#[test]
fn the_exit_comes_behind_the_output_that_was_written_before() {
    let mut supervisor = Supervisor::new();
    let id = supervisor.start(&line("echo before; sleep 60 & exit 3"));
    let mut has_output = false;
    supervisor.until(|_, sent| {
        has_output |= matches!(sent, Sent::Output(OutputPipe::Stdout, _));
        matches!(sent, Sent::Exit(_)).then_some(())
    });
    assert!(has_output);
    supervisor.kill(id);
    supervisor.finish(id);
}

#[test]
fn without_credit_a_command_waits_and_others_run() {
    let mut supervisor = Supervisor::new();
    let flood = supervisor.start(&line("yes"));
    let mut taken = 0;
    while let Some(sent) = supervisor.within(Duration::from_millis(500)) {
        if let Sent::Output(_, bytes) = sent {
            taken += bytes.len();
        }
    }
    assert_eq!(taken, 256 * 1024);
    assert_eq!(supervisor.run(&line("echo here")).text(), "here\n");
    supervisor.kill(flood);
    supervisor.send(flood, ToSupervisor::Close { kills: true, drops_output: true });
    supervisor.finish(flood);
    supervisor.tag.assert_gone();
}

#[test]
fn a_missing_program_fails_with_its_step() {
    let mut supervisor = Supervisor::new();
    let words = vec![vec![b"/nowhere/program".to_vec()]];
    let result = supervisor.run(&RemotePlan { words, ..RemotePlan::default() });
    assert_eq!(result.failed, Some((FailedStep::Execute, libc::ENOENT)));
}

#[test]
fn the_next_program_is_tried_where_the_first_is_missing() {
    let mut supervisor = Supervisor::new();
    let mut plan = line("echo found");
    plan.words.insert(0, vec![b"no-such-shell".to_vec()]);
    assert_eq!(supervisor.run(&plan).text(), "found\n");
}

#[test]
fn a_directory_outside_of_the_root_is_refused() {
    let mut supervisor = Supervisor::new();
    let plan = RemotePlan { directory: "/usr/..".to_owned(), root: Some("/usr".to_owned()), ..line("pwd") };
    assert_eq!(supervisor.run(&plan).failed, Some((FailedStep::Directory, libc::EXDEV)));
    let plan = RemotePlan { directory: "/nowhere".to_owned(), ..line("pwd") };
    assert_eq!(supervisor.run(&plan).failed, Some((FailedStep::Directory, libc::ENOENT)));
    let plan = RemotePlan { directory: "/usr".to_owned(), root: Some("/usr".to_owned()), ..line("pwd") };
    assert_eq!(supervisor.run(&plan).text(), "/usr\n");
}

#[test]
fn limits_are_set() {
    let mut supervisor = Supervisor::new();
    let limits = Limits { open_files: Some(77), ..Limits::default() };
    assert_eq!(supervisor.run(&RemotePlan { limits, ..line("ulimit -n") }).text(), "77\n");
}

#[test]
fn an_environment_can_be_empty() {
    let mut supervisor = Supervisor::new();
    let plan = RemotePlan { has_empty_environment: true, ..line("/usr/bin/env") };
    let text = supervisor.run(&plan).text();
    assert!(!text.contains("HOME=") && text.contains("AGENT_BASH_TEST_TAG="), "{text}");
}

#[test]
fn bash_reads_no_start_file_below_a_server_of_ssh() {
    let home = tempfile::tempdir().expect("a directory");
    std::fs::write(home.path().join(".bashrc"), "echo start file").expect("written");
    let words = ["/bin/bash", "-c", "echo command"].map(|word| word.as_bytes().to_vec()).to_vec();
    let home = format!("HOME={}", home.path().display()).into_bytes();
    let variables = vec![b"SSH_CLIENT=127.0.0.1 1 2".to_vec(), home];
    let plan = RemotePlan { words: vec![words], variables, ..RemotePlan::default() };
    assert_eq!(Supervisor::new().run(&plan).text(), "command\n");
}

#[test]
fn any_bytes_arrive_as_an_argument() {
    let mut supervisor = Supervisor::new();
    let odd: Vec<u8> = (1..=255).collect();
    let words = [b"/usr/bin/printf".as_slice(), b"%s", &odd].map(<[u8]>::to_vec).to_vec();
    let result = supervisor.run(&RemotePlan { words: vec![words], ..RemotePlan::default() });
    assert_eq!(result.stdout, odd);
}

#[test]
fn many_commands_run_at_once() {
    let mut supervisor = Supervisor::new();
    let ids: Vec<u32> = (0..64).map(|number| supervisor.start(&line(&format!("exit {number}")))).collect();
    let mut codes = Vec::new();
    while codes.len() < ids.len() {
        codes.extend(supervisor.until(|id, sent| match sent {
            Sent::Exit(exit) => Some(Some((id, exit.value))),
            _ => None,
        }));
    }
    codes.sort_unstable();
    let expected: Vec<(u32, u32)> = ids.into_iter().zip(0..).collect();
    assert_eq!(codes, expected);
}

#[test]
fn an_exit_says_whether_a_process_is_left() {
    let mut supervisor = Supervisor::new();
    assert!(supervisor.run(&line("true | cat")).exit.expect("an exit").is_alone);
    let id = supervisor.start(&line("sleep 1000 >/dev/null 2>&1 & exit 0"));
    let exit = supervisor.until(|_, sent| match sent {
        Sent::Exit(exit) => Some(exit),
        _ => None,
    });
    assert!(!exit.is_alone);
    supervisor.kill(id);
    supervisor.finish(id);
}

#[test]
fn usage_is_reported() {
    let mut supervisor = Supervisor::new();
    let exit =
        supervisor.run(&line("i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done")).exit.expect("an exit");
    assert!(
        exit.user > Duration::ZERO && exit.wall >= Duration::from_millis(1) && exit.peak_memory > 0,
        "{exit:?}"
    );
}
