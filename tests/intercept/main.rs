//! Tests of the interceptor program, as the host starts it.

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]

use std::fs;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::fd::{AsFd, BorrowedFd};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use agent_bash::process::helper_program::VERSION;
use agent_bash::sandbox::network::allow::AllowedDestination;
use agent_bash::sandbox::protocol::intercept::messages::{
    HeaderRule, HostMessage, HostRule, InterceptorMessage, PassedConnection, ScopePlan, SecretPlan,
    SecretText,
};
use agent_bash::sandbox::protocol::intercept::socket::{InterceptSocket, write_scope};
use rustix::event::{PollFd, PollFlags, Timespec, poll};

const PROGRAM: &str = env!("CARGO_BIN_EXE_agent-bash-interceptor");
const VALUE: &str = "s3cr3t-of-the-program-test";

/// The time after which a wait fails its test.
const DEADLINE: Timespec = Timespec { tv_sec: 30, tv_nsec: 0 };

/// A host, and the interceptor that it has started.
struct Host {
    socket: InterceptSocket,
    program: Child,
}

impl Host {
    fn start() -> Self {
        let (socket, other) = InterceptSocket::pair().expect("a socket");
        let mut command = Command::new(PROGRAM);
        let program = command.stdin(Stdio::from(other.into_inner())).spawn().expect("it starts");
        let host = Self { socket, program };
        assert_eq!(host.next(), Some(InterceptorMessage::Hello { version: VERSION.to_owned() }));
        host
    }

    /// Starts a program that has a scope for a host without TLS.
    fn with_scope() -> Self {
        let host = Self::start();
        let file = write_scope(&plan()).expect("a file");
        host.tell(&HostMessage::Scope { id: 3 }, &[file.as_fd()]);
        let Some(InterceptorMessage::Scope { id: 3, certificate: Ok(certificate) }) = host.next() else {
            panic!("no scope")
        };
        assert!(certificate.starts_with("-----BEGIN CERTIFICATE-----\n"), "{certificate}");
        host
    }

    fn tell(&self, message: &HostMessage, descriptors: &[BorrowedFd<'_>]) {
        self.socket.tell(message, descriptors).expect("it is sent");
    }

    /// Waits for the next message; `None` if the program has closed its end.
    fn next(&self) -> Option<InterceptorMessage> {
        let mut events = [PollFd::new(&self.socket, PollFlags::IN)];
        assert_eq!(poll(&mut events, Some(&DEADLINE)).expect("it is watched"), 1, "no message in time");
        self.socket.next_report().expect("a message")
    }

    /// Passes a connection. Returns the client's end, and the server's.
    fn connect(&self, id: u64, scope: u32, first: &[u8]) -> (TcpStream, TcpStream) {
        let (client, passed) = pair();
        let (to_server, server) = pair();
        let connection =
            PassedConnection { id, scope, host: "api.example".to_owned(), port: 80, first: first.to_vec() };
        self.tell(&HostMessage::Connection(connection), &[passed.as_fd(), to_server.as_fd()]);
        (client, server)
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        let _ = self.program.kill();
        let _ = self.program.wait();
    }
}

fn plan() -> ScopePlan {
    let header = HeaderRule { name: "x-key".to_owned(), template: "{}".to_owned(), secret: 0 };
    let rule = HostRule {
        destination: AllowedDestination { host: "api.example".to_owned(), port: 80 },
        headers: vec![header],
        methods: None,
        paths: None,
        masks: true,
        is_plain: true,
    };
    let secret = SecretPlan { name: "key".to_owned(), value: Some(SecretText(VALUE.to_owned())) };
    ScopePlan { rules: vec![rule], secrets: vec![secret], roots: Vec::new() }
}

/// Returns both ends of a TCP connection.
fn pair() -> (TcpStream, TcpStream) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a listener");
    let one = TcpStream::connect(listener.local_addr().expect("an address")).expect("a connection");
    let (other, _) = listener.accept().expect("a connection");
    for stream in [&one, &other] {
        stream.set_read_timeout(Some(Duration::from_secs(30))).expect("a timeout");
    }
    (one, other)
}

/// Reads until these bytes.
fn read_to(stream: &mut TcpStream, end: &str) -> String {
    let mut bytes = Vec::new();
    while !bytes.ends_with(end.as_bytes()) {
        let mut byte = [0];
        stream.read_exact(&mut byte).expect("more bytes");
        bytes.push(byte[0]);
    }
    String::from_utf8(bytes).expect("text")
}

