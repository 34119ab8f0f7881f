//! The effects of a plan's options: input, leftovers, times, output and limits.

use std::time::Duration;

use crate::support::{Command, NEVER, Workspace, until};
use agent_bash::job::JobRequest;
use agent_bash::job::model::outcome::{Cause, End};
use agent_bash::job::model::plan::{Drain, Form, Input, Leftovers, Limits, Spill};
use agent_bash::process::wait::Exit;
use agent_bash::text::{Keep, Keeping, Shape};
use rustix::process::Signal;

const SHORT_DRAIN: Drain = Drain { idle: Duration::from_millis(50), most: NEVER };

fn counted(script: &str, leftovers: Leftovers) -> Command {
    let mut command = Command::script(script);
    command.plan.leftovers = Some(leftovers);
    command.plan.drain = Some(SHORT_DRAIN);
    command.plan.is_tagged = true;
    command
}

// -------------------------------------------------------------------------------------------------------
// input

#[test]
fn the_input_is_read_to_its_end() {
    let mut command = Command::script("wc -c | tr -d ' '; echo more");
    command.plan.input = Input::Bytes(vec![b'x'; 3_000_000]);
    assert_eq!(command.start().outcome().stdout.text(), "3000000\nmore\n");
}

#[test]
fn a_command_that_does_not_read_its_input_exits_normally() {
    for script in ["exit 4", "head -c 1 >/dev/null; exit 4", "exec <&-; exit 4"] {
        let mut command = Command::script(script);
        command.plan.input = Input::Bytes(vec![b'x'; 3_000_000]);
        assert_eq!(command.start().outcome().end, End::Exit(Exit::Code(4)));
    }
}

#[test]
fn written_input_arrives_in_order_until_its_end() {
    let mut command = Command::script("cat; echo end");
    command.plan.input = Input::Open;
    let job = command.start();
    for number in 0..100 {
        assert!(job.handle.input().write(format!("{number}\n").into_bytes()));
    }
    job.wait_for_stdout("99\n");
    job.handle.input().end();
    assert!(!job.handle.input().write(b"too late".to_vec()));
    let text: Vec<String> = (0..100).map(|number| format!("{number}\n")).collect();
    assert_eq!(job.outcome().stdout.text(), text.concat() + "end\n");
}

#[test]
fn a_job_that_has_ended_takes_no_input() {
    let mut command = Command::script("true");
    command.plan.input = Input::Open;
    let job = command.start();
    job.outcome();
    until("its input is closed", || !job.handle.input().write(b"x".to_vec()));
}

// ---------------------------------------------------------------------------------------------------
// leftovers

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "processes are found in /proc")]
fn kept_leftovers_are_reported_and_live_on() {
    let job = counted("sleep 1000 & setsid sleep 1000 >/dev/null 2>&1 & exit 3", Leftovers::Keep).start();
    let outcome = job.outcome();
    assert_eq!((outcome.end, outcome.background_pids.len()), (End::Exit(Exit::Code(3)), 2));
    assert_eq!(job.tag.wait_for(2, "sleep").len(), 2);
}

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "there is no program setsid")]
fn a_daemon_that_no_scan_has_seen_is_reported() {
    let script = "(setsid sh -c 'sleep 1000 </dev/null >/dev/null 2>&1 &') ; exit 0";
    let outcome = counted(script, Leftovers::Keep).start().outcome();
    assert_eq!(outcome.background_pids.len(), 1);
}

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "processes are found in /proc")]
fn kept_leftovers_can_go_on_writing() {
    let script = "(sleep 0.3; for i in 1 2 3; do echo $i; done; exec sleep 1000) & exit 0";
    let job = counted(script, Leftovers::Keep).start();
    job.outcome();
    // A closed pipe would have killed the writer.
    std::thread::sleep(Duration::from_millis(600));
    job.tag.wait_for(1, "sleep");
}

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "there is no program setsid")]
fn killed_leftovers_do_not_change_the_status() {
    let script = "trap '' TERM; sleep 1000 & setsid sleep 1000 >/dev/null 2>&1 & exit 3";
    let job = counted(script, Leftovers::Kill).grace(Duration::from_millis(50)).start();
    let outcome = job.outcome();
    assert_eq!((outcome.end, outcome.cause), (End::Exit(Exit::Code(3)), None));
    assert!(outcome.background_pids.is_empty());
    job.tag.wait_until_gone();
}

