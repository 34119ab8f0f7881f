//! A command's life, from its start to each of its ends, with real processes.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]

mod support;

use std::fs;
use std::os::unix::process::CommandExt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use agent_bash::job::io::backpressure::{Flow, Want};
use agent_bash::job::io::observer::Observer;
use agent_bash::job::io::observer::StreamName;
use agent_bash::job::model::error::LaunchError;
use agent_bash::job::model::outcome::{Cause, End};
use agent_bash::job::model::plan::{Environment, Invocation};
use agent_bash::job::{self, Outcome, Plan, Request};
use agent_bash::process::helper::GUARDIAN;
use agent_bash::process::registry::Owner;
use agent_bash::process::table;
use agent_bash::process::wait::Exit;
use rustix::process::Signal;
use support::{
    Command, NEVER, PATH, TEST_DEADLINE, Tag, Workspace, eventually, open_descriptors, until, zombies,
};

const SHORT_TIMEOUT: Duration = Duration::from_millis(300);

/// Makes a shell, and the programs that it starts, ignore SIGTERM.
const IGNORE_SIGTERM: &str = "trap '' TERM";

fn launch_error(outcome: &Outcome) -> &LaunchError {
    match &outcome.end {
        End::NotStarted(error) => error,
        end => panic!("something was started: {end:?}"),
    }
}

// ------------------------------------------------------------------------------------------------ normal ends

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
    let job = Command::script("exit 0").start();
    let outcome = job.outcome();
    assert_eq!(table::inspect(support::pid(outcome.pid.expect("a pid"))), None);
    assert_eq!(zombies(), [0; 0]);
}

#[test]
fn a_job_that_has_ended_takes_no_requests() {
    let job = Command::script("exit 0").start();
    job.outcome();
    assert!(!job.handle.is_live());
    assert!(!job.handle.ask(Request::Stop(Cause::Killed, None)));
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
    Command::script("true").start().outcome();
    // The first command starts the guardian, whose socket stays open.
    until("the guardian", || {
        let own = rustix::process::getpid().as_raw_nonzero().get();
        table::snapshot().iter().any(|process| process.parent == own && support::runs(process, GUARDIAN))
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

// ------------------------------------------------------------------------------------------------------ output

#[test]
fn invalid_and_split_characters_come_out_as_valid_text() {
    let place = Workspace::new();
    let script = r"printf 'a\xe2\x82'; read -r _ <gate; printf '\xac\xff\xf0\x9f'";
    let job = Command::script(script).within(&place).start();
    job.wait_for_stdout("a");
    place.open_gate();
    let outcome = job.outcome();
    assert_eq!(job.stdout(), "a€\u{fffd}\u{fffd}");
    assert_eq!(outcome.stdout.text(), job.stdout());
}

#[test]
fn the_kept_output_is_bounded_and_the_streamed_output_is_not() {
    let job = Command::script("head -c 3000000 /dev/zero | tr '\\0' x").keep(1000).start();
    let outcome = job.outcome();
    assert_eq!(outcome.stdout.text(), "x".repeat(1000));
    assert_eq!(outcome.stdout.total, 3_000_000);
    assert_eq!(job.stdout().len(), 3_000_000);
}

#[test]
fn output_without_a_consumer_is_drained_and_counted() {
    let job = Command::script("head -c 30000000 /dev/zero; echo end >&2").keep(10).without_consumer().start();
    let outcome = job.outcome();
    assert_eq!((outcome.stdout.total, outcome.stdout.text().len()), (30_000_000, 10));
    assert_eq!(outcome.stderr.text(), "end\n");
    assert_eq!((job.stdout().as_str(), job.pieces()), ("", 0));
}

#[test]
fn output_in_small_writes_comes_in_fewer_pieces() {
    let job = Command::program("bash", &["-c", "for ((i = 0; i < 20000; i++)); do echo $i; done"]).start();
    let outcome = job.outcome();
    assert_eq!(outcome.stdout.text().lines().count(), 20_000);
    assert!(job.pieces() < 10_000, "{} pieces", job.pieces());
}

/// Returns the number of bytes that the process has written.
fn written(job: &support::Job) -> u64 {
    let counts = fs::read_to_string(format!("/proc/{}/io", job.pid().as_raw_nonzero())).unwrap_or_default();
    counts.lines().find_map(|line| line.strip_prefix("wchar: ")?.parse().ok()).unwrap_or_default()
}

/// Waits until the process has written something and stopped writing. Returns the number of bytes that it has
/// written.
fn written_at_rest(job: &support::Job) -> u64 {
    eventually("the writer rests", || {
        let before = written(job);
        std::thread::sleep(SHORT_TIMEOUT);
        (before > 0 && written(job) == before).then_some(before)
    })
}

const OUTPUT_SIZE: u64 = 60_000_000;

/// More than the pipe and the engine buffer between a writer and a consumer that does not consume (bytes).
const MAX_BUFFERED: u64 = 6_000_000;

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "what is written is read from /proc")]
fn a_paused_consumer_makes_the_command_wait_and_a_resumed_one_gets_all() {
    let job = Command::program("head", &["-c", "60000000", "/dev/zero"]).paused().start();
    let at_rest = written_at_rest(&job);
    assert!(at_rest < MAX_BUFFERED, "{at_rest} bytes");
    assert!(!job.is_over());
    job.handle.flow().pause(false);
    let outcome = job.outcome();
    assert_eq!((outcome.end, outcome.stdout.total), (End::Exit(Exit::Code(0)), OUTPUT_SIZE));
    assert_eq!(job.stdout().len() as u64, OUTPUT_SIZE);
}

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "what is written is read from /proc")]
fn a_slow_consumer_makes_the_command_wait() {
    let job = Command::program("head", &["-c", "60000000", "/dev/zero"]).without_acknowledgement().start();
    let at_rest = written_at_rest(&job);
    assert!(at_rest < MAX_BUFFERED, "{at_rest} bytes");
    // Acknowledges everything at once from here on.
    while !job.is_over() {
        let flow = job.handle.flow();
        if !flow.has_room() {
            flow.consumed(256 * 1024);
        }
        std::thread::yield_now();
    }
    assert_eq!(job.outcome().stdout.total, OUTPUT_SIZE);
}

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "what is written is read from /proc")]
fn a_consumer_that_stops_listening_lets_the_command_go_on() {
    let job = Command::program("head", &["-c", "60000000", "/dev/zero"]).paused().start();
    written_at_rest(&job);
    job.handle.flow().want(false);
    assert_eq!(job.outcome().stdout.total, OUTPUT_SIZE);
}

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "what is written is read from /proc")]
fn a_paused_job_can_be_stopped() {
    let job = Command::script("yes").paused().start();
    written_at_rest(&job);
    assert!(job.handle.ask(Request::Stop(Cause::Killed, None)));
    assert_eq!(job.outcome().cause, Some(Cause::Killed));
    job.tag.wait_until_gone();
}

