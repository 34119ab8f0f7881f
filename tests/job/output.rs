//! The output of a command: text, limits and backpressure.

use std::fs;

use crate::SHORT_TIMEOUT;
use crate::support::{Command, Workspace, eventually};
use agent_bash::job::JobRequest;
use agent_bash::job::model::outcome::{Cause, End};
use agent_bash::process::wait::Exit;

#[test]
fn invalid_and_split_characters_become_valid_text() {
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
fn written(job: &crate::support::Job) -> u64 {
    let counts = fs::read_to_string(format!("/proc/{}/io", job.pid().as_raw_nonzero())).unwrap_or_default();
    counts.lines().find_map(|line| line.strip_prefix("wchar: ")?.parse().ok()).unwrap_or_default()
}

/// Waits until the process has written something and stopped writing. Returns the number of bytes written.
fn written_at_rest(job: &crate::support::Job) -> u64 {
    eventually("the writer rests", || {
        let before = written(job);
        std::thread::sleep(SHORT_TIMEOUT);
        (before > 0 && written(job) == before).then_some(before)
    })
}

const OUTPUT_SIZE: u64 = 60_000_000;

/// More than the pipe and the engine buffer (bytes) between a writer and a consumer that does not consume.
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
    // From here on, every piece is acknowledged at once.
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
    assert!(job.handle.ask(JobRequest::Stop(Cause::Killed, None)));
    assert_eq!(job.outcome().cause, Some(Cause::Killed));
    job.tag.wait_until_gone();
}

#[test]
fn a_paused_job_times_out() {
    let job = Command::script("yes").paused().timeout(SHORT_TIMEOUT).start();
    assert_eq!(job.outcome().cause, Some(Cause::Timeout));
    job.tag.wait_until_gone();
}
