//! Damage to the files of durable jobs: removed, full, torn, of another boot.

use std::fs::{self, File};
use std::os::unix::fs::PermissionsExt;
use std::time::Duration;

use agent_bash::durable::options::{JobFilter, StartOptions};
use agent_bash::helper::durable::directory::machine;
use agent_bash::helper::durable::record::end::EndCause;
use agent_bash::job::JobRequest;
use agent_bash::job::model::outcome::Status;
use agent_bash::process::identity::runs;
use rustix::process::{Signal, kill_process};

use crate::jobs::{Jobs, lines};
use crate::support::{Job, until};

/// The time between two checks of a job's directory.
const CHECK: Duration = Duration::from_millis(50);

fn checked(jobs: &Jobs) -> StartOptions {
    StartOptions { check: CHECK, ..jobs.options() }
}

/// Kills the supervisor of a job.
fn kill_supervisor(job: &Job) {
    let supervisor = job.handle.durable().expect("it runs").facts.supervisor;
    let pid = crate::support::pid(supervisor.cast_signed());
    kill_process(pid, Signal::KILL).expect("it is killed");
}

#[test]
fn a_removed_socket_is_restored() {
    let jobs = Jobs::new();
    let (job, id) = jobs.start_with("sleep 1000", checked(&jobs), |command| command);
    let socket = jobs.file(&id, "socket");
    fs::remove_file(&socket).expect("it was there");
    until("the socket is there again", || socket.exists());
    let second = jobs.attach(&id, None);
    second.pid();
    assert!(second.handle.signal(Signal::KILL));
    assert_eq!(job.outcome().status(), Status::Signaled);
}

#[test]
fn a_job_whose_directory_was_removed_ends() {
    let jobs = Jobs::new();
    let (job, id) = jobs.start_with("sleep 1000", checked(&jobs), |command| command);
    fs::remove_dir_all(jobs.path().join(&id)).expect("it was there");
    assert_eq!(job.outcome().status(), Status::Signaled);
    jobs.tag.assert_gone();
}

#[test]
fn a_dead_supervisor_takes_its_tree_with_it_and_the_job_is_lost() {
    let jobs = Jobs::new();
    let (job, id) = jobs.start("echo text; setsid sleep 1000 & sleep 1000");
    jobs.tag.wait_for(2, "sleep");
    job.wait_for_stdout("text");
    kill_supervisor(&job);
    let outcome = job.outcome();
    assert_eq!(outcome.fault().expect("a fault").code, "DURABLE_LOST");
    assert_eq!(outcome.status(), Status::Failed);
    jobs.tag.assert_gone();
    let end = jobs.ended(&id).end.expect("an end");
    assert_eq!((end.cause, end.reason.as_deref(), end.total), (EndCause::Lost, Some("killed"), 5));
    let again = jobs.attach(&id, Some(0));
    assert_eq!(again.outcome().fault().expect("a fault").code, "DURABLE_LOST");
    assert_eq!(again.stdout(), "text\n");
}

#[test]
fn a_torn_end_is_none_and_a_reused_pid_is_nothing() {
    let jobs = Jobs::new();
    let (job, id) = jobs.start("echo text");
    job.outcome();
    jobs.ended(&id);
    let end = jobs.file(&id, "end");
    let mut bytes = fs::read(&end).expect("it is there");
    bytes[20..].fill(0);
    fs::write(&end, bytes).expect("it is torn");
    // Another process has the pid of the supervisor now: this one.
    let facts = fs::read_to_string(jobs.file(&id, "job")).expect("it is there");
    let line = |line: &str| {
        if line.starts_with("supervisor=") {
            format!("supervisor={}", std::process::id())
        } else {
            line.to_owned()
        }
    };
    let facts: Vec<String> = facts.lines().map(line).collect();
    fs::write(jobs.file(&id, "job"), facts.join("\n") + "\n").expect("it is written");
    let lost = jobs.ended(&id).end.expect("an end");
    assert_eq!((lost.cause, lost.total), (EndCause::Lost, 5));
    assert!(runs(std::process::id().cast_signed()));
}