#[test]
fn adopted_leftovers_are_the_job_until_the_last_one_exits() {
    let script = "sleep 0.4 >/dev/null 2>&1 & (sleep 0.2; echo late) & echo early";
    let job = counted(script, Leftovers::Adopt).start();
    let outcome = job.outcome();
    assert_eq!(outcome.stdout.text(), "early\nlate\n");
    assert!(outcome.duration >= Duration::from_millis(400));
    assert!(outcome.background_pids.is_empty());
}

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "there is no program setsid")]
fn adopted_leftovers_can_be_killed() {
    let job = counted("setsid sleep 1000 & echo up", Leftovers::Adopt).start();
    job.wait_for_stdout("up");
    std::thread::sleep(Duration::from_millis(200));
    assert!(!job.is_over());
    assert!(job.handle.signal(Signal::TERM));
    let outcome = job.outcome();
    assert_eq!((outcome.end, outcome.cause), (End::Exit(Exit::Code(0)), Some(Cause::Killed)));
    job.tag.wait_until_gone();
}

#[test]
fn output_during_the_drain_is_kept() {
    let mut command = counted("(sleep 0.1; echo late) & echo early", Leftovers::Keep);
    command.plan.drain = Some(Drain { idle: NEVER, most: NEVER });
    assert_eq!(command.start().outcome().stdout.text(), "early\nlate\n");
}

#[test]
fn a_flood_from_a_leftover_ends_with_the_drain() {
    let mut command = counted("yes & exit 0", Leftovers::Kill);
    command.plan.drain = Some(Drain { idle: NEVER, most: Duration::from_millis(100) });
    let job = command.start();
    assert_eq!(job.outcome().end, End::Exit(Exit::Code(0)));
    job.tag.wait_until_gone();
}

// -------------------------------------------------------------------------------------------------------
// times

#[test]
fn silence_ends_a_command_and_output_restarts_the_idle_timeout() {
    let mut command = Command::script("for i in 1 2 3 4 5 6; do echo $i; sleep 0.1; done; exec sleep 1000");
    command.plan.times.idle = Some(Duration::from_millis(400));
    let outcome = command.start().outcome();
    assert_eq!(
        (outcome.cause, outcome.stdout.text().as_str()),
        (Some(Cause::IdleTimeout), "1\n2\n3\n4\n5\n6\n")
    );
}

#[test]
fn output_without_a_consumer_restarts_the_idle_timeout() {
    let mut command = Command::script("exec yes").paused();
    command.plan.times.idle = Some(Duration::from_millis(100));
    let job = command.start();
    std::thread::sleep(Duration::from_millis(500));
    assert!(!job.is_over());
    assert!(job.handle.signal(Signal::KILL));
    assert_eq!(job.outcome().cause, Some(Cause::Killed));
}

#[test]
fn a_command_that_moves_to_the_background_goes_on_and_an_abort_does_not_reach_it() {
    let place = Workspace::new();
    let script = "read -r _ <gate; echo done";
    let mut command = Command::script(script).within(&place).timeout(Duration::from_millis(50));
    command.plan.times.moves_to_background = true;
    let job = command.start();
    job.wait_for_move();
    assert!(job.handle.ask(JobRequest::Stop(Cause::Aborted, None)));
    place.open_gate();
    let outcome = job.outcome();
    assert_eq!((outcome.end, outcome.cause), (End::Exit(Exit::Code(0)), None));
    assert_eq!(outcome.stdout.text(), "done\n");
}

#[test]
fn the_time_in_the_background_has_a_timeout() {
    let mut command = Command::script("exec sleep 1000").timeout(Duration::from_millis(50));
    command.plan.times.moves_to_background = true;
    command.plan.times.in_background = Some(Duration::from_millis(50));
    assert_eq!(command.start().outcome().cause, Some(Cause::Timeout));
}