#[test]
fn a_paused_job_times_out() {
    let job = Command::script("yes").paused().timeout(SHORT_TIMEOUT).start();
    assert_eq!(job.outcome().cause, Some(Cause::Timeout));
    job.tag.wait_until_gone();
}

// ---------------------------------------------------------------------------------------------------- timeouts

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

/// A writer that is faster than any reader, since `splice` copies nothing.
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

// ------------------------------------------------------------------------------------------------------- stops

#[test]
fn an_immediate_stop_sends_no_sigterm() {
    let job = Command::script("trap 'echo bye' TERM; echo hi; while :; do sleep 0.1; done").start();
    job.wait_for_stdout("hi");
    assert!(job.handle.ask(Request::StopAtOnce(Cause::Killed)));
    let outcome = job.outcome();
    assert_eq!((outcome.end, outcome.cause), (End::Exit(Exit::Signal(9)), Some(Cause::Killed)));
    assert_eq!(outcome.stdout.text(), "hi\n");
    job.tag.assert_gone();
}

#[test]
fn an_immediate_stop_ends_the_grace_and_the_first_cause_counts() {
    let job = Command::script(&format!("{IGNORE_SIGTERM}; echo hi; while :; do sleep 1000; done"))
        .grace(NEVER)
        .start();
    job.wait_for_stdout("hi");
    assert!(job.handle.ask(Request::Stop(Cause::Aborted, None)));
    assert!(job.handle.ask(Request::StopAtOnce(Cause::OwnerGone)));
    let outcome = job.outcome();
    assert_eq!((outcome.end, outcome.cause), (End::Exit(Exit::Signal(9)), Some(Cause::Aborted)));
    job.tag.assert_gone();
}

