//! Helpers that the tests share: a finder of tagged processes, waits with a deadline, and a job with its
//! observer.

#![allow(dead_code, unused_imports, reason = "each test file uses a part of it")]

mod job;

use std::ffi::CString;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use agent_bash::process::table;
use agent_bash::process::table::row::Process;
use rustix::process::{Pid, Signal};

pub(crate) use self::job::{Command, Job, Recorder};

/// The time after which a wait fails its test: far more than anything takes on a busy machine.
pub(crate) const TEST_DEADLINE: Duration = Duration::from_secs(30);

/// A time that expires in no test.
pub(crate) const NEVER: Duration = Duration::from_secs(3600);

/// The path of this build's helper program.
pub(crate) const HELPER: &str = env!("CARGO_BIN_EXE_agent-bash-helper");

/// The `PATH` of the tests' commands.
pub(crate) const PATH: &str = "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/// Returns whether this test, which inspects the whole process, has the process for itself. Otherwise it runs
/// the test in a process of its own, as cargo-nextest runs every test: cargo test runs all tests of a program
/// in one.
pub(crate) fn is_alone(test: &str) -> bool {
    const MARK: &str = "AGENT_BASH_TEST_IS_ALONE";
    if std::env::var_os("NEXTEST").or(std::env::var_os(MARK)).is_some() {
        return true;
    }
    let ran = std::process::Command::new(std::env::current_exe().expect("our own path"))
        .args(["--exact", test, "--include-ignored"])
        .env(MARK, "1")
        .output()
        .expect("it starts");
    let said = String::from_utf8_lossy(&ran.stdout);
    assert!(ran.status.success() && said.contains("1 passed"), "{said}");
    false
}

