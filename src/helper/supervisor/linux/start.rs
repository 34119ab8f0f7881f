//! Starts the leader of a command, from the reaper.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::ffi::{CString, OsString};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStringExt;
use std::time::Instant;

use rustix::process::{Pid, Signal};

use super::confined::{ConfinedLeader, SandboxForLeader};
use crate::helper::supervisor::protocol::enums::FailedStep;
use crate::helper::supervisor::protocol::plan::RemotePlan;
use crate::process::directory::{Directory, DirectoryError, Problem, open_directory};
use crate::process::errno::Errno;
use crate::process::spawn::{
    Attributes, Carrier, FdMapping, SpawnError, SpawnRequest, StandardStreams, Step, candidates, spawn_line,
    spawn_with_retries,
};
use crate::sandbox::protocol::report::SandboxFailure;

/// The error for a word with a NUL.
const INVALID: SpawnError = SpawnError { step: Step::Execute, errno: Errno(libc::EINVAL) };

/// The command's ends of its streams.
#[derive(Debug)]
pub(in crate::helper) struct CommandEnds {
    pub(in crate::helper) stdin: OwnedFd,
    /// `None` where standard output is the terminal, which `stdin` is.
    pub(in crate::helper) stdout: Option<OwnedFd>,
    /// `None` where standard error shares the descriptor of standard output.
    pub(in crate::helper) stderr: Option<OwnedFd>,
}

/// The cgroup in which a leader starts.
#[derive(Clone, Copy, Debug)]
pub(in crate::helper) struct CgroupForLeader<'a> {
    pub(in crate::helper) directory: BorrowedFd<'a>,
    /// Whether the leader may start without it.
    pub(in crate::helper) is_optional: bool,
}

/// A start that failed.
#[derive(Debug)]
pub(super) struct StartFailure {
    pub(super) step: FailedStep,
    pub(super) errno: i32,
    pub(super) path: Vec<u8>,
    /// The step of the sandbox, if that could not be built.
    pub(super) sandbox: Option<SandboxFailure>,
    /// The system's error of the entry into the cgroup, if that was it.
    pub(super) cgroup: Option<Errno>,
}

impl StartFailure {
    pub(super) fn new(step: FailedStep, errno: i32) -> Self {
        Self { step, errno, path: Vec::new(), sandbox: None, cgroup: None }
    }
}

impl From<DirectoryError> for StartFailure {
    fn from(error: DirectoryError) -> Self {
        let step = match error.problem {
            Problem::RootMissing | Problem::RootNotDirectory | Problem::RootNotAccessible => FailedStep::Root,
            _ => FailedStep::Directory,
        };
        Self { path: error.path.into_bytes(), ..Self::new(step, error.errno.0) }
    }
}

/// The first process of a command.
#[derive(Debug)]
pub(super) struct StartedLeader {
    pub(super) pid: Pid,
    /// The index of the program that runs, among those of the plan.
    pub(super) program: u32,
    /// The real path of the working directory.
    pub(super) directory: String,
    pub(super) confined: Option<ConfinedLeader>,
}

/// Starts the first of the plan's programs that exists, in the sandbox and the cgroup if there are any. `own`
/// is the environment of the supervisor.
pub(super) fn start(
    plan: &RemotePlan,
    own: &[(OsString, OsString)],
    ends: &CommandEnds,
    (sandbox, cgroup): (Option<SandboxForLeader<'_>>, Option<CgroupForLeader<'_>>),
) -> Result<StartedLeader, StartFailure> {
    let called_at = Instant::now();
    let directory = Directory { path: plan.directory.clone(), root: plan.root.clone() };
    let directory = open_directory(&directory)?;
    let real_path = directory.real_path().unwrap_or_default();
    let environment = environment_of(plan, own);
    let path = environment.get(b"PATH".as_slice()).map(|path| String::from_utf8_lossy(path).into_owned());
    let variables: Vec<CString> = environment
        .iter()
        .map(|(name, value)| c_string(&[name, b"=".as_slice(), value].concat()))
        .collect::<Result<_, _>>()?;
    let stdout = ends.stdout.as_ref().unwrap_or(&ends.stdin);
    let built = Cell::new(None);
    let mut failure = StartFailure::new(FailedStep::Plan, libc::EINVAL);
    for (number, words) in (0..).zip(&plan.words) {
        let program = words.first().map(|word| String::from_utf8_lossy(word)).unwrap_or_default();
        let candidates = candidates(&program, path.as_deref())
            .map_err(|_| StartFailure::new(FailedStep::Plan, libc::EINVAL))?;
        let spawn_with = |line: Option<&[u8]>, variable: Option<CString>, script: Option<FdMapping<'_>>| {
            let arguments = words.iter().map(Vec::as_slice).chain(line).map(CString::new);
            let arguments: Vec<CString> = arguments.collect::<Result<_, _>>().map_err(|_| INVALID)?;
            let environment = [variables.as_slice(), variable.as_slice()].concat();
            let request = SpawnRequest {
                candidates: &candidates,
                arguments: &arguments,
                environment: &environment,
                directory: directory.descriptor.as_fd(),
                stdio: StandardStreams {
                    stdin: ends.stdin.as_fd(),
                    stdout: stdout.as_fd(),
                    stderr: ends.stderr.as_ref().unwrap_or(stdout).as_fd(),
                },
                extra_fd: script,
                record: None,
                attributes: attributes_of(plan, cgroup),
                limits: &plan.limits,
                tag: None,
            };
            let spawn = |request: &SpawnRequest<'_>| spawn_with_retries(request, called_at);
            let Some(sandbox) = sandbox else { return spawn(&request).map(|spawned| (spawned.pid, None)) };
            let spawned = sandbox.spawn(plan, &real_path, &request, spawn);
            spawned.map(|(pid, confined)| (pid, Some(confined))).map_err(|(error, failure)| {
                built.set(failure);
                error
            })
        };
        let line = plan.line.as_deref();
        let spawned = match line.and_then(|line| str::from_utf8(line).ok()) {
            Some(text) => spawn_line(&program, text, |Carrier { word, variable, script }| {
                spawn_with(Some(word.as_bytes()), variable, script)
            }),
            None => spawn_with(line, None, None),
        };
        match spawned {
            Ok((pid, confined)) => {
                return Ok(StartedLeader { pid, program: number, directory: real_path, confined });
            }
            Err(SpawnError { step, errno: Errno(errno) }) => {
                let path = if step == Step::Directory { &real_path } else { &*program };
                let is_cgroup = step == Step::Cgroup;
                let (step_of, path) = (step_of(step), path.as_bytes().to_vec());
                let cgroup = is_cgroup.then_some(Errno(errno));
                failure = StartFailure { step: step_of, errno, path, sandbox: built.take(), cgroup };
                if (step, errno) != (Step::Execute, libc::ENOENT) {
                    break;
                }
            }
        }
    }
    Err(failure)
}

