//! A command's life from its start to a normal end, or to a timeout.

use std::fs;
use std::time::{Duration, Instant};

use crate::support::{Command, Workspace, is_alone, open_descriptors, until, zombies};
use crate::{IGNORE_SIGTERM, SHORT_TIMEOUT};
use agent_bash::job::JobRequest;
use agent_bash::job::model::outcome::{Cause, End};
use agent_bash::process::helper_program::GUARDIAN;
use agent_bash::process::table;
use agent_bash::process::wait::Exit;
use rustix::process::Signal;

#[test]
fn a_command_that_exits_has_its_output_and_its_code() {
    let job = Command::script("echo out; echo err >&2; exit 3").start();
    let outcome = job.outcome();
    assert_eq!(outcome.end, End::Exit(Exit::Code(3)));
    assert_eq!(outcome.cause, None);
    assert_eq!((outcome.stdout.text().as_str(), outcome.stderr.text().as_str()), ("out\n", "err\n"));
    assert_eq!((job.stdout().as_str(), job.stderr().as_str()), ("out\n", "err\n"));
    assert_eq!(outcome.pid, job.handle.pid());
}

#[test]
fn a_command_that_kills_itself_has_its_signal_and_no_cause() {
    let outcome = Command::script("kill -SEGV $$").start().outcome();
    assert_eq!((outcome.end, outcome.cause), (End::Exit(Exit::Signal(libc::SIGSEGV)), None));
}

#[test]
fn a_program_without_a_shell_gets_its_words_as_they_are() {
    let outcome = Command::program("printf", &["[%s]", "a b", "$HOME", "*", ""]).start().outcome();
    assert_eq!(outcome.stdout.text(), "[a b][$HOME][*][]");
}

#[test]
fn the_process_is_reaped_before_the_end_is_reported() {
    if !is_alone("life::the_process_is_reaped_before_the_end_is_reported") {
        return;
    }
    let job = Command::script("exit 0").start();
    let outcome = job.outcome();
    assert_eq!(table::inspect(crate::support::pid(outcome.pid.expect("a pid"))), None);
    assert_eq!(zombies(), [0; 0]);
}

#[test]
fn a_job_that_has_ended_takes_no_requests() {
    let job = Command::script("exit 0").start();
    job.outcome();
    assert!(!job.handle.is_live());
    assert!(!job.handle.ask(JobRequest::Stop(Cause::Killed, None)));
    assert!(!job.handle.signal(Signal::USR1));
    assert_eq!(job.ends(), 1);
}

#[test]
fn output_that_a_background_process_holds_is_waited_for() {
    let place = Workspace::new();
    let job = Command::script("(read -r _ <gate; echo late) & echo early; exit 5").within(&place).start();
    job.wait_for_stdout("early");
    job.wait_for_exit();
    assert!(!job.is_over(), "the output has not ended");
    place.open_gate();
    let outcome = job.outcome();
    assert_eq!(outcome.stdout.text(), "early\nlate\n");
    assert_eq!((outcome.end, outcome.cause), (End::Exit(Exit::Code(5)), None));
    job.tag.wait_until_gone();
}

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "there is no program setsid")]
fn output_that_a_process_of_another_session_holds_is_waited_for() {
    let place = Workspace::new();
    let script = "setsid --fork sh -c 'read -r _ <gate; echo late >&2' >/dev/null; echo early";
    let job = Command::script(script).within(&place).start();
    job.wait_for_exit();
    place.open_gate();
    assert_eq!(job.outcome().stderr.text(), "late\n");
}

#[test]
fn a_command_that_closes_its_output_is_waited_for() {
    let place = Workspace::new();
    let job = Command::script("exec >&- 2>&-; read -r _ <gate; exit 6").within(&place).start();
    place.open_gate();
    assert_eq!(job.outcome().end, End::Exit(Exit::Code(6)));
}

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "processes are found in /proc")]
fn a_background_process_without_the_output_outlives_a_normal_end() {
    let job = Command::script("sleep 1000 >/dev/null 2>&1 & exit 0").start();
    assert_eq!(job.outcome().end, End::Exit(Exit::Code(0)));
    assert_eq!(job.tag.processes().len(), 1, "it was let go on purpose");
}

