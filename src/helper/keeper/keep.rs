//! The keeper's role of the helper program.

use std::ffi::{CString, OsString};
use std::fs::{self, File};
use std::io;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, poll};
use rustix::fs::{FlockOperation, flock};
use rustix::io::{Errno, read, write};
use rustix::process::{Pid, Signal, setsid};
use rustix::stdio::{stderr, stdin, stdout};

use super::KeeperPlan;
use crate::helper::signals::{take_signals, watch};
use crate::process::clock::timespec;
use crate::process::directory::{Directory, open_directory};
use crate::process::identity::Identity;
use crate::process::pipe::pipe;
use crate::process::spawn::fork::{fork, replace_standard_streams};
use crate::process::spawn::{
    Attributes, Limits, SpawnError, SpawnRequest, StandardStreams, candidates, spawn,
};
use crate::process::table::{children_of, list_pids};
use crate::process::wait::{await_exit, kill_and_reap, reap};

/// The time that the client has to exit by itself after the end of the host: it finishes a start that has
/// begun.
const END_DEADLINE: Duration = Duration::from_secs(8);

/// The longest time that the removal of a container may take.
const REMOVAL_DEADLINE: Duration = Duration::from_secs(20);

/// The time that the client has to exit after the removal of its container.
const CLIENT_DEADLINE: Duration = Duration::from_secs(2);

/// The interval between two checks of a removal.
const REMOVAL_INTERVAL: Duration = Duration::from_millis(10);

/// A directory in which no process can create a file.
const UNWRITABLE: &str = "/proc";

/// The request of the leader to remove the container at once.
const REMOVE: &[u8] = b"r";

/// The reason why the keeper stops waiting for its client.
#[derive(Clone, Copy, PartialEq, Eq)]
enum KeeperWake {
    /// The client has exited.
    Exit,
    /// The host wants the container to be removed.
    Asked,
    /// The host has exited.
    HostGone,
}

/// Runs the role, and returns its exit code. `environment` is that of this process.
#[must_use]
pub fn keep(plan: &KeeperPlan, environment: &[(OsString, OsString)]) -> u8 {
    match split() {
        Ok(ForkedRole::Leader { control, done }) => await_keeper(&control, &done),
        Ok(ForkedRole::Middle) => {}
        Ok(ForkedRole::Keeper { control, done }) => {
            run_client(plan, environment, &control);
            drop(done);
        }
        Err(_) => return 1,
    }
    0
}

enum ForkedRole {
    Leader { control: OwnedFd, done: OwnedFd },
    Middle,
    Keeper { control: OwnedFd, done: OwnedFd },
}

/// Forks twice, so that the keeper is a child of init and no descendant of the host.
fn split() -> io::Result<ForkedRole> {
    let (control_reader, control) = pipe()?;
    let (done, done_writer) = pipe()?;
    if let Some(middle) = fork()? {
        await_exit(middle);
        let _ = reap(middle);
        return Ok(ForkedRole::Leader { control, done });
    }
    if fork()?.is_some() {
        return Ok(ForkedRole::Middle);
    }
    // A kill of the leader's session must not reach the keeper.
    let _ = setsid();
    Ok(ForkedRole::Keeper { control: control_reader, done: done_writer })
}

/// Waits until the keeper is done. If this process dies, the keeper knows that the host has exited.
fn await_keeper(control: &OwnedFd, done: &OwnedFd) {
    if release_streams().is_err() {
        return;
    }
    let Ok(signals) = watch(&[libc::SIGTERM]) else { return };
    loop {
        let mut events = [PollFd::new(done, PollFlags::IN), PollFd::new(&signals, PollFlags::IN)];
        let _ = poll(&mut events, None);
        if !events[0].revents().is_empty() {
            return;
        }
        if !take_signals(&signals).is_empty() {
            let _ = write(control, REMOVE);
        }
    }
}

/// Runs the client, and cleans up after it.
fn run_client(plan: &KeeperPlan, environment: &[(OsString, OsString)], control: &OwnedFd) {
    let Ok(signals) = watch(&[libc::SIGCHLD]) else { return };
    let held: Vec<File> = plan.held.iter().filter_map(|path| lock_shared(path)).collect();
    match start(&plan.run, environment, false) {
        Ok(client) if release_streams().is_ok() => await_client(plan, environment, client, &signals, control),
        Ok(client) => kill_and_reap(client),
        Err(error) => {
            let program = plan.run.first().map_or("", String::as_str);
            let text = format!("{program}: {}\n", Errno::from_io_error(&error).unwrap_or(Errno::IO));
            let _ = write(stderr(), text.as_bytes());
            let _ = release_streams();
        }
    }
    drop(held);
    plan.made.iter().rev().for_each(|path| remove_unlocked(Path::new(path)));
}

/// Waits for the exit of the client. If the host exits first, removes the container.
fn await_client(
    plan: &KeeperPlan,
    environment: &[(OsString, OsString)],
    client: Pid,
    signals: &OwnedFd,
    control: &OwnedFd,
) {
    let mut cause = wait_for(client, signals, Some(control), None);
    if cause == KeeperWake::HostGone {
        cause = wait_for(client, signals, None, Some(Instant::now() + END_DEADLINE));
    }
    if cause == KeeperWake::Exit {
        return;
    }
    if cause == KeeperWake::HostGone {
        kill_and_reap(client);
    }
    remove_container(plan, environment);
    if cause == KeeperWake::Asked
        && wait_for(client, signals, None, Some(Instant::now() + CLIENT_DEADLINE)) != KeeperWake::Exit
    {
        kill_and_reap(client);
    }
    end_monitor(&plan.name);
}

