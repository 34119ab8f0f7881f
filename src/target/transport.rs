//! The process of a transport: a child of the host like the leader of a job, so it ends with the host.

use std::ffi::CString;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::time::Instant;

use super::error::TargetError;
use crate::engine::Engine;
use crate::engine::leader::Leader;
use crate::engine::leader_launch::{LeaderLaunch, SpawnedLeader};
use crate::helper::keeper::KeeperPlan;
use crate::process::directory::{Directory, open_directory};
use crate::process::errno::Errno;
use crate::process::helper_program::{self, KEEPER};
use crate::process::pipe::{input_pipe, pipe};
use crate::process::registry::{Owner, Pipes};
use crate::process::spawn::{
    Attributes, Limits, SpawnError, SpawnRequest, StandardStreams, candidates, spawn_with_retries,
};

/// The variable that keeps ssh from asking a program for a password.
const NO_ASKPASS: &str = "SSH_ASKPASS_REQUIRE=never";

/// A transport that has just been started, and the host's ends of its streams.
#[derive(Debug)]
pub(super) struct Transport {
    pub(super) leader: Leader,
    pub(super) pidfd: Option<OwnedFd>,
    pub(super) stdin: OwnedFd,
    pub(super) stdout: OwnedFd,
    pub(super) stderr: OwnedFd,
    /// Whether the leader belongs to a keeper.
    pub(super) is_kept: bool,
}

/// The program to start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum TransportLaunch {
    /// A program, which may be killed at any time.
    Program(Vec<String>),
    /// The client of a container engine, which runs below a keeper.
    Kept(KeeperPlan),
}

/// Starts the program of a transport, on a spawner thread.
///
/// # Errors
///
/// `TARGET_START` with the system's error.
pub(super) fn start(
    engine: &'static Engine,
    owner: &Owner,
    launch: &TransportLaunch,
    environment: &[String],
) -> Result<Transport, TargetError> {
    let called_at = Instant::now();
    let (argv, is_kept) = match launch {
        TransportLaunch::Program(argv) => (argv.clone(), false),
        TransportLaunch::Kept(plan) => ([vec![KEEPER.to_owned()], plan.encode()].concat(), true),
    };
    let program = if is_kept {
        helper_program::path().display().to_string()
    } else {
        argv.first().cloned().unwrap_or_default()
    };
    let program = program.as_str();
    let failed = |errno: Errno| TargetError::start(program, &errno.name());
    let on_io_error = |error: io::Error| failed(Errno::of(&error));
    let invalid = |_| failed(Errno(libc::EINVAL));
    let path = environment.iter().find_map(|variable| variable.strip_prefix("PATH="));
    let programs = candidates(program, path).map_err(invalid)?;
    let arguments: Vec<CString> =
        argv.iter().map(|word| CString::new(word.as_str())).collect::<Result<_, _>>().map_err(invalid)?;
    let kept = environment.iter().filter(|variable| !variable.starts_with("SSH_ASKPASS_REQUIRE="));
    let variables: Vec<CString> = kept
        .map(String::as_str)
        .chain([NO_ASKPASS])
        .map(CString::new)
        .collect::<Result<_, _>>()
        .map_err(invalid)?;
    let directory = open_directory(&Directory::default()).map_err(|error| failed(error.errno))?;
    let (stdin, stdin_writer) = input_pipe().map_err(on_io_error)?;
    let (stdout, stdout_writer) = pipe().map_err(on_io_error)?;
    let (stderr, stderr_writer) = pipe().map_err(on_io_error)?;
    let leader = LeaderLaunch::reserve(engine, owner, Pipes::default(), None, false)
        .ok_or_else(TargetError::closed)?;
    let spawned = leader.spawn(|record, pdeathsig| {
        let request = SpawnRequest {
            candidates: &programs,
            arguments: &arguments,
            environment: &variables,
            directory: directory.descriptor.as_fd(),
            stdio: StandardStreams {
                stdin: stdin.as_fd(),
                stdout: stdout_writer.as_fd(),
                stderr: stderr_writer.as_fd(),
            },
            extra_fd: None,
            record,
            attributes: Attributes {
                pdeathsig,
                // A subreaper would get podman's monitor as a child and kill it together with the client,
                // before the supervisor in the container has reaped what it kills.
                is_subreaper: false,
                ..Attributes::default()
            },
            limits: &Limits::default(),
            tag: None,
        };
        spawn_with_retries(&request, called_at)
    });
    let SpawnedLeader { leader, pidfd, owner_has_closed } =
        spawned.map_err(|SpawnError { errno, .. }| failed(errno))?;
    if owner_has_closed {
        return Err(TargetError::closed());
    }
    Ok(Transport { leader, pidfd, stdin: stdin_writer, stdout, stderr, is_kept })
}