#[test]
fn many_jobs_at_once_have_each_its_own_output() {
    let jobs: Vec<_> =
        (0..60).map(|number| Command::script(&format!("echo {number}; exit {number}")).start()).collect();
    for (number, job) in jobs.iter().enumerate() {
        let outcome = job.outcome();
        assert_eq!(outcome.stdout.text(), format!("{number}\n"));
        assert_eq!(outcome.end, End::Exit(Exit::Code(i32::try_from(number).unwrap())));
    }
}

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "processes are found in /proc")]
fn jobs_leave_no_descriptor_and_no_zombie_behind() {
    if !is_alone("life::jobs_leave_no_descriptor_and_no_zombie_behind") {
        return;
    }
    // A command starts the guardian, whose socket stays open, unless another test takes all descriptors then.
    until("the guardian", || {
        Command::script("true").start().outcome();
        let own = rustix::process::getpid().as_raw_nonzero().get();
        table::snapshot()
            .iter()
            .any(|process| process.parent == own && crate::support::runs(process, GUARDIAN))
    });
    Command::script("true").start().outcome();
    let before = open_descriptors();
    for _ in 0..10 {
        let normal = Command::script("true").start();
        let failed = Command::script("true").directory("/nonexistent").start();
        let killed = Command::script("sleep 1000 & setsid sleep 1000").start();
        killed.tag.wait_for(2, "sleep");
        assert!(killed.handle.signal(Signal::KILL));
        for job in [normal, failed, killed] {
            job.outcome();
        }
    }
    until("the descriptors are closed", || open_descriptors() <= before);
    until("the zombies are reaped", || zombies().is_empty());
}

#[test]
fn a_timeout_ends_a_command_that_obeys_sigterm() {
    let job = Command::script("trap 'echo bye; exit 7' TERM; echo hi; sleep 1000 & wait")
        .timeout(SHORT_TIMEOUT)
        .start();
    let outcome = job.outcome();
    assert_eq!((outcome.end, outcome.cause), (End::Exit(Exit::Code(7)), Some(Cause::Timeout)));
    assert_eq!(outcome.stdout.text(), "hi\nbye\n", "the output so far, and the last words");
    assert!(outcome.duration >= SHORT_TIMEOUT);
    job.tag.assert_gone();
}

#[test]
fn a_timeout_kills_a_command_that_ignores_sigterm_after_the_grace() {
    let grace = Duration::from_millis(400);
    let job = Command::script(&format!("{IGNORE_SIGTERM}; echo hi; while :; do sleep 1000; done"))
        .timeout(SHORT_TIMEOUT)
        .grace(grace)
        .start();
    let outcome = job.outcome();
    assert_eq!((outcome.end, outcome.cause), (End::Exit(Exit::Signal(9)), Some(Cause::Timeout)));
    assert_eq!(outcome.stdout.text(), "hi\n");
    assert!(outcome.duration >= SHORT_TIMEOUT + grace, "{:?}", outcome.duration);
    job.tag.assert_gone();
}

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "processes are found in /proc")]
fn a_timeout_ends_a_holder_in_another_session_after_the_exit() {
    let script = "setsid --fork sleep 1000 >/dev/null; setsid --fork sleep 1000; echo early; exit 3";
    let job = Command::script(script).timeout(SHORT_TIMEOUT).start();
    let outcome = job.outcome();
    assert_eq!((outcome.end, outcome.cause), (End::Exit(Exit::Code(3)), Some(Cause::Timeout)));
    assert_eq!(outcome.stdout.text(), "early\n");
    until("the holder is gone", || job.tag.processes().len() <= 1);
}

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "there is no program setsid")]
fn a_timeout_kills_a_holder_that_ignores_sigterm_after_the_grace() {
    let script = format!("{IGNORE_SIGTERM}; setsid --fork sleep 1000; (exec sleep 1000) & exit 3");
    let job = Command::script(&script).timeout(SHORT_TIMEOUT).grace(SHORT_TIMEOUT).start();
    let outcome = job.outcome();
    assert_eq!((outcome.end, outcome.cause), (End::Exit(Exit::Code(3)), Some(Cause::Timeout)));
    job.tag.assert_gone();
}