/// Lets the engine remove the container.
fn remove_container(plan: &KeeperPlan, environment: &[(OsString, OsString)]) {
    if let Ok(removal) = start(&plan.removal, environment, true) {
        let until = Instant::now() + REMOVAL_DEADLINE;
        while reap(removal).is_none() {
            if Instant::now() > until {
                kill_and_reap(removal);
                break;
            }
            thread::sleep(REMOVAL_INTERVAL);
        }
    }
}

/// Waits until the client has exited, the leader has sent a request or exited, or the deadline has passed.
fn wait_for(client: Pid, signals: &OwnedFd, control: Option<&OwnedFd>, until: Option<Instant>) -> KeeperWake {
    loop {
        if reap(client).is_some() {
            return KeeperWake::Exit;
        }
        let left = until.map(|until| until.saturating_duration_since(Instant::now()));
        if left.is_some_and(|left| left.is_zero()) {
            return KeeperWake::HostGone;
        }
        let limit = left.map(timespec);
        let mut events = vec![PollFd::new(signals, PollFlags::IN)];
        events.extend(control.map(|control| PollFd::new(control, PollFlags::IN)));
        let _ = poll(&mut events, limit.as_ref());
        let has_control = events.get(1).is_some_and(|event| !event.revents().is_empty());
        drop(take_signals(signals));
        if let Some(control) = control.filter(|_| has_control) {
            let mut byte = [0];
            match read(control, &mut byte) {
                Ok(0) => return KeeperWake::HostGone,
                Ok(_) => return KeeperWake::Asked,
                Err(_) => {}
            }
        }
    }
}

/// Starts a command of the engine, with the streams of this process.
fn start(words: &[String], environment: &[(OsString, OsString)], is_silent: bool) -> io::Result<Pid> {
    let null = File::options().read(true).write(true).open("/dev/null")?;
    let path = environment.iter().find(|(name, _)| name == "PATH");
    let path = path.map(|(_, value)| value.to_string_lossy());
    let programs = candidates(words.first().map_or("", String::as_str), path.as_deref())?;
    let arguments: Vec<CString> =
        words.iter().map(|word| CString::new(word.as_str())).collect::<Result<_, _>>()?;
    let variable = |(name, value): &(OsString, OsString)| {
        CString::new([name.as_bytes(), b"=", value.as_bytes()].concat())
    };
    let variables: Vec<CString> = environment.iter().map(variable).collect::<Result<_, _>>()?;
    // podman's monitor (conmon) writes a file `oom` into its working directory when the kernel kills for lack
    // of memory.
    let directory = Directory { path: UNWRITABLE.to_owned(), root: None };
    let directory =
        open_directory(&directory).map_err(|error| io::Error::from_raw_os_error(error.errno.0))?;
    let streams = if is_silent { [null.as_fd(); 3] } else { [stdin(), stdout(), stderr()] };
    let spawned = spawn(&SpawnRequest {
        candidates: &programs,
        arguments: &arguments,
        environment: &variables,
        directory: directory.descriptor.as_fd(),
        stdio: StandardStreams { stdin: streams[0], stdout: streams[1], stderr: streams[2] },
        extra_fd: None,
        record: None,
        attributes: Attributes::default(),
        limits: &Limits::default(),
        tag: None,
    });
    spawned
        .map(|spawned| spawned.pid)
        .map_err(|SpawnError { errno, .. }| io::Error::from_raw_os_error(errno.0))
}

/// Closes this process's copies of the streams, which would keep them from ending.
fn release_streams() -> io::Result<()> {
    let null = File::options().read(true).write(true).open("/dev/null")?;
    replace_standard_streams(null.as_raw_fd())
}

/// Opens a path and takes a shared lock on it, which shows other keepers that the path is in use.
fn lock_shared(path: &str) -> Option<File> {
    let file = File::open(path).ok()?;
    flock(&file, FlockOperation::NonBlockingLockShared).ok()?;
    Some(file)
}

/// Removes an empty directory, unless another keeper has locked it: the removal would unmount what is mounted
/// there.
fn remove_unlocked(path: &Path) {
    let Ok(file) = File::open(path) else { return };
    if flock(&file, FlockOperation::NonBlockingLockExclusive).is_ok() {
        let _ = fs::remove_dir(path);
    }
}

/// Kills the children of podman's monitor of a container. A client that is killed between the creation and
/// the start of a container leaves them, and no command of the engine lists them. The monitor then exits.
fn end_monitor(name: &str) {
    for pid in list_pids() {
        let line = fs::read(format!("/proc/{}/cmdline", pid.as_raw_nonzero())).unwrap_or_default();
        let words: Vec<&[u8]> = line.split(|&byte| byte == 0).collect();
        let is_monitor = words.first().is_some_and(|program| program.ends_with(b"conmon"))
            && words.windows(2).any(|pair| pair[0] == b"-n" && pair[1] == name.as_bytes());
        if !is_monitor {
            continue;
        }
        for child in children_of(pid).unwrap_or_default() {
            if let Some(identity) = Identity::of(child) {
                identity.send(Signal::KILL);
            }
        }
    }
}