#[test]
fn a_job_of_an_earlier_boot_was_lost_by_it_and_another_machines_is_left_alone() {
    let jobs = Jobs::new();
    let (job, id) = jobs.start("echo text");
    job.outcome();
    jobs.ended(&id);
    let (name, boot) = machine();
    let rewrite = |from: &str, to: &str| {
        fs::write(jobs.file(&id, "end"), [0; 4096]).expect("it is cleared");
        let facts = fs::read_to_string(jobs.file(&id, "job")).expect("it is there");
        fs::write(jobs.file(&id, "job"), facts.replace(from, to)).expect("it is written");
    };
    rewrite(&name, "elsewhere");
    let info = jobs.info(&id).expect("it is there");
    assert!(info.is_elsewhere && info.end.is_none());
    rewrite("machine=elsewhere", &format!("machine={name}"));
    rewrite(&boot, "earlier");
    assert_eq!(jobs.ended(&id).end.expect("an end").reason.as_deref(), Some("reboot"));
}

#[test]
fn ended_jobs_go_after_their_time() {
    let jobs = Jobs::new();
    let keep = StartOptions { keep: Duration::from_millis(1), ..jobs.options() };
    let (job, id) = jobs.start_with("true", keep, |command| command);
    job.outcome();
    until("it is gone", || jobs.info(&id).is_none());
    assert!(!jobs.path().join(&id).exists());
}

#[test]
fn what_dead_hosts_and_supervisors_have_left_goes() {
    let jobs = Jobs::new();
    let (_job, _) = jobs.start("sleep 1000");
    fs::create_dir(jobs.path().join(".new-dabc")).expect("a directory");
    fs::write(jobs.path().join(".new-dabc/lock"), "").expect("a lock");
    jobs.find(&JobFilter::default());
    assert!(!jobs.path().join(".new-dabc").exists());
}

#[test]
fn a_log_keeps_its_head_and_its_latest_part_and_counts_the_rest() {
    let jobs = Jobs::new();
    let options = StartOptions { max_log: 1 << 20, ..jobs.options() };
    let (job, id) = jobs.start_with("seq 1 400000", options, |command| command);
    // The first host has read along.
    let all = lines("", 1..=400_000);
    job.outcome();
    let info = jobs.ended(&id);
    assert_eq!(info.total, all.len() as u64);
    let again = jobs.attach(&id, Some(0));
    again.outcome();
    let kept = again.stdout();
    assert_eq!(kept.len() as u64 + info.dropped, info.total);
    assert!(info.dropped > 0 && kept.starts_with("1\n2\n") && kept.ends_with("\n400000\n"));
    let head = kept.bytes().zip(all.bytes()).take_while(|(a, b)| a == b).count();
    assert_eq!(&kept[head..], &all[all.len() - (kept.len() - head)..]);
}

#[test]
fn what_others_have_cut_off_a_log_counts_as_dropped() {
    let jobs = Jobs::new();
    let (job, id) = jobs.start("seq 1 2000");
    job.outcome();
    let log = jobs.file(&id, "log.0");
    let length = fs::metadata(&log).expect("a file").len();
    File::options().write(true).open(&log).expect("a file").set_len(length / 2).expect("it is cut");
    let reader = jobs.attach(&id, Some(0));
    let durable = reader.outcome().durable.expect("a durable job");
    let (kept, total) = (reader.stdout(), lines("", 1..=2000).len() as u64);
    assert!(lines("", 1..=2000).starts_with(&kept));
    assert_eq!((durable.total, durable.dropped), (total, total - kept.len() as u64));
}

#[test]
fn a_directory_that_others_may_open_is_refused() {
    let jobs = Jobs::new();
    fs::create_dir(jobs.path()).expect("a directory");
    fs::set_permissions(jobs.path(), fs::Permissions::from_mode(0o755)).expect("it is changed");
    let (job, _) = jobs.start("true");
    let fault = job.outcome().fault().expect("a fault");
    assert_eq!(fault.code, "DURABLE_DIRECTORY");
    assert!(fault.message.contains("0700"), "{}", fault.message);
}

#[test]
fn the_files_are_this_users_alone() {
    let jobs = Jobs::new();
    let (job, id) = jobs.start("sleep 1000");
    for file in fs::read_dir(jobs.path().join(&id)).expect("it is there") {
        let file = file.expect("a file");
        let mode = file.metadata().expect("it is there").permissions().mode() & 0o777;
        assert_eq!(mode, 0o600, "{:?}", file.file_name());
    }
    assert!(job.handle.ask(JobRequest::Detach));
}
