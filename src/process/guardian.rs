//! Kills what is left of the jobs when the host dies, also by SIGKILL.
//!
//! One tiny shell process a host, in a session of its own. It sleeps in `read` on a pipe that only the host can
//! write to, so the end of the host wakes it, and then it kills the trees of the jobs in the [`Registry`]'s file.

use std::ffi::CString;
use std::fs::{File, OpenOptions};
use std::io;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use rustix::fs::Access;

use super::pipe::{above_standard_streams, inode, pipe};
use super::registry::{Leash, Registry};
use super::spawn::{Limits, Request, Script, Spawned, Standby, candidates, spawn};

const SCRIPT: &str = include_str!("guardian.sh");

/// What the script runs at the host's end. In awk, since a shell takes seconds to make sense of a long process table.
const PROGRAM: &str = include_str!("guardian.awk");

/// Where it finds awk, ls and sleep, also on a system that has nothing but `sh` in the usual places.
const PATH: &str = "PATH=/usr/local/bin:/usr/bin:/bin:/run/current-system/sw/bin";

const SHELL: &str = "/bin/sh";

/// What `ps` shows after the script.
const NAME: &str = "agent-bash-guardian";

/// How long it waits before it loads its shell, which would compete with that of the first command. What happens meanwhile
/// it finds in the table.
const STANDBY: Duration = Duration::from_millis(10);

/// A guardian that runs.
#[derive(Debug)]
pub struct Guardian {
    /// Its process.
    pub process: Spawned,
    /// It acts when this is closed, by whatever means.
    pub leash: OwnedFd,
}

/// Starts a guardian over the jobs in this table, which takes some 10 ms. `lives` becomes true as soon as its process is
/// there, long before this returns: from then on nothing is lost that is in the table.
///
/// # Errors
///
/// The system's error when there is no shell, no descriptor or no process to be had.
pub fn start(registry: &Registry, lives: &AtomicBool) -> io::Result<Guardian> {
    let (read_end, leash) = blocking_pipe()?;
    let null = above_standard_streams(OpenOptions::new().write(true).open("/dev/null")?.into())?;
    let root = File::open("/")?;
    // Who comes to life and can't execute would be taken for a guardian.
    rustix::fs::access(SHELL, Access::EXEC_OK)?;
    let program = candidates(SHELL, None)?;
    let arguments: Vec<CString> =
        ["sh", "-c", SCRIPT, NAME].into_iter().map(CString::new).collect::<Result<_, _>>()?;
    let environment = [CString::new(PATH)?, CString::new(format!("PROGRAM={PROGRAM}"))?];
    let request = Request {
        candidates: &program,
        arguments: &arguments,
        environment: &environment,
        directory: root.as_fd(),
        stdin: read_end.as_fd(),
        stdout: null.as_fd(),
        stderr: null.as_fd(),
        script: Some(Script::new(registry.file())),
        record: None,
        // It would keep the other ends of pipes waiting that are none of its business.
        inherits_descriptors: false,
        at_thread_end: None,
        adopts_orphans: false,
        standby: Some(Standby { lives, pause: STANDBY }),
        limits: &Limits::default(),
        tag: None,
    };
    // Before there is one: the leaders that start meanwhile must let go of it too.
    registry.set_leash(Leash { descriptor: leash.as_raw_fd(), inode: inode(&leash) });
    let process = spawn(&request).map_err(|error| io::Error::from_raw_os_error(error.errno.0))?;
    Ok(Guardian { process, leash })
}

fn blocking_pipe() -> io::Result<(OwnedFd, OwnedFd)> {
    let (reader, writer) = pipe()?;
    rustix::io::ioctl_fionbio(&reader, false)?;
    Ok((reader, writer))
}
