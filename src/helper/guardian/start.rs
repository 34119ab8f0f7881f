//! The host's side of the guardian: starts it, and checks its version.

use std::ffi::CString;
use std::fs::{File, OpenOptions};
use std::io;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::Duration;

use crate::process::errno::Errno;
use crate::process::fd::above_standard_streams;
use crate::process::helper_program::{GUARDIAN, HelperError, expect_greeting};
use crate::process::registry::{GuardianSocket, Registry};
use crate::process::spawn::{
    Attributes, FdMapping, Limits, SpawnError, SpawnRequest, Spawned, StandardStreams, Step, spawn,
};
use crate::process::wait::{kill_and_reap, was_killed};

/// The longest time that the guardian may take to report its version. Usually that takes less than 1 ms; the
/// scheduler of an overloaded machine may delay it for seconds.
const GREETING_DEADLINE: Duration = Duration::from_secs(10);

/// A running guardian.
#[derive(Debug)]
pub struct Guardian {
    pub process: Spawned,
    /// The host's end of the socket. The guardian acts when the last copy of it is closed, for whatever
    /// reason.
    pub socket: OwnedFd,
}

/// Starts a guardian for the jobs of this registry, and waits until it has reported its version, which takes
/// about as long as the start of a small program.
///
/// # Errors
///
/// The reason why there is no guardian. No process of the attempt is left.
pub fn start(registry: &Registry, helper: &Path) -> Result<Guardian, HelperError> {
    start_and_report(registry, helper, || {})
}

/// Starts a guardian as [`start`] does, and calls `on_execute` as soon as its program runs.
///
/// From then on, a helper of the right version will find every job in the registry.
///
/// # Errors
///
/// The reason why there is no guardian. No process of the attempt is left.
pub fn start_and_report(
    registry: &Registry,
    helper: &Path,
    on_execute: impl FnOnce(),
) -> Result<Guardian, HelperError> {
    // After a failure, the descriptor of the closed socket may become another file.
    start_on_socket(registry, helper, on_execute).inspect_err(|_| registry.set_guardian_socket(None))
}

fn start_on_socket(
    registry: &Registry,
    helper: &Path,
    on_execute: impl FnOnce(),
) -> Result<Guardian, HelperError> {
    let (process, socket) = spawn_guardian(registry, helper)?;
    on_execute();
    let has_deadline =
        socket.set_read_timeout(Some(GREETING_DEADLINE)).map_err(|error| system(helper, &error));
    match has_deadline.and_then(|()| expect_greeting(helper, &socket)) {
        Ok(()) => Ok(Guardian { process, socket: socket.into() }),
        Err(error) => {
            let was_killed = was_killed(process.pid);
            // The helper must die before the socket is closed: one of another version must not act on this
            // registry.
            kill_and_reap(process.pid);
            Err(if was_killed { HelperError::Killed(helper.to_owned()) } else { error })
        }
    }
}

/// Returns the inode of a socket, or 0, which no socket has, where the system does not report it.
///
/// A child compares the inode to make sure that it closes this socket and no other file.
fn inode_of(socket: &OwnedFd) -> u64 {
    rustix::fs::fstat(socket).map_or(0, |status| status.st_ino)
}

/// Spawns the helper in the role of the guardian, and returns it with the host's end of its socket.
fn spawn_guardian(registry: &Registry, helper: &Path) -> Result<(Spawned, UnixStream), HelperError> {
    let on_error = |error: io::Error| system(helper, &error);
    let (stdin, socket) = UnixStream::pair().map_err(on_error)?;
    let stdin = above_standard_streams(stdin.into()).map_err(on_error)?;
    let socket = above_standard_streams(socket.into()).map_err(on_error)?;
    let null = OpenOptions::new().write(true).open("/dev/null").map_err(on_error)?;
    let null = above_standard_streams(null.into()).map_err(on_error)?;
    let root = File::open("/").map_err(on_error)?;
    let program = CString::new(helper.as_os_str().as_bytes())
        .map_err(|_| HelperError::of_execution(helper, Errno(libc::EINVAL)))?;
    let name = CString::new(GUARDIAN).map_err(|error| system(helper, &error.into()))?;
    let request = SpawnRequest {
        candidates: &[program],
        arguments: &[name],
        environment: &[],
        directory: root.as_fd(),
        stdio: StandardStreams { stdin: stdin.as_fd(), stdout: null.as_fd(), stderr: null.as_fd() },
        extra_fd: Some(FdMapping::script(registry.file())),
        record: None,
        // The guardian must inherit no descriptors: a pipe among them would stay open as long as the guardian
        // lives.
        attributes: Attributes { ignores_termination: true, ..Attributes::default() },
        limits: &Limits::default(),
        tag: None,
    };
    // The socket is set before the guardian exists, because leaders that start meanwhile must close their
    // copies too.
    registry.set_guardian_socket(Some(GuardianSocket {
        descriptor: socket.as_raw_fd(),
        inode: inode_of(&socket),
    }));
    let process = spawn(&request).map_err(|SpawnError { step, errno }| match step {
        Step::Execute => HelperError::of_execution(helper, errno),
        _ => HelperError::System { path: helper.to_owned(), errno },
    })?;
    Ok((process, socket.into()))
}

fn system(helper: &Path, error: &io::Error) -> HelperError {
    HelperError::System { path: helper.to_owned(), errno: Errno::of(error) }
}
