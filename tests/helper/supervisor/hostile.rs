//! Hosts that send what they must not, and streams that are cut.

use std::io::Write;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use agent_bash::helper::supervisor::protocol::hello::ClientHello;
use agent_bash::helper::supervisor::protocol::message::ToSupervisor;
use agent_bash::helper::supervisor::protocol::plan::MAX_PLAN;

use rustix::fs::{OFlags, fcntl_setfl};

use super::client::{Sent, Supervisor, line, with_input};
use crate::support::HELPER;

/// Sends bytes to a supervisor, and returns the reason for which it ends.
fn reason_for(supervisor: &mut Supervisor, bytes: &[u8]) -> String {
    supervisor.write(bytes);
    let reason = supervisor.rest().into_iter().find_map(|sent| match sent {
        Sent::Fatal(text) => Some(text),
        _ => None,
    });
    assert_eq!(supervisor.exit_code(), Some(75));
    supervisor.tag.assert_gone();
    reason.expect("a reason")
}

#[test]
fn a_first_frame_that_is_no_hello_is_fatal() {
    let mut bytes = Vec::new();
    ToSupervisor::Ping(b"x").put(0, &mut bytes);
    assert_eq!(reason_for(&mut Supervisor::silent(), &bytes), "the first frame is no hello");
}

#[test]
fn bytes_that_are_no_frame_are_fatal() {
    for bytes in [[255; 12], [0, 0, 0, 0, 99, 0, 0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 3, 1, 0, 0, 1, 0, 0, 0]] {
        let mut supervisor = Supervisor::new();
        supervisor.start(&line("sleep 1000"));
        assert_ne!(reason_for(&mut supervisor, &bytes), "");
    }
}

#[test]
fn another_version_is_fatal() {
    let mut bytes = Vec::new();
    ToSupervisor::Hello(ClientHello { version: 9, lowest: 9, deadline: 1000 }).put(0, &mut bytes);
    assert_eq!(reason_for(&mut Supervisor::silent(), &bytes), "another version of the protocol");
}

#[test]
fn input_beyond_the_credit_is_fatal() {
    let mut supervisor = Supervisor::new();
    let (id, _) = supervisor.started(&with_input("sleep 1000"));
    let mut bytes = Vec::new();
    for _ in 0..6 {
        ToSupervisor::Stdin(&vec![b'x'; 65_536]).put(id, &mut bytes);
    }
    assert_eq!(reason_for(&mut supervisor, &bytes), "more input than was granted");
}

#[test]
fn a_used_id_and_an_unknown_one_are_fatal() {
    let mut supervisor = Supervisor::new();
    let id = supervisor.start(&line("true"));
    supervisor.finish(id);
    let mut bytes = Vec::new();
    ToSupervisor::Plan(b"").put(id, &mut bytes);
    assert_ne!(reason_for(&mut supervisor, &bytes), "");
    let mut bytes = Vec::new();
    ToSupervisor::StdinEnd.put(7, &mut bytes);
    assert_eq!(reason_for(&mut Supervisor::new(), &bytes), "a message for an unknown command");
}

#[test]
fn a_plan_that_is_too_large_is_fatal() {
    let mut bytes = Vec::new();
    for _ in 0..=MAX_PLAN / 65_536 {
        ToSupervisor::Plan(&vec![0; 65_536]).put(1, &mut bytes);
    }
    assert_eq!(reason_for(&mut Supervisor::new(), &bytes), "a plan that is too large");
}

#[test]
fn a_host_that_asks_and_never_reads_is_not_read_any_more() {
    let mut process = Command::new(HELPER)
        .args(["supervise", "0123456789abcdef"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the helper starts");
    let mut stdin = process.stdin.take().expect("a pipe");
    fcntl_setfl(&stdin, OFlags::NONBLOCK | OFlags::WRONLY).expect("set");
    let (mut frames, mut taken) = (Vec::new(), 0);
    ToSupervisor::Hello(ClientHello::new(60_000)).put(0, &mut frames);
    (0..50_000).for_each(|_| ToSupervisor::Ping(&[b'x'; 64]).put(0, &mut frames));
    let mut quiet_since = Instant::now();
    while quiet_since.elapsed() < Duration::from_secs(1) {
        match stdin.write(&frames[taken..]) {
            Ok(count) => {
                taken += count;
                quiet_since = Instant::now();
            }
            Err(_) => std::thread::sleep(Duration::from_millis(5)),
        }
        assert!(taken < frames.len() / 2, "it reads without end");
    }
    drop((stdin, process.stdout.take()));
    process.wait().expect("it ends");
}

#[test]
fn a_stream_that_is_cut_anywhere_leaves_nothing() {
    let mut whole = Vec::new();
    ToSupervisor::Hello(ClientHello::new(60_000)).put(0, &mut whole);
    let mut probe = Supervisor::silent();
    let mut plan = line("(setsid sleep 1000 &); sleep 1000");
    plan.variables.push(probe.tag.variable().as_bytes().to_vec());
    ToSupervisor::Plan(&plan.encode()).put(1, &mut whole);
    ToSupervisor::Start.put(1, &mut whole);
    for cut in (0..=whole.len()).step_by(whole.len() / 12) {
        let mut supervisor = Supervisor::silent();
        supervisor.write(&whole[..cut]);
        supervisor.stdin = None;
        assert_eq!(supervisor.exit_code(), Some(75), "cut at {cut}");
    }
    probe.tag.assert_gone();
    probe.stdin = None;
}
