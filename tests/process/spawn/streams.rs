//! The standard input of a child, fed through a pipe by the I/O thread.

use std::fs::File;
use std::io::{self, PipeReader, Read};
use std::os::fd::{AsFd, OwnedFd};

use super::start::high;
use crate::support::{PATH, TEST_DEADLINE, Tag, reap_blocking, text};
use agent_bash::process::pipe::{self, input_pipe};
use agent_bash::process::spawn::{
    Attributes, Limits, SpawnRequest, Spawned, StandardStreams, candidates, spawn,
};

#[tokio::test]
async fn a_child_reads_its_input_to_the_end() {
    let tag = Tag::new();
    let (stdin, writer) = input_pipe().expect("a pipe");
    let mut child = spawn_reader(&tag, stdin, "cksum");
    let mut writer = pipe::PipeWriter::new(writer).expect("it can be watched");
    let text = "0123456789abcdef".repeat(1 << 16);
    let mut rest = text.as_bytes();
    while !rest.is_empty() {
        writer.ready().await.expect("it is watched");
        match writer.write(rest) {
            pipe::Write::Bytes(count) => rest = &rest[count..],
            pipe::Write::Full => {}
            pipe::Write::Closed => panic!("there is a reader"),
        }
    }
    drop(writer);
    let mut said = String::new();
    child.stdout.read_to_string(&mut said).expect("text");
    assert!(said.ends_with(&format!(" {}\n", text.len())), "{said}");
    reap_blocking(child.spawned.pid);
}

#[tokio::test]
async fn a_child_that_exits_early_closes_its_input() {
    let tag = Tag::new();
    let (stdin, writer) = input_pipe().expect("a pipe");
    let child = spawn_reader(&tag, stdin, "head -c 1");
    let mut writer = pipe::PipeWriter::new(writer).expect("it can be watched");
    let text = vec![b'x'; 1 << 16];
    loop {
        tokio::time::timeout(TEST_DEADLINE, writer.ready())
            .await
            .expect("room or its end")
            .expect("it is watched");
        if writer.write(&text) == pipe::Write::Closed {
            break;
        }
    }
    reap_blocking(child.spawned.pid);
}

/// Starts a child with its own standard input and a pipe for its output.
fn spawn_reader(tag: &Tag, stdin: OwnedFd, script: &str) -> Reader {
    let root = File::open("/").expect("a directory");
    let (stdout_reader, stdout) = io::pipe().expect("a pipe");
    let stdout = high(stdout.into());
    let spawned = spawn(&SpawnRequest {
        candidates: &candidates("/bin/sh", None).expect("no NUL"),
        arguments: &[text("sh"), text("-c"), text(script)],
        environment: &[text(PATH), text(tag.variable())],
        directory: root.as_fd(),
        stdio: StandardStreams { stdin: stdin.as_fd(), stdout: stdout.as_fd(), stderr: stdout.as_fd() },
        extra_fd: None,
        record: None,
        attributes: Attributes::default(),
        limits: &Limits::default(),
        tag: None,
    })
    .expect("it starts");
    // Now only the child has the input open.
    drop(stdin);
    Reader { spawned, stdout: stdout_reader }
}

struct Reader {
    spawned: Spawned,
    stdout: PipeReader,
}
