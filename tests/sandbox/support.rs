//! Runs commands in sandboxes.

use std::ffi::CString;
use std::fs::{self, File};
use std::io::Read;
use std::os::fd::{AsFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use agent_bash::process::spawn::{
    Attributes, FdMapping, Limits, SpawnRequest, Spawned, StandardStreams, spawn,
};
use agent_bash::sandbox::kept_mount::KeptMount;
use agent_bash::sandbox::plan::machine::Machine;
use agent_bash::sandbox::plan::{Level, Place, SandboxPlan, SandboxedCommand, Source, Tier};
use agent_bash::sandbox::private::PrivatePaths;
use agent_bash::sandbox::protocol::launch::{CONTROL_DESCRIPTOR, Control, KeptDescriptors, Launch, prepare};
use agent_bash::sandbox::protocol::report::{HelperReport, Running, SandboxFailure, SandboxRefusal};
use rustix::process::{WaitOptions, WaitStatus, waitpid};

/// The path of this build's helper program.
pub(crate) const HELPER: &str = env!("CARGO_BIN_EXE_agent-bash-helper");

pub(crate) const PATH: &str = "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/// The ordinary user of the tests: no other program has this id.
const USER: &str = "12345";

pub(crate) fn text(string: &str) -> CString {
    CString::new(string).expect("no NUL")
}

/// Returns a machine that can do everything, with this workspace, home, private directories and journal.
pub(crate) const fn full_machine<'a>(
    root: &'a Path,
    home: &'a Path,
    private: &'a PrivatePaths,
    journal: &'a Path,
) -> Machine<'a> {
    Machine {
        root,
        home: Some(home),
        tier: Tier::Namespaces,
        landlock: 7,
        private,
        journal,
        overlay: None,
        files: &[],
        attached: &[],
        durable: &[],
    }
}

/// How a command in a sandbox ended.
#[derive(Debug)]
pub(crate) struct Outcome {
    pub(crate) status: WaitStatus,
    pub(crate) output: String,
    pub(crate) refused: Vec<SandboxRefusal>,
    pub(crate) running: Running,
}

impl Outcome {
    pub(crate) fn code(&self) -> Option<i32> {
        self.status.exit_status()
    }

    pub(crate) fn signal(&self) -> Option<i32> {
        self.status.terminating_signal()
    }
}

/// A plan that writes below this directory alone, with a `/tmp` of its own.
pub(crate) fn plan(root: &Path) -> SandboxPlan {
    let root = root.canonicalize().expect("a directory");
    let places = vec![
        Place { path: PathBuf::from("/tmp"), source: Source::Memory(64 << 20) },
        Place { path: root, source: Source::Host },
    ];
    SandboxPlan { places, ..SandboxPlan::of(Level::WorkspaceWrite, Tier::Namespaces) }
}

/// A shell command for a plan.
pub(crate) fn command(directory: &Path, script: &str) -> SandboxedCommand {
    SandboxedCommand {
        candidates: vec![text("/bin/bash")],
        arguments: vec![text("bash"), text("-c"), text(script)],
        environment: vec![
            text(PATH),
            text("HOME=/nonexistent"),
            text("LANG=C.UTF-8"),
            text("GIT_CONFIG_NOSYSTEM=1"),
            text("GIT_CONFIG_COUNT=2"),
            text("GIT_CONFIG_KEY_0=user.name"),
            text("GIT_CONFIG_VALUE_0=T"),
            text("GIT_CONFIG_KEY_1=user.email"),
            text("GIT_CONFIG_VALUE_1=t@example.com"),
        ],
        directory: directory.canonicalize().expect("a directory"),
        descriptors: Vec::new(),
        has_terminal: false,
        limits: Vec::new(),
        is_probe: false,
    }
}

/// A command that was started in a sandbox.
pub(crate) struct Started {
    pub(crate) process: Spawned,
    pub(crate) control: Control,
    pub(crate) running: Running,
    refused: Vec<SandboxRefusal>,
    output: File,
}

/// Starts a command in a sandbox.
pub(crate) fn start(plan: &SandboxPlan, command: &SandboxedCommand) -> Result<Started, SandboxFailure> {
    start_with(plan, command, &[])
}

