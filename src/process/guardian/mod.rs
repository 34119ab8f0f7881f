//! Kills what is left of the jobs when the host dies, also by SIGKILL.
//!
//! The guardian is a process of its own: the helper program, in a session of its own. It holds one end of a socket, of
//! which only the host has the other, so the end of the host wakes it. Then it reads the file of the [`Registry`], finds
//! the processes of the jobs and kills them.
//!
//! * This file is the host's side: [`start`].
//! * [`watch`] is the guardian's side. `table` reads the registry's file, `search` decides who belongs to the jobs, and
//!   `sweep` stops and kills them.

mod search;
mod sweep;
mod table;
mod watch;

pub use watch::watch;

use std::ffi::CString;
use std::fs::{File, OpenOptions};
use std::io;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use super::errno::Errno;
use super::fd::above_standard_streams;
use super::helper::{GUARDIAN, HelperError, expect_greeting};
use super::pipe::inode;
use super::registry::{Leash, Registry};
use super::spawn::{Limits, Request, Script, SpawnError, Spawned, Step, spawn};
use super::wait::{Exit, await_exit, peek, reap};

/// How long the guardian may take to say its version. It takes less than a millisecond; on a machine that is
/// overloaded, the scheduler may keep it waiting for seconds.
const GREETING_DEADLINE: Duration = Duration::from_secs(10);

/// How long after its socket a helper may exit that somebody has killed.
const EXIT_AFTER_SOCKET: Duration = Duration::from_millis(50);

/// A guardian that runs.
#[derive(Debug)]
pub struct Guardian {
    /// The guardian's process.
    pub process: Spawned,
    /// The host's end of the socket. The guardian acts when the last copy of it is closed, by whatever means.
    pub leash: OwnedFd,
}

/// Starts a guardian over the jobs of this table, and waits until it has said its version, which takes about as long as
/// the start of a small program.
///
/// # Errors
///
/// Why there is no guardian. No process is left then.
pub fn start(registry: &Registry, helper: &Path) -> Result<Guardian, HelperError> {
    start_and_report(registry, helper, || {})
}

/// As [`start`]. Calls `executed` as soon as the program has been executed: from then on it will find what is in the table,
/// if it is of the right version.
///
/// # Errors
///
/// Why there is no guardian. No process is left then.
pub fn start_and_report(
    registry: &Registry,
    helper: &Path,
    executed: impl FnOnce(),
) -> Result<Guardian, HelperError> {
    // The descriptor of a leash that is closed may become another file.
    start_on_leash(registry, helper, executed).inspect_err(|_| registry.set_leash(None))
}

fn start_on_leash(
    registry: &Registry,
    helper: &Path,
    executed: impl FnOnce(),
) -> Result<Guardian, HelperError> {
    let system = |errno| HelperError::System { path: helper.to_owned(), errno };
    let on_error = |error: io::Error| system(Errno::of(&error));
    let (stdin, leash) = UnixStream::pair().map_err(on_error)?;
    let stdin = above_standard_streams(stdin.into()).map_err(on_error)?;
    let leash = above_standard_streams(leash.into()).map_err(on_error)?;
    let null = OpenOptions::new().write(true).open("/dev/null").map_err(on_error)?;
    let null = above_standard_streams(null.into()).map_err(on_error)?;
    let root = File::open("/").map_err(on_error)?;
    let program = CString::new(helper.as_os_str().as_bytes())
        .map_err(|_| HelperError::of_execution(helper, Errno(libc::EINVAL)))?;
    let name = CString::new(GUARDIAN).map_err(|_| system(Errno(libc::EINVAL)))?;
    let request = Request {
        candidates: &[program],
        arguments: &[name],
        environment: &[],
        directory: root.as_fd(),
        stdin: stdin.as_fd(),
        stdout: null.as_fd(),
        stderr: null.as_fd(),
        script: Some(Script::new(registry.file())),
        record: None,
        // An inherited pipe would stay open for as long as the guardian lives.
        inherits_descriptors: false,
        at_thread_end: None,
        adopts_orphans: false,
        ignores_termination: true,
        limits: &Limits::default(),
        tag: None,
    };
    // Before there is a guardian: the leaders that start meanwhile must let go of the leash too.
    registry.set_leash(Some(Leash { descriptor: leash.as_raw_fd(), inode: inode(&leash) }));
    let process = spawn(&request).map_err(|SpawnError { step, errno }| match step {
        Step::Execute => HelperError::of_execution(helper, errno),
        _ => system(errno),
    })?;
    executed();
    drop(stdin);
    let leash = UnixStream::from(leash);
    let is_bounded = leash.set_read_timeout(Some(GREETING_DEADLINE)).map_err(on_error);
    match is_bounded.and_then(|()| expect_greeting(helper, &leash)) {
        Ok(()) => Ok(Guardian { process, leash: leash.into() }),
        Err(error) => {
            let was_killed = was_killed_from_outside(process.pid);
            // Before the leash is closed: a helper of another version must not act on this table.
            kill_and_reap(process.pid);
            // That says nothing about the program: the next try may succeed.
            Err(if was_killed { system(Errno(libc::EINTR)) } else { error })
        }
    }
}

/// Tells whether somebody has killed a helper before it could say its version. Its socket ends shortly before it does.
fn was_killed_from_outside(child: Pid) -> bool {
    let deadline = Instant::now() + EXIT_AFTER_SOCKET;
    loop {
        match peek(child) {
            Some(exit) => return exit == Exit::Signal(libc::SIGKILL),
            None if Instant::now() > deadline => return false,
            None => thread::sleep(Duration::from_millis(1)),
        }
    }
}

/// Ends an unreaped child of ours: its pid can't be a stranger's.
fn kill_and_reap(child: Pid) {
    let _ = kill_process(child, Signal::KILL);
    await_exit(child);
    reap(child);
}