fn attributes_of<'a>(plan: &RemotePlan, cgroup: Option<CgroupForLeader<'a>>) -> Attributes<'a> {
    Attributes {
        has_terminal: plan.terminal.is_some(),
        inherits_descriptors: false,
        pdeathsig: Some(Signal::KILL),
        // Orphans go to the reaper.
        is_subreaper: false,
        ignores_termination: false,
        cgroup: cgroup.map(|cgroup| cgroup.directory),
    }
}

fn step_of(step: Step) -> FailedStep {
    match step {
        Step::Clone => FailedStep::Fork,
        Step::Directory => FailedStep::Directory,
        Step::Descriptors => FailedStep::Pipe,
        Step::Limits | Step::Cgroup => FailedStep::Limit,
        // On a target, no command is started through the helper program.
        Step::Execute | Step::Helper | Step::HelperKilled => FailedStep::Execute,
    }
}

/// The depth of shells. Below sshd, bash reads `~/.bashrc` even for `-c`, except at a depth of 1 and more.
/// Otherwise each command would take as long as that file, and its output would contain that of the file.
const SHELL_LEVEL: (&[u8], &[u8]) = (b"SHLVL", b"1");

/// Returns the command's environment: the supervisor's own with the plan's changes.
fn environment_of(plan: &RemotePlan, own: &[(OsString, OsString)]) -> BTreeMap<Vec<u8>, Vec<u8>> {
    let mut variables = BTreeMap::new();
    if !plan.has_empty_environment {
        variables.extend(own.iter().map(|(name, value)| (name.clone().into_vec(), value.clone().into_vec())));
        let (name, least) = SHELL_LEVEL;
        let level = variables.entry(name.to_vec()).or_default();
        if level.is_empty() || level == b"0" {
            *level = least.to_vec();
        }
    }
    for name in &plan.unset {
        variables.remove(name);
    }
    for variable in &plan.variables {
        let at = variable.iter().position(|&byte| byte == b'=').unwrap_or(variable.len());
        let (name, value) = variable.split_at(at);
        variables.insert(name.to_vec(), value.get(1..).unwrap_or_default().to_vec());
    }
    variables
}

fn c_string(bytes: &[u8]) -> Result<CString, StartFailure> {
    CString::new(bytes).map_err(|_| StartFailure::new(FailedStep::Plan, libc::EINVAL))
}

#[cfg(test)]
mod tests {
    use super::{RemotePlan, environment_of};

    fn names(plan: &RemotePlan) -> Vec<String> {
        let own = [("HOME".into(), "/root".into()), ("LANG".into(), "C".into())];
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("text");
        let variables = environment_of(plan, &own).into_iter();
        variables.map(|(name, value)| format!("{}={}", text(name), text(value))).collect()
    }

    #[test]
    fn variables_of_the_plan_replace_those_of_the_supervisor() {
        let variables = vec![b"LANG=de=1".to_vec(), b"NEW=".to_vec()];
        let plan = RemotePlan { variables, ..RemotePlan::default() };
        assert_eq!(names(&plan), ["HOME=/root", "LANG=de=1", "NEW=", "SHLVL=1"]);
    }

    #[test]
    fn a_name_can_be_removed_and_an_environment_be_empty() {
        let plan = RemotePlan { unset: vec![b"HOME".to_vec()], ..RemotePlan::default() };
        assert_eq!(names(&plan), ["LANG=C", "SHLVL=1"]);
        let plan = RemotePlan { has_empty_environment: true, ..RemotePlan::default() };
        assert_eq!(names(&plan), [""; 0]);
    }
}