/// Starts a command with further descriptors.
pub(crate) fn start_with(
    plan: &SandboxPlan,
    command: &SandboxedCommand,
    descriptors: &[std::os::fd::BorrowedFd<'_>],
) -> Result<Started, SandboxFailure> {
    start_by(Path::new(HELPER), plan, command, descriptors)
}

/// Starts a command by another helper.
pub(crate) fn start_by(
    helper: &Path,
    plan: &SandboxPlan,
    command: &SandboxedCommand,
    descriptors: &[std::os::fd::BorrowedFd<'_>],
) -> Result<Started, SandboxFailure> {
    let home = plan.private_home().map(|mount| KeptMount::create(helper, &mount).expect("a mount"));
    let kept = KeptDescriptors {
        users: home.as_ref().map(KeptMount::users),
        overlay: None,
        home: home.as_ref().map(KeptMount::home),
    };
    let descriptors: Vec<_> = kept.into_list().into_iter().chain(descriptors.iter().copied()).collect();
    let Launch { program, name, socket, control } =
        prepare(helper, plan, command, &descriptors).expect("descriptors");
    let (read, write) = rustix::pipe::pipe_with(rustix::pipe::PipeFlags::CLOEXEC).expect("a pipe");
    let null: OwnedFd = File::open("/dev/null").expect("a device").into();
    let root = File::open("/").expect("a directory");
    let process = spawn(&SpawnRequest {
        candidates: &[program],
        arguments: &[name],
        environment: &[],
        directory: root.as_fd(),
        stdio: StandardStreams { stdin: null.as_fd(), stdout: write.as_fd(), stderr: write.as_fd() },
        extra_fd: Some(FdMapping { source: socket.as_fd(), target: CONTROL_DESCRIPTOR }),
        record: None,
        attributes: Attributes::default(),
        limits: &Limits::default(),
        tag: None,
    })
    .expect("the helper starts");
    drop((write, socket));
    let mut refused = Vec::new();
    match control.await_running(&mut refused) {
        Ok((running, _)) => Ok(Started { process, control, running, refused, output: read.into() }),
        Err(failure) => {
            let _ = waitpid(Some(process.pid), WaitOptions::empty());
            Err(failure)
        }
    }
}

impl Started {
    /// Waits until the command has ended and its output is closed.
    pub(crate) fn finish(mut self) -> Outcome {
        let mut output = Vec::new();
        self.output.read_to_end(&mut output).expect("output");
        let status = self.wait();
        while let Ok(Some(report)) = self.control.next() {
            if let HelperReport::Refused(refusal) = report {
                self.refused.push(refusal);
            }
        }
        let output = String::from_utf8_lossy(&output).into_owned();
        Outcome { status, output, refused: self.refused, running: self.running }
    }

    /// Waits until the monitor has ended.
    pub(crate) fn wait(&self) -> WaitStatus {
        let ended = rustix::io::retry_on_intr(|| waitpid(Some(self.process.pid), WaitOptions::empty()));
        ended.expect("a child").expect("it has ended").1
    }
}

/// Runs a script in a sandbox over this directory.
pub(crate) fn run(plan: &SandboxPlan, directory: &Path, script: &str) -> Outcome {
    start(plan, &command(directory, script)).expect("a sandbox").finish()
}

/// Runs a test of this file again as an ordinary user. Does nothing if this process is one already.
pub(crate) fn again_as_user(test: &str) {
    if !rustix::process::geteuid().is_root() {
        return;
    }
    let home = tempfile::Builder::new().permissions(open_to_all()).tempdir().expect("a directory");
    let run = Command::new("setpriv")
        .args(["--reuid", USER, "--regid", USER, "--clear-groups", "--bounding-set=-all", "--inh-caps=-all"])
        .arg(std::env::current_exe().expect("a path"))
        .args([test, "--exact", "--nocapture"])
        .env("HOME", home.path())
        .current_dir("/")
        .output()
        .expect("setpriv runs");
    let output = format!("{}{}", String::from_utf8_lossy(&run.stdout), String::from_utf8_lossy(&run.stderr));
    assert!(run.status.success() && output.contains("1 passed"), "as a user: {output}");
    println!("{output}");
}

fn open_to_all() -> fs::Permissions {
    std::os::unix::fs::PermissionsExt::from_mode(0o777)
}

/// Waits until a condition holds.
pub(crate) fn until(what: &str, condition: impl Fn() -> bool) {
    let end = Instant::now() + Duration::from_secs(20);
    while !condition() {
        assert!(Instant::now() < end, "not in time: {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}