#[test]
fn a_connection_is_served_with_its_first_bytes_and_reported() {
    let host = Host::with_scope();
    let (mut client, mut server) = host.connect(9, 3, b"GET /x HTTP/1.1\r\nHost: api.example\r\nConn");
    client.write_all(b"ection: close\r\n\r\n").expect("it is written");
    let request = read_to(&mut server, "\r\n\r\n");
    assert!(request.starts_with("GET /x HTTP/1.1\r\n") && request.contains(VALUE), "{request}");
    assert_eq!(host.next(), Some(InterceptorMessage::Used { connection: 9, secret: 0 }));
    let answer = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{VALUE}", VALUE.len());
    server.write_all(answer.as_bytes()).expect("it is written");
    let mut response = String::new();
    client.read_to_string(&mut response).expect("text");
    assert!(response.ends_with(&"*".repeat(VALUE.len())), "{response}");
    assert_eq!(host.next(), Some(InterceptorMessage::Ended { connection: 9 }));
}

#[test]
fn a_long_response_takes_little_memory() {
    const LENGTH: usize = 48 << 20;
    const MOST: u64 = 32 << 10; // KiB
    let host = Host::with_scope();
    let (mut client, mut server) =
        host.connect(1, 3, b"GET / HTTP/1.1\r\nHost: api.example\r\nConnection: close\r\n\r\n");
    read_to(&mut server, "\r\n\r\n");
    let writer = std::thread::spawn(move || {
        server.write_all(format!("HTTP/1.1 200 OK\r\nContent-Length: {LENGTH}\r\n\r\n").as_bytes())?;
        (0..LENGTH >> 20).try_for_each(|_| server.write_all(&vec![b'x'; 1 << 20]))
    });
    read_to(&mut client, "\r\n\r\n");
    let length = std::io::copy(&mut client, &mut std::io::sink()).expect("a body");
    assert_eq!(length, LENGTH as u64);
    writer.join().expect("no panic").expect("it is written");
    let status = fs::read_to_string(format!("/proc/{}/status", host.program.id())).expect("a status");
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("a line");
    let peak: u64 = peak.trim().trim_end_matches(" kB").parse().expect("a number");
    assert!(peak < MOST, "{peak} KiB");
}

#[test]
fn the_program_has_no_rights_but_its_descriptors() {
    let host = Host::start();
    let status = fs::read_to_string(format!("/proc/{}/status", host.program.id())).expect("a status");
    for line in ["NoNewPrivs:\t1", "Seccomp:\t2", "CapEff:\t0000000000000000", "Threads:\t1"] {
        assert!(status.lines().any(|other| other == line), "{line} in {status}");
    }
    let limits = fs::read_to_string(format!("/proc/{}/limits", host.program.id())).expect("limits");
    let core = limits.lines().find(|line| line.starts_with("Max core file size")).expect("a line");
    assert_eq!(core.split_whitespace().nth(4), Some("0"), "{core}");
}

#[test]
fn a_closed_connection_and_one_of_an_unknown_scope_end() {
    let host = Host::with_scope();
    let (mut client, _server) = host.connect(1, 3, b"");
    host.tell(&HostMessage::Close { id: 1 }, &[]);
    assert_eq!(host.next(), Some(InterceptorMessage::Ended { connection: 1 }));
    assert_eq!(client.read(&mut [0]).unwrap_or(0), 0);
    let _ends = host.connect(2, 4, b"");
    assert_eq!(host.next(), Some(InterceptorMessage::Ended { connection: 2 }));
    let _ends = host.connect(3, 3, b"");
    host.tell(&HostMessage::EndScope { id: 3 }, &[]);
    assert_eq!(host.next(), Some(InterceptorMessage::Ended { connection: 3 }));
}

#[test]
fn a_plan_that_can_not_be_used_is_answered_with_the_reason() {
    let host = Host::start();
    let mut plan = plan();
    plan.rules[0].paths = Some(vec!["x".to_owned()]);
    let file = write_scope(&plan).expect("a file");
    host.tell(&HostMessage::Scope { id: 3 }, &[file.as_fd()]);
    let Some(InterceptorMessage::Scope { id: 3, certificate: Err(reason) }) = host.next() else {
        panic!("no reason")
    };
    assert_eq!(reason, "api.example:80: 'x': expected a path that begins with '/'");
}

#[test]
fn the_program_ends_with_its_socket() {
    let mut host = Host::with_scope();
    let (mut client, _server) = host.connect(1, 3, b"");
    let (socket, _other) = InterceptSocket::pair().expect("a socket");
    host.socket = socket;
    assert!(host.program.wait().expect("it ends").success());
    assert_eq!(client.read(&mut [0]).unwrap_or(0), 0);
}

#[test]
fn the_program_does_nothing_without_a_host() {
    let ran = Command::new(PROGRAM).stdin(Stdio::null()).output().expect("it runs");
    assert_eq!(ran.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&ran.stderr).contains("agent-bash starts this program itself"));
}

#[test]
fn the_program_has_a_bound_for_its_memory() {
    let host = Host::start();
    let limits = fs::read_to_string(format!("/proc/{}/limits", host.program.id())).expect("limits");
    let line = limits.lines().find(|line| line.starts_with("Max data size")).expect("a line");
    assert_eq!(line.split_whitespace().nth(3), Some("1073741824"), "{line}");
}