#[test]
fn a_stop_before_the_process_is_spawned_ends_the_job() {
    for _ in 0..30 {
        let job = Command::script("sleep 1000").start();
        assert!(job.handle.ask(Request::StopAtOnce(Cause::Aborted)));
        let outcome = job.outcome();
        assert_eq!(outcome.cause, Some(Cause::Aborted));
        match outcome.end {
            End::NotStarted(error) => assert_eq!(error.code(), "ABORT_ERR"),
            end => assert_eq!(end, End::Exit(Exit::Signal(9))),
        }
        job.tag.wait_until_gone();
    }
}

#[test]
fn a_signal_sent_before_the_process_is_spawned_reaches_it() {
    for _ in 0..20 {
        let job = Command::program("sleep", &["1000"]).start();
        assert!(job.handle.signal(Signal::INT));
        let was_hit = (0..2000).any(|_| {
            std::thread::sleep(Duration::from_millis(1));
            job.is_over()
        });
        assert!(job.handle.signal(Signal::KILL) || was_hit);
        let outcome = job.outcome();
        assert_eq!(
            outcome.end,
            End::Exit(Exit::Signal(libc::SIGINT)),
            "sent and taken as sent, but it never came"
        );
    }
}

#[test]
fn another_signal_is_forwarded_to_the_group_and_ends_nothing() {
    let script =
        "trap 'echo got it' USR1; echo ready; n=0; while [ $n -lt 600 ]; do sleep 0.05; n=$((n + 1)); done";
    let job = Command::script(script).start();
    job.wait_for_stdout("ready");
    // The signal kills the `sleep` that runs in the group, and the shell starts the next one.
    assert!(job.handle.signal(Signal::USR1));
    job.wait_for_stdout("got it");
    assert!(!job.is_over());
    assert!(job.handle.signal(Signal::KILL));
    let outcome = job.outcome();
    assert_eq!((outcome.end, outcome.cause), (End::Exit(Exit::Signal(9)), Some(Cause::Killed)));
}

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "the test reads /proc")]
fn a_command_stopped_by_sigstop_takes_sigterm() {
    let job = Command::script("trap 'exit 8' TERM; echo ready; while :; do sleep 0.05; done").start();
    job.wait_for_stdout("ready");
    assert!(job.handle.signal(Signal::STOP));
    let path = format!("/proc/{}/stat", job.pid().as_raw_nonzero());
    until("it is stopped", || fs::read_to_string(&path).unwrap().contains(") T "));
    assert!(job.handle.signal(Signal::TERM));
    assert_eq!(job.outcome().end, End::Exit(Exit::Code(8)));
    job.tag.assert_gone();
}

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "processes are found in /proc")]
fn a_stop_ends_the_group_other_sessions_and_orphans() {
    let script = "sleep 1000 & setsid sleep 1000 & (setsid sh -c 'sleep 1000 & sleep 1000' &) ; sleep 1000";
    for request in [Request::Stop(Cause::Killed, None), Request::StopAtOnce(Cause::Killed)] {
        let job = Command::script(script).start();
        job.tag.wait_for(5, "sleep");
        assert!(job.handle.ask(request));
        assert_eq!(job.outcome().cause, Some(Cause::Killed));
        job.tag.assert_gone();
    }
}

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "processes are found in /proc")]
fn a_stop_ends_orphans_of_other_sessions_that_hold_no_output() {
    let script = "exec 3>&1 >/dev/null 2>&1; setsid sh -c 'setsid sleep 1000 3>&- & setsid sleep 1000 3>&- &' 3>&-; exec sleep 1000";
    for request in [Request::Stop(Cause::Killed, None), Request::StopAtOnce(Cause::Killed)] {
        let job = Command::script(script).start();
        job.tag.wait_for(3, "sleep");
        assert!(job.handle.ask(request));
        job.outcome();
        job.tag.assert_gone();
    }
}

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "processes are found in /proc")]
fn a_fresh_session_that_ignores_sigterm_does_not_outlive_its_leader() {
    // Scans become rare with time: the session starts between two of them.
    let place = Workspace::new();
    let deaf = "trap \"\" TERM; echo >made; exec sleep 1000";
    let script = format!("read -r _ <gate; setsid sh -c '{deaf}' >/dev/null 2>&1 & wait");
    let job = Command::script(&script).within(&place).grace(SHORT_TIMEOUT).start();
    std::thread::sleep(Duration::from_millis(3200));
    place.open_gate();
    until("the session is there", || place.file("made").exists());
    job.tag.wait_for(1, "sleep");
    assert!(job.handle.ask(Request::Stop(Cause::Killed, None)));
    job.outcome();
    job.tag.assert_gone();
}

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "processes are found in /proc")]
fn a_signal_during_the_grace_does_not_make_the_job_forget_its_members() {
    let place = Workspace::new();
    let deaf = "trap \"\" TERM USR1; echo >made; exec sleep 1000";
    let script = format!("read -r _ <gate; setsid sh -c '{deaf}' >/dev/null 2>&1 & wait");
    let job = Command::script(&script).within(&place).grace(Duration::from_secs(2)).start();
    std::thread::sleep(Duration::from_millis(3200));
    place.open_gate();
    until("the session is there", || place.file("made").exists());
    job.tag.wait_for(1, "sleep");
    assert!(job.handle.ask(Request::Stop(Cause::Killed, None)));
    job.wait_for_exit();
    let _ = job.handle.signal(Signal::USR1);
    job.outcome();
    job.tag.assert_gone();
}

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "processes are found in /proc")]
fn a_command_that_keeps_starting_sessions_leaves_no_process() {
    let script = "while :; do setsid sleep 1000 >/dev/null 2>&1 & done";
    let job = Command::script(&format!("ulimit -u unlimited; {script}")).start();
    until("there are some", || job.tag.processes().len() > 30);
    assert!(job.handle.ask(Request::StopAtOnce(Cause::Killed)));
    job.outcome();
    job.tag.assert_gone_within(Duration::from_secs(3));
}

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "there is no program setsid")]
fn a_command_that_starts_sessions_on_sigterm_leaves_no_process() {
    // Long enough for a scan to see it with its child: a shell that exits at once leaves its child to init unseen.
    let trap = "trap 'setsid sleep 1000 >/dev/null 2>&1 & sleep 1; exit 0' TERM";
    let job = Command::script(&format!("{trap}; echo ready; while :; do sleep 0.05; done")).start();
    job.wait_for_stdout("ready");
    assert!(job.handle.ask(Request::Stop(Cause::Killed, None)));
    job.outcome();
    job.tag.assert_gone_within(Duration::from_secs(3));
}

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "processes are found in /proc")]
fn stopping_one_job_leaves_the_others_alone() {
    let (first, second) = (
        Command::script("sleep 1000").start(),
        Command::script("setsid sleep 1000 & sleep 1000 & wait").start(),
    );
    first.tag.wait_for(1, "sleep");
    second.tag.wait_for(2, "sleep");
    assert!(first.handle.ask(Request::StopAtOnce(Cause::Killed)));
    first.outcome();
    assert_eq!(second.tag.wait_for(2, "sleep").len(), 2);
    assert!(second.handle.ask(Request::StopAtOnce(Cause::Killed)));
    second.outcome();
    second.tag.assert_gone();
}