#[test]
fn the_plan_sets_the_kill_signal() {
    let mut command = Command::script("trap 'echo INT; exit 9' INT; echo up; while :; do sleep 0.01; done");
    command.plan.ending.signal = Signal::INT;
    let job = command.start();
    job.wait_for_stdout("up");
    assert!(job.handle.ask(JobRequest::Stop(Cause::Aborted, None)));
    let outcome = job.outcome();
    assert_eq!((outcome.end, outcome.stdout.text().as_str()), (End::Exit(Exit::Code(9)), "up\nINT\n"));
}

// ------------------------------------------------------------------------------------------------------
// output

#[test]
fn two_streams_in_one_pipe_are_in_order() {
    let mut command = Command::script("for i in $(seq 200); do echo $i; echo e$i >&2; done");
    command.plan.output.is_merged = true;
    let outcome = command.start().outcome();
    let text: Vec<String> = (1..=200).map(|number| format!("{number}\ne{number}\n")).collect();
    assert_eq!((outcome.stdout.text(), outcome.stderr.total), (text.concat(), 0));
}

#[test]
fn plain_text_is_what_a_terminal_shows() {
    let mut command = Command::script(r"printf '\033[31mred\033[0m\n10%%\r100%%'");
    command.plan.output.form = Form::Plain;
    let job = command.start();
    let outcome = job.outcome();
    assert_eq!((outcome.stdout.text().as_str(), outcome.stdout.total), ("red\n100%", 21));
    assert_eq!(job.stdout(), "red\n100%");
}

#[test]
fn an_excerpt_has_the_beginning_and_the_end() {
    let mut command = Command::script("seq 100000");
    command.plan.output.keeping = Keeping::Excerpt(Shape::new(20, Keep::Both));
    let outcome = command.start().outcome();
    let text = outcome.stdout.text();
    assert!(text.starts_with("1\n2\n") && text.ends_with("100000\n"), "{text}");
    assert_eq!(outcome.stdout.total, 588_895);
}

#[test]
fn the_latest_text_can_be_read_by_cursor_also_after_the_end() {
    let mut command = Command::script("seq 1000").without_consumer();
    command.plan.output.ring = Some(100);
    let job = command.start();
    job.outcome();
    let ring = job.handle.ring().expect("a ring").lock().expect("nobody panicked");
    let piece = ring.read(0);
    assert_eq!((piece.cursor, piece.dropped), (3893, 3793));
    assert!(piece.chunks[0].1.ends_with("999\n1000\n"));
}

#[test]
fn the_spill_file_has_all_of_the_output() {
    let place = Workspace::new();
    let mut command = Command::script("seq 200000; echo end >&2").keep(10);
    let directory = place.path().to_str().expect("text").to_owned();
    command.plan.output.spill = Some(Spill { directory, limit: u64::MAX, above: 0 });
    let spilled = command.start().outcome().spilled.expect("a file");
    let text = std::fs::read_to_string(&spilled.path).expect("the file");
    assert_eq!((text.len(), spilled.is_complete), (1_288_895 + 4, true));
}

// ------------------------------------------------------------------------------------------------------
// limits

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "there are no limits")]
fn limits_apply_to_the_child_alone() {
    let mut command = Command::script("ulimit -v; ulimit -n");
    command.plan.surroundings.limits =
        Limits { memory: Some(1 << 30), open_files: Some(77), ..Limits::default() };
    assert_eq!(command.start().outcome().stdout.text(), "1048576\n77\n");
    let after = Command::script("ulimit -v; ulimit -n").start().outcome().stdout.text();
    assert!(after.starts_with("unlimited\n") && !after.ends_with("\n77\n"), "{after}");
}

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "the system does not report the usage")]
fn a_full_report_includes_the_usage() {
    let script = "i=0; while [ $i -lt 20000 ]; do i=$((i + 1)); done; echo x";
    let usage = counted(script, Leftovers::Keep).start().outcome().usage.expect("a usage");
    assert!(usage.user + usage.system > Duration::ZERO);
}
