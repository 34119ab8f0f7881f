//! How commands start and end.

use std::os::fd::AsFd;
use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};

use agent_bash::sandbox::plan::SandboxedCommand;
use agent_bash::sandbox::protocol::report::SandboxStep;
use rustix::process::{Pid, Signal, kill_process, kill_process_group};

use crate::support::{again_as_user, command, plan, run, start, start_with, text, until};

#[test]
fn exit_codes_and_signals_are_the_commands() {
    let place = tempfile::tempdir().expect("a directory");
    let plan = plan(place.path());
    for code in [0, 1, 77, 125, 255] {
        assert_eq!(run(&plan, place.path(), &format!("exit {code}")).code(), Some(code));
    }
    for signal in [libc::SIGTERM, libc::SIGKILL, libc::SIGSEGV, libc::SIGPIPE] {
        assert_eq!(run(&plan, place.path(), &format!("kill -{signal} $$")).signal(), Some(signal));
    }
}

#[test]
fn exit_codes_and_signals_are_the_commands_as_a_user() {
    again_as_user("life::exit_codes_and_signals_are_the_commands");
}

#[test]
fn output_is_the_commands() {
    let place = tempfile::tempdir().expect("a directory");
    let outcome = run(&plan(place.path()), place.path(), "echo out; echo error >&2; pwd");
    let expected = format!("out\nerror\n{}\n", place.path().display());
    assert_eq!(outcome.output, expected, "{outcome:?}");
}

#[test]
fn a_program_that_can_not_be_executed_is_reported() {
    let place = tempfile::tempdir().expect("a directory");
    let missing = command(place.path(), "");
    let missing = SandboxedCommand { candidates: vec![text("/nowhere")], ..missing };
    let failure = start(&plan(place.path()), &missing).err().expect("it fails");
    assert_eq!((failure.step, failure.errno.0), (SandboxStep::Execute, libc::ENOENT));
}

/// Returns whether a process of the host runs this program with this argument.
fn runs(argument: &str) -> bool {
    std::fs::read_dir("/proc").expect("a list").flatten().any(|entry| {
        std::fs::read(entry.path().join("cmdline"))
            .is_ok_and(|line| line.split(|&byte| byte == 0).any(|word| word == argument.as_bytes()))
    })
}

/// A number of seconds for `sleep` that no other test uses.
fn unique() -> String {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    format!("{}.{}", 1000 + NEXT.fetch_add(1, Ordering::Relaxed), std::process::id())
}

#[test]
fn everything_inside_ends_with_the_monitor() {
    for script in ["sleep N", "(setsid sleep N &) ; sleep 1000.1", "setsid sleep N & disown; kill -STOP $$"] {
        let place = tempfile::tempdir().expect("a directory");
        let unique = unique();
        let script = script.replace('N', &unique);
        let started = start(&plan(place.path()), &command(place.path(), &script)).expect("a sandbox");
        until("it runs", || runs(&unique));
        kill_process(started.process.pid, Signal::KILL).expect("killed");
        started.wait();
        until("nothing is left", || !runs(&unique));
    }
}

#[test]
fn everything_inside_ends_with_the_monitor_of_a_user() {
    again_as_user("life::everything_inside_ends_with_the_monitor");
}

#[test]
fn everything_inside_ends_with_the_init() {
    let place = tempfile::tempdir().expect("a directory");
    let unique = unique();
    let script = format!("setsid sleep {unique} & wait");
    let started = start(&plan(place.path()), &command(place.path(), &script)).expect("a sandbox");
    until("it runs", || runs(&unique));
    let init = Pid::from_raw(started.running.init.expect("an init")).expect("a pid");
    kill_process(init, Signal::KILL).expect("killed");
    assert_eq!(started.wait().terminating_signal(), Some(libc::SIGKILL));
    until("nothing is left", || !runs(&unique));
}

#[test]
fn a_signal_to_the_commands_group_ends_the_command_and_one_to_the_monitor_does_not() {
    let place = tempfile::tempdir().expect("a directory");
    let ready = place.path().join("ready");
    let script = "trap 'exit 9' TERM; touch ready; while :; do sleep 0.01; done";
    let started = start(&plan(place.path()), &command(place.path(), script)).expect("a sandbox");
    until("it waits", || ready.exists());
    kill_process_group(started.process.pid, Signal::TERM).expect("the monitor ignores it");
    let command = started.running.command.and_then(Pid::from_raw).expect("a command");
    kill_process_group(command, Signal::TERM).expect("sent");
    assert_eq!(started.wait().exit_status(), Some(9));
}

#[test]
fn what_runs_in_the_background_stays_in_the_sandbox_until_it_ends() {
    let place = tempfile::tempdir_in("/var/tmp").expect("a directory");
    let outside = tempfile::tempdir_in("/var/tmp").expect("a directory");
    let script = format!(
        "(while [ ! -e go ]; do sleep 0.01; done; echo x > inside; echo x > {}/new; echo $? > done) \
         >/dev/null 2>&1 </dev/null & exit 3",
        outside.path().display()
    );
    let started = start(&plan(place.path()), &command(place.path(), &script)).expect("a sandbox");
    let init = started.running.init.expect("an init");
    assert_eq!(started.finish().code(), Some(3), "its output ends with the command");
    assert!(Path::new(&format!("/proc/{init}")).exists());
    std::fs::write(place.path().join("go"), "").expect("a file");
    until("the init ends after it", || !Path::new(&format!("/proc/{init}")).exists());
    assert_eq!(std::fs::read_to_string(place.path().join("done")).expect("a file"), "1\n");
    assert!(place.path().join("inside").exists());
    assert!(!outside.path().join("new").exists());
}

