//! Runs a short command of an engine, and reads its answer.

use std::ffi::CString;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::thread;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::read;

use crate::process::clock::timespec;
use crate::process::directory::{Directory, open_directory};
use crate::process::identity::Identity;
use crate::process::pipe::{input_pipe, pipe};
use crate::process::spawn::{Attributes, Limits, SpawnRequest, StandardStreams, candidates, spawn};
use crate::process::tree::kill_tree;
use crate::process::wait::{Exit, kill_and_reap, reap};

/// The most bytes of an answer that are kept.
const MAX_ANSWER: usize = 256 * 1024;

/// The interval between two checks of a program that has closed its outputs.
const EXIT_INTERVAL: Duration = Duration::from_millis(1);

/// The longest kill of a hanging program's process tree.
const KILL_DEADLINE: Duration = Duration::from_millis(400);

/// The output of a command.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct EngineAnswer {
    pub(super) is_success: bool,
    pub(super) stdout: String,
    pub(super) stderr: String,
}

/// Runs a command without input, for `limit` at most. Blocks.
///
/// # Errors
///
/// The system's error if the program can't be started, or `TimedOut`.
pub(super) fn ask(argv: &[String], environment: &[String], limit: Duration) -> io::Result<EngineAnswer> {
    let until = Instant::now() + limit;
    let path = environment.iter().find_map(|variable| variable.strip_prefix("PATH="));
    let programs = candidates(argv.first().map_or("", String::as_str), path)?;
    let texts = |texts: &[String]| -> io::Result<Vec<CString>> {
        Ok(texts.iter().map(|text| CString::new(text.as_str())).collect::<Result<_, _>>()?)
    };
    let directory = open_directory(&Directory { path: "/".to_owned(), root: None })
        .map_err(|error| io::Error::from_raw_os_error(error.errno.0))?;
    let (stdin, _) = input_pipe()?;
    let ((stdout, stdout_writer), (stderr, stderr_writer)) = (pipe()?, pipe()?);
    let child = spawn(&SpawnRequest {
        candidates: &programs,
        arguments: &texts(argv)?,
        environment: &texts(environment)?,
        directory: directory.descriptor.as_fd(),
        stdio: StandardStreams {
            stdin: stdin.as_fd(),
            stdout: stdout_writer.as_fd(),
            stderr: stderr_writer.as_fd(),
        },
        extra_fd: None,
        record: None,
        attributes: Attributes::default(),
        limits: &Limits::default(),
        tag: None,
    })
    .map_err(|error| io::Error::from_raw_os_error(error.errno.0))?;
    drop((stdout_writer, stderr_writer));
    let outputs = read_all([stdout, stderr], until);
    let exit = loop {
        match reap(child.pid) {
            Some(exit) => break exit,
            None if Instant::now() > until => {
                kill_tree(Identity::of_child(child.pid), Instant::now() + KILL_DEADLINE);
                kill_and_reap(child.pid);
                return Err(io::ErrorKind::TimedOut.into());
            }
            None => thread::sleep(EXIT_INTERVAL),
        }
    };
    let [stdout, stderr] = outputs.map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    Ok(EngineAnswer { is_success: exit == Exit::Code(0), stdout, stderr })
}

/// Reads both outputs to their ends, or until the time is up.
fn read_all(pipes: [OwnedFd; 2], until: Instant) -> [Vec<u8>; 2] {
    let mut kept = [Vec::new(), Vec::new()];
    let mut open: Vec<(usize, OwnedFd)> = pipes.into_iter().enumerate().collect();
    let mut buffer = vec![0; 16 * 1024];
    while !open.is_empty() {
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            break;
        }
        let mut events: Vec<_> = open.iter().map(|(_, pipe)| PollFd::new(pipe, PollFlags::IN)).collect();
        let _ = poll(&mut events, Some(&timespec(left)));
        let ready: Vec<bool> = events.iter().map(|event| !event.revents().is_empty()).collect();
        let mut ready = ready.into_iter();
        open.retain(|(index, pipe)| {
            if ready.next() != Some(true) {
                return true;
            }
            match read(pipe, &mut *buffer) {
                Ok(0) => false,
                Ok(count) => {
                    let kept = &mut kept[*index];
                    kept.extend(&buffer[..count.min(MAX_ANSWER - kept.len())]);
                    true
                }
                Err(error) => error == rustix::io::Errno::AGAIN || error == rustix::io::Errno::INTR,
            }
        });
    }
    kept
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{EngineAnswer, ask};

    fn shell(line: &str, limit: Duration) -> std::io::Result<EngineAnswer> {
        let words = ["/bin/sh", "-c", line].map(str::to_owned);
        ask(&words, &["PATH=/usr/bin:/bin".to_owned()], limit)
    }

    #[test]
    fn both_outputs_and_the_success_are_reported() {
        let answer = shell("echo out; echo err >&2; exit 3", Duration::from_secs(10)).expect("an answer");
        let expected =
            EngineAnswer { is_success: false, stdout: "out\n".to_owned(), stderr: "err\n".to_owned() };
        assert_eq!(answer, expected);
        assert!(shell("true", Duration::from_secs(10)).expect("an answer").is_success);
    }

    #[test]
    fn a_program_that_hangs_is_killed_with_those_that_it_has_started() {
        let place = tempfile::tempdir().expect("a directory");
        let pid = place.path().join("pid");
        let line = format!("sleep 1000 & echo $! > {}; wait", pid.display());
        let error = shell(&line, Duration::from_secs(1)).expect_err("it hangs");
        assert_eq!(error.kind(), std::io::ErrorKind::TimedOut);
        let pid: i32 = std::fs::read_to_string(pid).expect("a pid").trim().parse().expect("a pid");
        let pid = rustix::process::Pid::from_raw(pid).expect("a pid");
        let is_gone = || rustix::process::test_kill_process(pid).is_err();
        assert!((0..1000).any(|_| is_gone() || {
            std::thread::sleep(Duration::from_millis(10));
            false
        }));
    }

    #[test]
    fn a_missing_program_is_an_error() {
        let error = ask(&["/nowhere/e".to_owned()], &[], Duration::from_secs(1)).expect_err("it is missing");
        assert_eq!(error.raw_os_error(), Some(libc::ENOENT));
    }
}
