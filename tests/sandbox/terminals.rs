//! A command with a terminal.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::AsFd;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use agent_bash::process::spawn::{Attributes, FdMapping, Limits, SpawnRequest, StandardStreams, spawn};
use agent_bash::sandbox::plan::SandboxedCommand;
use agent_bash::sandbox::protocol::launch::{CONTROL_DESCRIPTOR, prepare};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

use crate::support::{HELPER, again_as_user, command, plan};

/// Runs a script on a terminal, types something when it has shown `ready`, and returns what it showed.
fn on_terminal(script: &str, typed: &str) -> String {
    let place = tempfile::tempdir().expect("a directory");
    let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC).expect("a terminal");
    grantpt(&master).expect("a terminal");
    unlockpt(&master).expect("a terminal");
    let name = ptsname(&master, Vec::new()).expect("a name");
    let slave =
        File::options().read(true).write(true).open(OsStr::from_bytes(name.as_bytes())).expect("a terminal");
    let command = SandboxedCommand { has_terminal: true, ..command(place.path(), script) };
    let launch = prepare(Path::new(HELPER), &plan(place.path()), &command, &[]).expect("descriptors");
    let root = File::open("/").expect("a directory");
    let spawned = spawn(&SpawnRequest {
        candidates: &[launch.program],
        arguments: &[launch.name],
        environment: &[],
        directory: root.as_fd(),
        stdio: StandardStreams { stdin: slave.as_fd(), stdout: slave.as_fd(), stderr: slave.as_fd() },
        extra_fd: Some(FdMapping { source: launch.socket.as_fd(), target: CONTROL_DESCRIPTOR }),
        record: None,
        attributes: Attributes::default(),
        limits: &Limits::default(),
        tag: None,
    })
    .expect("the helper starts");
    drop((slave, launch.socket));
    launch.control.await_running(&mut Vec::new()).expect("a sandbox");
    let mut master = File::from(master);
    let mut shown = Vec::new();
    while !typed.is_empty() && !shown.ends_with(b"ready") {
        let mut byte = [0];
        master.read_exact(&mut byte).expect("shown");
        shown.extend(byte);
    }
    master.write_all(typed.as_bytes()).expect("typed");
    // The end of a terminal is an error.
    let _ = master.read_to_end(&mut shown);
    let _ = rustix::process::waitpid(Some(spawned.pid), rustix::process::WaitOptions::empty());
    String::from_utf8_lossy(&shown).replace('\r', "")
}

#[test]
fn a_terminal_has_a_name_and_a_size_and_is_the_controlling_one() {
    let shown = on_terminal(
        "tty; stty rows 7 cols 9; stty size < /dev/tty; test -t 1 && echo yes; [ $(ls /dev/pts) = ptmx ] && echo own",
        "",
    );
    assert_eq!(shown, "/dev/console\n7 9\nyes\nown\n");
}

#[test]
fn a_terminal_of_a_user_has_a_name() {
    again_as_user("terminals::a_terminal_has_a_name_and_a_size_and_is_the_controlling_one");
}

#[test]
fn what_is_typed_arrives_and_interrupts() {
    assert!(on_terminal("printf ready; read -r line; echo got $line", "word\n").ends_with("got word\n"));
    let shown =
        on_terminal("trap 'echo stopped; exit' INT; echo ready; while :; do sleep 0.05; done", "\u{3}");
    assert!(shown.ends_with("stopped\n"), "{shown:?}");
}

#[test]
fn an_interactive_shell_controls_its_jobs() {
    let shown = on_terminal(
        "PS1=ready exec bash --norc -i",
        "PS1=; sleep 100 &\nkill %1; wait; echo end-$?\nexit 3\n",
    );
    assert!(shown.contains("end-0") && !shown.contains("no job control"), "{shown:?}");
}

#[test]
fn nothing_is_typed_into_the_terminal_by_a_command() {
    let script = "/usr/bin/python3 -c '
import fcntl, termios, os
try: fcntl.ioctl(0, termios.TIOCSTI, b\"x\")
except PermissionError: print(\"refused\")'";
    assert_eq!(on_terminal(script, ""), "refused\n");
}
