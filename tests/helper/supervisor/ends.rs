//! The end of the stream, of the supervisor and of the host: nothing is left.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use agent_bash::helper::supervisor::protocol::hello::ClientHello;
use agent_bash::helper::supervisor::protocol::message::ToSupervisor;

use super::client::{Sent, Supervisor, line};
use crate::support::HELPER;

const TREE: &str = "(setsid sh -c 'sleep 1000 & sleep 1000' >/dev/null 2>&1 &); yes & exec sleep 1000";

/// The bound of the specification for a death without a heartbeat is far below this.
const BOUND: Duration = Duration::from_secs(10);

/// The time after which an end counts as delayed: most of the time after which the supervisor gives up.
const DELAYED: Duration = Duration::from_secs(8);

fn with_tree() -> Supervisor {
    let mut supervisor = Supervisor::new();
    supervisor.start(&line(TREE));
    supervisor.tag.wait_for(3, "sleep");
    supervisor
}

#[test]
fn the_end_of_the_stream_ends_everything() {
    let mut supervisor = with_tree();
    supervisor.stdin = None;
    assert_eq!(supervisor.exit_code(), Some(75));
    supervisor.tag.assert_gone();
}

#[test]
fn a_goodbye_ends_everything_in_order() {
    let mut supervisor = with_tree();
    supervisor.send(0, ToSupervisor::Bye);
    assert_eq!(supervisor.exit_code(), Some(0));
    supervisor.tag.assert_gone();
}

#[test]
fn a_killed_supervisor_leaves_nothing() {
    let mut supervisor = with_tree();
    supervisor.process.kill().expect("killed");
    supervisor.tag.assert_gone_within(BOUND);
}

#[test]
fn a_signal_ends_the_supervisor_and_everything() {
    let mut supervisor = with_tree();
    let pid = crate::support::pid(supervisor.process.id().cast_signed());
    rustix::process::kill_process(pid, rustix::process::Signal::TERM).expect("sent");
    assert_eq!(supervisor.exit_code(), Some(75));
    supervisor.tag.assert_gone();
}

#[test]
fn a_silent_host_is_given_up_after_its_deadline() {
    let mut supervisor = Supervisor::silent();
    supervisor.send(0, ToSupervisor::Hello(ClientHello::new(300)));
    supervisor.start(&line(TREE));
    assert_eq!(supervisor.exit_code(), Some(75));
    supervisor.tag.assert_gone_within(BOUND);
}

/// The supervisor may reap the reaper of a command that has just ended before it handles the rest of the end,
/// and must not wait for that reaper then.
#[test]
fn an_end_right_after_that_of_a_command_is_not_delayed() {
    for _ in 0..60 {
        let mut supervisor = Supervisor::new();
        let commands: Vec<_> = (0..4).map(|_| supervisor.start(&line("exit 3"))).collect();
        supervisor.until(|of, sent| (of == commands[0] && matches!(sent, Sent::Exit(_))).then_some(()));
        let began_at = Instant::now();
        supervisor.send(0, ToSupervisor::Bye);
        assert_eq!(supervisor.exit_code(), Some(0));
        assert!(began_at.elapsed() < DELAYED, "it took {:?}", began_at.elapsed());
    }
}

#[test]
fn a_copy_without_a_name_puts_itself_into_the_cache() {
    let cache = tempfile::tempdir().expect("a directory");
    let cached = cache.path().join("helper-1");
    let run = || {
        let script = "exec 8<\"$1\"; rm \"$1\"; exec /proc/self/fd/8 supervise 0123456789abcdef \"$2\"";
        let copy = cache.path().join(".copy");
        fs::copy(HELPER, &copy).expect("copied");
        let mut process = Command::new("/bin/sh")
            .args(["-c", script, "sh"])
            .args([&copy, &cached])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .spawn()
            .expect("it starts");
        process.wait().expect("it ends");
        let names: Vec<_> = fs::read_dir(cache.path()).expect("listed").flatten().collect();
        assert_eq!(names.len(), 1);
        assert_eq!(fs::read(&cached).expect("read"), fs::read(HELPER).expect("read"));
        fs::metadata(&cached).expect("it is there").ino()
    };
    let first = run();
    assert_eq!(run(), first, "a whole one is not written again");
    fs::write(&cached, "damaged").expect("written");
    run();
}

#[test]
fn a_cached_helper_removes_old_ones_and_no_other_file() {
    let directory = tempfile::tempdir().expect("a directory");
    let cache = directory.path().join("agent-bash");
    fs::create_dir(&cache).expect("made");
    let [own, old, recent, part, other] =
        ["helper-1", "helper-old", "helper-recent", ".part", "notes"].map(|name| cache.join(name));
    fs::copy(HELPER, &own).expect("copied");
    fs::set_permissions(&own, fs::Permissions::from_mode(0o700)).expect("set");
    let long_ago = std::time::SystemTime::now() - Duration::from_secs(40 * 24 * 60 * 60);
    for file in [&old, &recent, &part, &other] {
        fs::write(file, "x").expect("written");
        if file != &recent {
            fs::File::options().write(true).open(file).expect("open").set_modified(long_ago).expect("set");
        }
    }
    let mut process = Command::new(&own)
        .args(["supervise", "0123456789abcdef"])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .spawn()
        .expect("it starts");
    process.wait().expect("it ends");
    assert_eq!(
        [&own, &old, &recent, &part, &other].map(|file| file.exists()),
        [true, false, true, false, true]
    );
}