#[test]
fn a_timeout_of_zero_ends_the_command_at_once() {
    let job = Command::script("sleep 1000").timeout(Duration::ZERO).start();
    assert_eq!(job.outcome().cause, Some(Cause::Timeout));
    job.tag.wait_until_gone();
}

#[test]
fn the_longest_timeout_never_expires() {
    let job = Command::script("echo hi").timeout(Duration::MAX).start();
    let outcome = job.outcome();
    assert_eq!((outcome.end, outcome.stdout.text().as_str()), (End::Exit(Exit::Code(0)), "hi\n"));
}

#[test]
fn a_flood_is_bounded_and_times_out_in_time() {
    for wanted in [true, false] {
        let command = Command::script("yes & yes & yes & yes >&2 & wait")
            .keep(1000)
            .timeout(SHORT_TIMEOUT)
            .grace(SHORT_TIMEOUT);
        let job = if wanted { command.without_acknowledgement() } else { command.without_consumer() }.start();
        let outcome = job.outcome();
        assert_eq!(outcome.cause, Some(Cause::Timeout));
        assert_eq!(outcome.stdout.text().len(), 1000);
        assert!(outcome.duration < Duration::from_secs(10), "wanted {wanted}: {:?}", outcome.duration);
        job.tag.wait_until_gone();
    }
}

#[test]
fn a_flood_that_ignores_sigterm_is_killed_in_time() {
    let script = format!("{IGNORE_SIGTERM}; yes & yes & yes & yes >&2 & wait");
    let job = Command::script(&script)
        .without_consumer()
        .keep(1000)
        .timeout(SHORT_TIMEOUT)
        .grace(SHORT_TIMEOUT)
        .start();
    let outcome = job.outcome();
    assert_eq!(outcome.cause, Some(Cause::Timeout));
    assert!(outcome.duration < Duration::from_secs(10), "{:?}", outcome.duration);
    job.tag.wait_until_gone();
}

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "processes are found in /proc")]
fn a_flood_does_not_delay_other_jobs() {
    let flood = Command::script("yes & yes & yes & yes >&2 & wait").without_consumer().keep(10).start();
    flood.tag.wait_for(4, "yes");
    let started = Instant::now();
    for _ in 0..5 {
        assert_eq!(Command::script("echo hi").start().outcome().stdout.text(), "hi\n");
    }
    assert!(started.elapsed() < Duration::from_secs(10), "{:?}", started.elapsed());
    assert!(flood.handle.signal(Signal::KILL));
    flood.outcome();
    flood.tag.wait_until_gone();
}

/// A writer that is faster than any reader, because `splice` copies nothing.
const SPLICE_WRITER: &str = "exec perl -e '
    use strict; use warnings;
    my ($file, $size) = ($ARGV[0], 1 << 20);
    open my $from, \"<\", $file or die;
    while (1) { my $at = pack \"q\", 0; syscall(275, fileno $from, $at, 1, 0, $size, 0) >= 0 or die; }' file";

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "it takes a system call of Linux")]
fn a_writer_that_is_faster_than_the_reader_delays_no_timeout() {
    let place = Workspace::new();
    fs::write(place.file("file"), vec![b'x'; 1 << 20]).expect("written");
    let job = Command::script(&format!("echo on stderr >&2; ({SPLICE_WRITER}) & ({SPLICE_WRITER}) & wait"))
        .within(&place)
        .without_consumer()
        .keep(1000)
        .timeout(SHORT_TIMEOUT)
        .grace(SHORT_TIMEOUT)
        .start();
    let outcome = job.outcome();
    assert_eq!(outcome.cause, Some(Cause::Timeout));
    assert!(outcome.stdout.total > 1_000_000, "{} bytes", outcome.stdout.total);
    assert_eq!(outcome.stderr.text(), "on stderr\n");
    assert!(outcome.duration < Duration::from_secs(10), "{:?}", outcome.duration);
    job.tag.wait_until_gone();
}