// ------------------------------------------------------------------------------------------------------ owners

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "processes are found in /proc")]
fn closing_an_owner_kills_its_jobs_and_no_others() {
    let (owner, other) = (Owner::default(), Owner::default());
    let script = "trap '' TERM; setsid sleep 1000 & sleep 1000";
    let jobs: Vec<_> = (0..3).map(|_| Command::script(script).start_for(&owner)).collect();
    let survivor = Command::script("exec sleep 1000").start_for(&other);
    survivor.tag.wait_for(1, "sleep");
    for job in &jobs {
        job.tag.wait_for(2, "sleep");
    }
    job::close(&owner);
    for job in &jobs {
        assert_eq!(job.outcome().end, End::Exit(Exit::Signal(9)));
        job.tag.wait_until_gone();
    }
    assert!(!survivor.is_over());
    assert!(survivor.handle.signal(Signal::KILL));
    survivor.outcome();
}

#[test]
fn a_closed_owner_starts_nothing() {
    let owner = Owner::default();
    Command::script("true").start_for(&owner).outcome();
    job::close(&owner);
    let job = Command::script("sleep 1000").start_for(&owner);
    let outcome = job.outcome();
    assert_eq!(launch_error(&outcome).code(), "ABORT_ERR");
    assert_eq!(outcome.cause, Some(Cause::OwnerGone));
    job.tag.assert_gone();
}

#[test]
fn an_owner_closed_before_the_first_command_starts_nothing() {
    let owner = Owner::default();
    job::close(&owner);
    let job = Command::script("sleep 1000").timeout(Duration::from_secs(5)).start_for(&owner);
    assert_eq!(job.outcome().cause, Some(Cause::OwnerGone));
}