/// Waits until `condition` returns a value.
pub(crate) fn eventually<T>(what: &str, mut condition: impl FnMut() -> Option<T>) -> T {
    let end = Instant::now() + TEST_DEADLINE;
    loop {
        if let Some(found) = condition() {
            return found;
        }
        assert!(Instant::now() < end, "not within {TEST_DEADLINE:?}: {what}");
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// Waits until `condition` holds.
pub(crate) fn until(what: &str, mut condition: impl FnMut() -> bool) {
    eventually(what, || condition().then_some(()));
}

pub(crate) fn pid(number: i32) -> Pid {
    Pid::from_raw(number).expect("a pid")
}

pub(crate) fn text(string: &str) -> CString {
    CString::new(string).expect("no NUL")
}

/// An environment variable that marks all processes that inherit it.
///
/// Dropping it kills the processes, so that a failed test leaves none behind. They are found in `/proc`, so
/// only on Linux.
#[derive(Debug)]
pub(crate) struct Tag(String);

impl Tag {
    const NAME: &str = "AGENT_BASH_TEST_TAG";

    pub(crate) fn new() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        Self(format!("{}={}.{number}.", Self::NAME, std::process::id()))
    }

    /// Returns the tag that another process created.
    pub(crate) fn of(variable: &str) -> Self {
        Self(variable.to_owned())
    }

    /// Returns `NAME=value`, for the environment.
    pub(crate) fn variable(&self) -> &str {
        &self.0
    }

    /// Returns all living processes that carry the tag.
    pub(crate) fn processes(&self) -> Vec<Process> {
        table::snapshot()
            .into_iter()
            .filter(|process| !process.is_zombie)
            .filter(|process| {
                fs::read(format!("/proc/{}/environ", process.pid())).is_ok_and(|environment| {
                    environment.split(|&byte| byte == 0).any(|variable| variable == self.0.as_bytes())
                })
            })
            .collect()
    }

    /// Waits until `count` processes that carry the tag have executed `program`.
    ///
    /// The rows are read after that, so they include a new group or session that a process enters before it
    /// executes.
    pub(crate) fn wait_for(&self, count: usize, program: &str) -> Vec<Process> {
        eventually(&format!("{count} processes of {program}"), || {
            let found: Vec<_> = self
                .processes()
                .into_iter()
                .filter(|process| runs(process, program))
                .filter_map(|process| table::inspect(process.identity.pid))
                .collect();
            (found.len() == count).then_some(found)
        })
    }

    /// Waits until no process carries the tag.
    pub(crate) fn wait_until_gone(&self) {
        until("every process is gone", || self.processes().is_empty());
    }

    /// Checks that all processes with the tag exit within this time.
    pub(crate) fn assert_gone_within(&self, bound: Duration) {
        let end = Instant::now() + bound;
        while !self.processes().is_empty() && Instant::now() < end {
            std::thread::sleep(Duration::from_millis(5));
        }
        self.assert_gone();
    }

    pub(crate) fn assert_gone(&self) {
        let left: Vec<String> = self.processes().iter().map(describe).collect();
        assert!(left.is_empty(), "still there: {left:#?}");
    }
}

impl Drop for Tag {
    fn drop(&mut self) {
        for process in self.processes() {
            process.identity.send(Signal::KILL);
        }
    }
}

/// Returns whether the first word of a process's command line is this program's name.
pub(crate) fn runs(process: &Process, program: &str) -> bool {
    let line = fs::read(format!("/proc/{}/cmdline", process.pid())).unwrap_or_default();
    let first = line.split(|&byte| byte == 0).next().unwrap_or_default();
    Path::new(&*String::from_utf8_lossy(first)).file_name().is_some_and(|name| name == program)
}

fn describe(process: &Process) -> String {
    let line = fs::read(format!("/proc/{}/cmdline", process.pid())).unwrap_or_default();
    let line = String::from_utf8_lossy(&line).replace('\0', " ");
    let Process { parent, group, session, .. } = process;
    format!("{} parent {parent} group {group} session {session}: {line}", process.pid())
}

/// Returns the number of descriptors that this process has open.
pub(crate) fn open_descriptors() -> usize {
    fs::read_dir("/dev/fd").expect("a list").count()
}

/// Returns the pids of this process's children that are zombies.
pub(crate) fn zombies() -> Vec<i32> {
    let own = rustix::process::getpid().as_raw_nonzero().get();
    table::snapshot()
        .iter()
        .filter(|process| process.parent == own && process.is_zombie)
        .map(Process::pid)
        .collect()
}

/// A directory for a test's files, with a named pipe on which a command can wait for the test.
#[derive(Debug)]
pub(crate) struct Workspace(tempfile::TempDir);

impl Workspace {
    pub(crate) fn new() -> Self {
        let place = Self(tempfile::tempdir().expect("a directory"));
        // Runs the program `mkfifo`: macOS has no `mknodat`, and calling `mkfifo` directly would be unsafe
        // code.
        let made = std::process::Command::new("mkfifo").arg(place.gate()).status();
        assert!(made.expect("it starts").success(), "a named pipe");
        place
    }

    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }

    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Returns the path of a named pipe. Reading from it waits for [`Self::open_gate`].
    pub(crate) fn gate(&self) -> PathBuf {
        self.file("gate")
    }

    /// Lets the reader of the gate go on.
    pub(crate) fn open_gate(&self) {
        use rustix::fs::{Mode, OFlags, open};
        // Opened without blocking: a missing reader must fail the test instead of hanging it.
        let gate = eventually("somebody waits at the gate", || {
            open(self.gate(), OFlags::WRONLY | OFlags::NONBLOCK | OFlags::CLOEXEC, Mode::empty()).ok()
        });
        rustix::io::write(gate, b"go\n").expect("written");
    }

    /// Creates a file with this text and this mode.
    pub(crate) fn program(&self, name: &str, text: &str, mode: u32) -> PathBuf {
        use std::os::unix::fs::PermissionsExt;
        let path = self.file(name);
        fs::create_dir_all(path.parent().expect("a parent")).expect("a directory");
        fs::write(&path, text).expect("written");
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).expect("permissions");
        path
    }
}

/// Waits for the exit of a child, and reaps it.
pub(crate) fn reap_blocking(pid: Pid) {
    agent_bash::process::wait::await_exit(pid);
    agent_bash::process::wait::reap(pid);
}
