//! The role askpass: what it sends to its host, and what it does with the reply.

use std::fs;
use std::io::Read;
use std::os::fd::AsFd;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use agent_bash::helper::askpass::{ANSWERED, AskpassHint, AskpassRequest, MAX_REQUEST, SOCKET};
use agent_bash::process::askpass::socket::{AskpassConnection, AskpassListener, AskpassSocket, Received};
use agent_bash::process::directory::private::PrivateDirectory;
use agent_bash::process::helper_program;
use agent_bash::process::pipe::put_into;
use agent_bash::wire;
use tokio::time::timeout;

use crate::support::{HELPER, TEST_DEADLINE};

const ANSWER: &str = "hunter2-is-long";

/// A host that waits for a question.
struct Host {
    listener: AskpassListener,
    directory: PrivateDirectory,
}

impl Host {
    fn new() -> Self {
        helper_program::use_path(HELPER.into());
        let socket = AskpassSocket::create(SOCKET).expect("a socket");
        let (listener, directory) = socket.listener().expect("watched");
        Self { listener, directory }
    }

    /// Starts the role as a program does.
    fn ask(&self, question: &str) -> Child {
        let link = self.directory.path().join(helper_program::ASKPASS);
        let mut command = Command::new(link);
        command.arg(question).env("SSH_ASKPASS_PROMPT", "confirm").stdout(Stdio::piped());
        command.spawn().expect("it starts")
    }

    async fn received(&self) -> (AskpassConnection, Received) {
        let received = async {
            let connection = self.listener.accept().await.expect("a connection");
            let received = connection.receive(MAX_REQUEST).await.expect("a request");
            (connection, received)
        };
        timeout(TEST_DEADLINE, received).await.expect("it asks")
    }
}

/// Returns the exit code and the output of a process.
fn end(mut child: Child) -> (Option<i32>, String) {
    let mut output = String::new();
    child.stdout.take().expect("a pipe").read_to_string(&mut output).expect("text");
    (child.wait().expect("it ends").code(), output)
}

/// Returns whether the memory of a process has a text.
fn has_in_memory(pid: u32, text: &str) -> bool {
    let maps = fs::read_to_string(format!("/proc/{pid}/maps")).expect("readable");
    let memory = fs::File::open(format!("/proc/{pid}/mem")).expect("readable");
    maps.lines().any(|line| {
        let (start, rest) = line.split_once('-').expect("a range");
        let end = rest.split_once(' ').expect("a range").0;
        let number = |digits| u64::from_str_radix(digits, 16).expect("a number");
        let (start, end) = (number(start), number(end));
        let mut bytes = vec![0; usize::try_from(end - start).expect("memory")];
        let read = std::os::unix::fs::FileExt::read_at(&memory, &mut bytes, start).unwrap_or(0);
        bytes[..read].windows(text.len()).any(|window| window == text.as_bytes())
    })
}

#[tokio::test(flavor = "current_thread")]
async fn the_role_sends_question_and_output_and_never_has_the_answer() {
    let host = Host::new();
    let child = host.ask("Password: ");
    let (connection, received) = host.received().await;
    let request = AskpassRequest::new("Password: ", AskpassHint::Confirm);
    assert_eq!(wire::decode::<AskpassRequest>(&received.bytes), Ok(request));
    assert_eq!(received.sender.as_raw_nonzero().get().cast_unsigned(), child.id());
    assert!(put_into(received.output.as_fd(), format!("{ANSWER}\n").as_bytes()));
    assert!(has_in_memory(child.id(), "Password: "));
    assert!(!has_in_memory(child.id(), ANSWER));
    connection.send(ANSWERED);
    drop(received);
    assert_eq!(end(child), (Some(0), format!("{ANSWER}\n")));
}

#[tokio::test(flavor = "current_thread")]
async fn the_role_fails_without_output_when_the_host_hangs_up() {
    let host = Host::new();
    let child = host.ask("Password: ");
    drop(host.received().await);
    assert_eq!(end(child), (Some(1), String::new()));
}

#[tokio::test(flavor = "current_thread")]
async fn the_role_ends_when_nobody_reads_its_output() {
    let host = Host::new();
    let mut child = host.ask("Password: ");
    let (connection, Received { output, .. }) = host.received().await;
    drop((child.stdout.take(), output));
    let closed = std::future::poll_fn(|context| connection.poll_closed(context));
    timeout(TEST_DEADLINE, closed).await.expect("the connection is closed");
    assert_eq!(child.wait().expect("it ends").code(), Some(1));
}

#[tokio::test(flavor = "current_thread")]
async fn a_pipe_that_is_full_gets_no_answer() {
    let (_reader, writer) = std::io::pipe().expect("a pipe");
    while put_into(writer.as_fd(), &[b'x'; 4096]) {}
    assert!(!put_into(writer.as_fd(), b"answer\n"));
}

#[tokio::test(flavor = "current_thread")]
async fn the_role_fails_without_a_host() {
    helper_program::use_path(HELPER.into());
    let directory = PrivateDirectory::create(Ok).expect("made");
    let link = directory.path().join(helper_program::ASKPASS);
    std::os::unix::fs::symlink(Path::new(HELPER), &link).expect("linked");
    let child = Command::new(link).stdout(Stdio::piped()).spawn().expect("it starts");
    assert_eq!(end(child), (Some(1), String::new()));
}