#[test]
fn closing_an_owner_while_its_commands_are_being_started_leaves_none() {
    for _ in 0..10 {
        let owner = Owner::default();
        let jobs: Vec<_> = (0..8).map(|_| Command::script("exec sleep 1000").start_for(&owner)).collect();
        job::close(&owner);
        for job in &jobs {
            job.outcome();
            job.tag.wait_until_gone();
        }
    }
}

// --------------------------------------------------------------------------------------------- what goes wrong

#[test]
fn a_failed_launch_ends_once_with_its_error() {
    let job = Command::program("no-such-program", &[]).start();
    let outcome = job.outcome();
    let error = launch_error(&outcome);
    assert_eq!(
        (error.code().as_str(), error.to_string().as_str()),
        ("ENOENT", "spawn no-such-program ENOENT")
    );
    assert_eq!((outcome.cause, outcome.pid), (None, None));
    assert!(!job.handle.is_live());
    std::thread::sleep(SHORT_TIMEOUT);
    assert_eq!(job.ends(), 1);
}

#[test]
fn a_null_byte_ends_the_job_with_an_error() {
    let outcome = Command::script("echo a\0b").start().outcome();
    assert_eq!(launch_error(&outcome).code(), "ERR_INVALID_ARG_VALUE");
}

/// A consumer that panics.
struct Panicking(std::sync::mpsc::Sender<()>);

impl Observer for Panicking {
    fn output(&self, _: StreamName, _: String) {
        panic!("on purpose");
    }

    fn ended(&self, _: Outcome) {
        let _ = self.0.send(());
    }
}

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "there is no program setsid")]
fn a_consumer_that_panics_gets_an_outcome_and_its_command_is_killed() {
    let tag = Tag::new();
    let (sender, ended) = std::sync::mpsc::channel();
    let invocation = Invocation::Shell {
        program: "/bin/bash".to_owned(),
        flags: vec!["-c".to_owned()],
        command: "echo hi; sleep 1000 & setsid sleep 1000".to_owned(),
    };
    let environment = Environment(format!("{PATH}\0{}", tag.variable()));
    let plan = Plan { environment, ..Plan::new(invocation) };
    let _job =
        job::start(plan, &Owner::default(), Arc::new(Flow::new(Want::Somebody)), Arc::new(Panicking(sender)));
    ended.recv_timeout(TEST_DEADLINE).expect("the end");
    tag.assert_gone_within(Duration::from_secs(5));
    assert_eq!(zombies(), [0; 0]);
}

/// Starts a process with this very pid, or returns `None`: it takes privileges, and no other process may be faster.
fn stranger_with_pid(number: i32, tag: &Tag) -> Option<std::process::Child> {
    let (name, value) = tag.variable().split_once('=').expect("a variable");
    for _ in 0..300 {
        fs::write("/proc/sys/kernel/ns_last_pid", (number - 1).to_string()).ok()?;
        let mut child = std::process::Command::new("sleep")
            .arg("1000")
            .env(name, value)
            .process_group(0)
            .spawn()
            .expect("it starts");
        if i32::try_from(child.id()) == Ok(number) {
            return Some(child);
        }
        child.kill().expect("killed");
        child.wait().expect("reaped");
    }
    None
}

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "there is no program setsid")]
fn a_stranger_with_the_pid_of_an_escaped_process_is_not_killed() {
    let (place, owner, tag) = (Workspace::new(), Owner::default(), Tag::new());
    let script = "setsid sh -c 'echo $$ >pid; read -r _ <gate' >/dev/null 2>&1 & wait; sleep 1000";
    let job = Command::script(script).within(&place).start_for(&owner);
    let number: i32 =
        eventually("its number", || fs::read_to_string(place.file("pid")).ok()?.trim().parse().ok());
    // Long enough for a scan to enter it into the registry as escaped.
    std::thread::sleep(Duration::from_millis(1500));
    place.open_gate();
    until("it is gone", || table::inspect(support::pid(number)).is_none());
    let Some(mut stranger) = stranger_with_pid(number, &tag) else { return };
    job::close(&owner);
    job.outcome();
    std::thread::sleep(SHORT_TIMEOUT);
    assert_eq!(stranger.try_wait().expect("a look"), None, "the stranger lives");
    stranger.kill().expect("killed");
    stranger.wait().expect("reaped");
}
