//! A scope of systemd, in which the commands of this process have their cgroups.
//!
//! Asked for at the first command with limits and without a prepared directory. A shell in the scope prepares
//! it and holds it: it moves to a cgroup below, enables the controllers, writes the path, and ends with this
//! process, whose end it reads.

use std::ffi::{CStr, CString};
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufRead, BufReader};
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use rustix::process::{Pid, Signal, getuid};

use super::files::name_of;
use crate::process::fd::above_standard_streams;
use crate::process::spawn::{Attributes, Limits, SpawnError, SpawnRequest, StandardStreams, spawn};
use crate::process::unreaped;
use crate::process::wait::{await_exit, reap};

/// Where systems with cgroups of version 2 only have them.
const ROOT: &str = "/sys/fs/cgroup";

/// The places of `systemd-run`, by absolute path: no variable of this process chooses it.
const PROGRAMS: [&CStr; 2] = [c"/usr/bin/systemd-run", c"/bin/systemd-run"];

/// The longest start of a scope. It takes 20 ms; a manager that is busy with a log-in takes seconds.
const START_DEADLINE: Duration = Duration::from_secs(10);

/// The script of the shell in the scope. A controller that the manager does not delegate is left out.
const HOLD: &str = "cd \"/sys/fs/cgroup$(sed -n 's/^0:://p' /proc/self/cgroup)\" && mkdir holder && \
                    echo $$ > holder/cgroup.procs && for name in memory pids cpu io; do \
                    echo \"+$name\" > cgroup.subtree_control; done 2> /dev/null; pwd; read -r end";

/// A scope that lives as long as this process.
struct SystemdScope {
    path: PathBuf,
    holder: Pid,
    /// The other end of the shell's streams.
    _held: UnixStream,
}

/// The scope of this process.
static SCOPE: Mutex<Option<SystemdScope>> = Mutex::new(None);

/// Returns the shell that holds the scope of this process, a child of it.
pub(super) fn holder() -> Option<Pid> {
    SCOPE.lock().unwrap_or_else(PoisonError::into_inner).as_ref().map(|scope| scope.holder)
}

/// Returns the directory of this process's scope. Starts the scope if there is none yet, or no longer.
pub(super) fn scope() -> Result<PathBuf, String> {
    let mut scope = SCOPE.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(SystemdScope { path, .. }) = scope.as_ref().filter(|scope| scope.path.is_dir()) {
        return Ok(path.clone());
    }
    check()?;
    let started = start()?;
    let path = started.path.clone();
    *scope = Some(started);
    Ok(path)
}

/// Returns the controllers that a scope would have, and starts none.
pub(super) fn controllers() -> Result<String, String> {
    check()?;
    let user = getuid();
    let path = if user.is_root() {
        format!("{ROOT}/cgroup.controllers")
    } else {
        let user = user.as_raw();
        format!("{ROOT}/user.slice/user-{user}.slice/user@{user}.service/cgroup.controllers")
    };
    fs::read_to_string(&path).map_err(|error| format!("{path} can't be read: {}", name_of(&error)))
}

/// Checks whether this process could use a scope.
fn check() -> Result<(), String> {
    if !Path::new("/run/systemd/system").is_dir() {
        return Err("systemd does not run here".to_owned());
    }
    if !Path::new(ROOT).join("cgroup.controllers").is_file() {
        return Err("this system has cgroups of version 1".to_owned());
    }
    let user = getuid();
    let own = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    // Between the cgroup of a login session and that of the user's manager is one of root, so no process may
    // come from the one into the other.
    if user.is_root() || own.contains(&format!("/user@{}.service/", user.as_raw())) {
        return Ok(());
    }
    Err("Node.js runs outside of this user's part of the cgroups, as in a login session: start it in a scope \
         by 'systemd-run --user --scope'"
        .to_owned())
}

fn start() -> Result<SystemdScope, String> {
    let failed = |error: io::Error| format!("no scope of systemd can be started: {}", name_of(&error));
    let (theirs, ours) = UnixStream::pair().map_err(failed)?;
    let theirs = above_standard_streams(theirs.into()).map_err(failed)?;
    let ours = UnixStream::from(above_standard_streams(ours.into()).map_err(failed)?);
    ours.set_read_timeout(Some(START_DEADLINE)).map_err(failed)?;
    let null = OpenOptions::new().write(true).open("/dev/null").map_err(failed)?;
    let null = above_standard_streams(null.into()).map_err(failed)?;
    let root = File::open("/").map_err(failed)?;
    let user = getuid();
    let manager = if user.is_root() { c"--system" } else { c"--user" };
    let script = CString::new(HOLD).map_err(|error| failed(error.into()))?;
    let words = [c"systemd-run", manager, c"--scope", c"--collect", c"--quiet", c"--property=Delegate=yes"];
    let shell = [c"--", c"/bin/sh", c"-c", &*script];
    let arguments: Vec<CString> = words.into_iter().chain(shell).map(CStr::to_owned).collect();
    let runtime = CString::new(format!("XDG_RUNTIME_DIR=/run/user/{}", user.as_raw()));
    let environment = [Ok(c"PATH=/usr/bin:/bin".to_owned()), runtime];
    let environment: Vec<CString> = environment.into_iter().flatten().collect();
    let spawned = spawn(&SpawnRequest {
        candidates: &PROGRAMS.map(CStr::to_owned),
        arguments: &arguments,
        environment: &environment,
        directory: root.as_fd(),
        stdio: StandardStreams { stdin: theirs.as_fd(), stdout: theirs.as_fd(), stderr: null.as_fd() },
        extra_fd: None,
        record: None,
        attributes: Attributes::default(),
        limits: &Limits::default(),
        tag: None,
    })
    .map_err(|SpawnError { errno, .. }| format!("systemd-run can't be started: {}", errno.name()))?;
    drop(theirs);
    let mut answer = String::new();
    let read = BufReader::new(&ours).read_line(&mut answer);
    let path = PathBuf::from(answer.trim_end());
    if read.is_ok() && path.starts_with(ROOT) && path != Path::new(ROOT) {
        return Ok(SystemdScope { path, holder: spawned.pid, _held: ours });
    }
    end(spawned.pid);
    Err("systemd has started no scope for this user: 'systemd-run --user --scope true' tells why".to_owned())
}

/// Ends a start that has failed.
fn end(pid: Pid) {
    unreaped::signal(pid, Signal::KILL);
    await_exit(pid);
    reap(pid);
}