#[test]
fn nothing_is_left_of_a_command_without_background_processes() {
    let place = tempfile::tempdir().expect("a directory");
    let started = start(&plan(place.path()), &command(place.path(), "true")).expect("a sandbox");
    let init = started.running.init.expect("an init");
    assert_eq!(started.wait().exit_status(), Some(0));
    assert!(!Path::new(&format!("/proc/{init}")).exists(), "the monitor has waited for it");
}

#[test]
fn the_init_waits_for_no_calls_once_the_command_has_ended() {
    let place = tempfile::tempdir().expect("a directory");
    let script = "touch ready; while [ ! -e go ]; do sleep 0.01; done";
    let started = start(&plan(place.path()), &command(place.path(), script)).expect("a sandbox");
    until("it waits", || place.path().join("ready").exists());
    let task = format!("/proc/{}/task", started.running.init.expect("an init"));
    let threads = || std::fs::read_dir(&task).map_or(0, Iterator::count);
    // The init learns from the monitor that the command has ended.
    kill_process(started.process.pid, Signal::STOP).expect("stopped");
    std::fs::write(place.path().join("go"), "").expect("a file");
    until("one thread is left", || threads() == 1);
    kill_process(started.process.pid, Signal::CONT).expect("goes on");
    assert_eq!(started.wait().exit_status(), Some(0));
}

#[test]
fn descriptors_and_limits_are_the_plans() {
    let place = tempfile::tempdir().expect("a directory");
    let file = place.path().join("script");
    std::fs::write(&file, "passed\n").expect("a file");
    let file = std::fs::File::open(&file).expect("a file");
    let command = SandboxedCommand {
        descriptors: vec![3, 9],
        limits: vec![(libc::RLIMIT_NOFILE, (77, 78))],
        ..command(
            place.path(),
            "read a <&3; read b <&9; echo $a$b $(ulimit -n) $(ulimit -Hn) $(ls /proc/self/fd | wc -l)",
        )
    };
    let second = std::fs::File::open(place.path().join("script")).expect("a file");
    let started =
        start_with(&plan(place.path()), &command, &[file.as_fd(), second.as_fd()]).expect("a sandbox");
    assert_eq!(started.finish().output, "passedpassed 77 78 6\n");
}

#[test]
fn a_limit_of_few_descriptors_is_the_commands_alone() {
    let place = tempfile::tempdir().expect("a directory");
    let limits = vec![(libc::RLIMIT_NOFILE, (6, 6))];
    let command = SandboxedCommand { limits, ..command(place.path(), "ulimit -n") };
    assert_eq!(start(&plan(place.path()), &command).expect("a sandbox").finish().output, "6\n");
}

#[test]
fn a_child_that_a_command_gives_to_the_monitor_does_not_keep_it() {
    let place = tempfile::tempdir().expect("a directory");
    for then in ["os._exit(0)", "time.sleep(1000)"] {
        let script = format!(
            "exec /usr/bin/python3 -c 'import ctypes, os, platform, time\n\
             clone = dict(x86_64=56, aarch64=220)[platform.machine()]\n\
             if ctypes.CDLL(None).syscall(clone, 0x8000 | 17, 0, 0, 0, 0) == 0:\n  os.closerange(0, 3); {then}\n\
             time.sleep(0.1); os._exit(4)'"
        );
        let started = start(&plan(place.path()), &command(place.path(), &script)).expect("a sandbox");
        let monitor = started.process.pid;
        until("the monitor ends", || {
            let stat = std::fs::read_to_string(format!("/proc/{}/stat", monitor.as_raw_nonzero()));
            stat.is_ok_and(|stat| stat.contains(") Z "))
        });
        assert_eq!(started.wait().exit_status(), Some(4));
    }
}

#[test]
fn a_directory_that_is_missing_inside_is_reported() {
    let place = tempfile::tempdir().expect("a directory");
    let missing = SandboxedCommand { directory: "/tmp/nowhere".into(), ..command(place.path(), "true") };
    let failure = start(&plan(place.path()), &missing).err().expect("it fails");
    assert_eq!((failure.step, failure.errno.0), (SandboxStep::Directory, libc::ENOENT));
}

#[test]
fn many_sandboxes_at_once_are_apart() {
    let place = tempfile::tempdir().expect("a directory");
    let plan = plan(place.path());
    let start_one = |number: usize| {
        let script =
            format!("echo {number} > {number}; echo {number} > /tmp/x; sleep 0.2; cat /tmp/x; ls /tmp");
        start(&plan, &command(place.path(), &script)).expect("a sandbox")
    };
    let started: Vec<_> = (0..40).map(start_one).collect();
    for (number, started) in started.into_iter().enumerate() {
        let output = started.finish().output;
        assert!(output.starts_with(&format!("{number}\n")), "{output}");
    }
    assert_eq!(std::fs::read_dir(place.path()).expect("a list").count(), 40);
}
