//! The streams, the directory and the program of a new job, and the errors of a launch in Node's words.

use crate::support::{Command, Workspace};
use agent_bash::job::model::outcome::End;
use agent_bash::job::{JobRequest, Outcome};
use rustix::process::Signal;

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "the test reads /proc")]
fn a_job_has_an_empty_standard_input() {
    let job = Command::script("cat; readlink /proc/self/fd/0").start();
    let outcome = job.outcome();
    assert_eq!(outcome.stdout.text(), "/dev/null\n");
}

#[test]
fn a_job_can_open_its_standard_streams_by_path() {
    let job = Command::script("echo out >/dev/stdout; echo err >/dev/stderr").start();
    let outcome = job.outcome();
    assert_eq!((outcome.stdout.text(), outcome.stderr.text()), ("out\n".to_owned(), "err\n".to_owned()));
}

#[test]
fn a_job_has_no_terminal() {
    let job = Command::script("exec 2>&1; : </dev/tty").start();
    let said = job.outcome().stdout.text();
    // The error text of ENXIO, on Linux and on macOS.
    assert!(said.contains("No such device") || said.contains("Device not configured"), "{said}");
}

#[test]
fn a_job_reports_its_pid_once_for_a_request() {
    let job = Command::script("exec sleep 1000").start();
    assert!(job.handle.ask(JobRequest::ReportSpawn));
    let pids = job.reported_pids();
    assert!(job.handle.signal(Signal::KILL));
    assert_eq!(job.outcome().pid, pids.first().copied());
    assert_eq!(job.reported_pids(), pids);
}

#[test]
fn a_job_without_a_process_reports_no_pid() {
    let job = Command::script("true").directory("/nonexistent/directory").start();
    let _ = job.handle.ask(JobRequest::ReportSpawn);
    assert_eq!((job.outcome().pid, job.has_reported_a_pid()), (None, false));
}

/// Returns the code and the message of a failed launch, as Node would report them.
fn as_node(outcome: &Outcome) -> (String, String) {
    match &outcome.end {
        End::NotStarted(error) => {
            let error = error.as_node("/bin/bash");
            (error.code(), error.to_string())
        }
        end => panic!("something was started: {end:?}"),
    }
}

#[test]
fn a_missing_directory_has_nodes_error_text() {
    let job = Command::script("true").directory("/nonexistent/directory").start();
    assert_eq!(as_node(&job.outcome()), ("ENOENT".to_owned(), "spawn /bin/bash ENOENT".to_owned()));
}

#[test]
fn a_directory_that_is_a_file_has_nodes_error_text() {
    let job = Command::script("true").directory("/etc/passwd").start();
    assert_eq!(as_node(&job.outcome()), ("ENOTDIR".to_owned(), "spawn ENOTDIR".to_owned()));
}

#[test]
fn an_empty_directory_is_the_hosts_own() {
    let job = Command::script("pwd -P").directory("").start();
    let own = std::env::current_dir().unwrap().canonicalize().unwrap();
    assert_eq!(job.outcome().stdout.text().trim_end(), own.to_str().unwrap());
}

#[test]
fn a_program_of_a_job_is_searched_in_the_path_of_its_environment() {
    let place = Workspace::new();
    place.program("good/program", "#!/bin/sh\necho \"$@\"\n", 0o700);
    let job = Command::program("program", &["a b", "*"])
        .environment(&format!("PATH=/nonexistent:{}", place.file("good").display()))
        .start();
    assert_eq!(job.outcome().stdout.text(), "a b *\n");
}

#[test]
fn a_command_of_many_megabytes_runs() {
    let job = Command::script(&format!("# {}\necho done", "x".repeat(8 << 20))).start();
    assert_eq!(job.outcome().stdout.text(), "done\n");
}

#[test]
fn a_long_command_runs_without_programs_in_its_path() {
    // A command of builtins needs no `PATH`.
    let job =
        Command::script(&format!("# {}\necho done", "x".repeat(200_000))).environment("PATH=/none").start();
    assert_eq!(job.outcome().stdout.text(), "done\n");
}
