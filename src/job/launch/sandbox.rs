//! Launches a command in a sandbox: makes its plan, and starts the helper in place of the program.

use std::cell::Cell;
use std::ffi::CString;
use std::fs::File;
use std::io;
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, Once, OnceLock, PoisonError};

use crate::engine::engine;
use crate::job::model::error::LaunchError;
use crate::job::model::plan::{Limits, Plan, Surroundings};
use crate::job::processes::SandboxPids;
use crate::process::errno::Errno;
use crate::process::helper;
use crate::process::registry::Owner;
use crate::process::spawn::{Attributes, FdMapping, Request, SpawnError, Spawned, Step};
use crate::process::tag::Tag;
use crate::process::thread::named;
use crate::process::wait::{await_exit, reap};
use crate::sandbox::availability::{Availability, Findings};
use crate::sandbox::environment::added;
use crate::sandbox::network::gateway::Gateway;
use crate::sandbox::network::serve::{Listeners, serve};
use crate::sandbox::options::SandboxOptions;
use crate::sandbox::outcome::{Refusals, SandboxReport};
use crate::sandbox::plan::make::{Machine, Made, PlanError, hides_anything, make};
use crate::sandbox::plan::{NetworkMode, SandboxPlan, SandboxedCommand, Tier};
use crate::sandbox::private::PrivateDirectories;
use crate::sandbox::probe::{Probe, has_overlays, probe};
use crate::sandbox::protocol::launch::{CONTROL_DESCRIPTOR, Control, Launch, prepare};
use crate::sandbox::protocol::report::{Failure, Refusal, Report, Running, SandboxStep};
use crate::sandbox::{stubs, texts};

/// A sandbox that is about to be built.
#[derive(Debug)]
pub(super) struct PlannedSandbox<'a> {
    options: &'a SandboxOptions,
    made: Made,
    /// The private directories stay while the command may use them.
    directories: Arc<PrivateDirectories>,
    pub(super) command: CommandInside,
}

/// What the helper must know of the command besides its program.
#[derive(Debug)]
pub(super) struct CommandInside {
    /// The working directory, by real path.
    pub(super) directory: PathBuf,
    pub(super) has_terminal: bool,
    pub(super) limits: Vec<(u32, (u64, u64))>,
}

/// A sandbox in which a command runs.
#[derive(Debug)]
pub struct RunningSandbox {
    made: Made,
    control: Control,
    running: Running,
    refused: Arc<Mutex<Refusals>>,
    /// Decides about the network, if hosts are allowed.
    gateway: Option<Arc<Gateway>>,
    #[expect(dead_code, reason = "they stay while the command may use them")]
    directories: Arc<PrivateDirectories>,
}

/// The end of the building of a sandbox.
pub(super) type Built = Result<Box<RunningSandbox>, LaunchError>;

impl CommandInside {
    pub(super) fn new(plan: &Plan, directory: Option<&str>, tag: Option<Tag>) -> Self {
        Self {
            directory: PathBuf::from(directory.unwrap_or(&plan.surroundings.directory.path)),
            has_terminal: plan.terminal.is_some(),
            limits: plan.surroundings.limits.resolved(tag.map(Tag::value)),
        }
    }
}

impl<'a> PlannedSandbox<'a> {
    /// Makes the plan of a command's sandbox.
    pub(super) fn new(
        surroundings: &'a Surroundings,
        owner: &Owner,
        command: impl FnOnce() -> CommandInside,
    ) -> Result<Option<Self>, LaunchError> {
        let Some(options) = &surroundings.sandbox else { return Ok(None) };
        let (made, directories) = Self::make(options, surroundings, owner)?;
        Ok(Some(Self { options, made, directories, command: command() }))
    }

    /// Makes a plan, and the private directories of its root. Takes some milliseconds for the first command
    /// of a process.
    fn make(
        options: &SandboxOptions,
        surroundings: &Surroundings,
        owner: &Owner,
    ) -> Result<(Made, Arc<PrivateDirectories>), LaunchError> {
        let (root, home) = (surroundings.workspace(), surroundings.home());
        clean_once();
        let probe = probe_once();
        let tier = probe.tier.ok_or_else(|| unavailable(options, &probe.reasons))?;
        let directories = sandboxes()
            .directories_of(owner, &root, home)
            .map_err(|error| unavailable(options, &[format!("no private directory can be made: {error}")]))?;
        let journal = stubs::directory();
        let machine = Machine {
            root: &root,
            home,
            tier,
            landlock: probe.landlock,
            private: directories.paths(),
            journal: &journal,
            files: &surroundings.files,
        };
        let made = make(options, &machine).map_err(|error| LaunchError::Sandbox {
            code: error.code().unwrap_or("ERR_INVALID_ARG_VALUE"),
            message: match &error {
                PlanError::Unavailable { level, missing } => {
                    texts::missing_parts(*level, missing, &probe.reasons)
                }
                _ => error.to_string(),
            },
        })?;
        Ok((made, directories))
    }

    /// Spawns the helper in place of the program of a request, and waits until the command runs. Sets
    /// `built`, unless the failure is one of the program.
    pub(super) fn spawn(
        &self,
        request: &Request<'_>,
        built: &Cell<Option<Built>>,
        spawn: impl FnOnce(&Request<'_>) -> Result<Spawned, SpawnError>,
    ) -> Result<Spawned, SpawnError> {
        let failed = |error: io::Error| SpawnError { step: Step::Descriptors, errno: Errno::of(&error) };
        let command = self.command(request);
        let descriptors: Vec<_> = request.extra_fd.iter().map(|script| script.source).collect();
        let Launch { program, name, socket, control } =
            prepare(helper::path(), &self.made.plan, &command, &descriptors).map_err(failed)?;
        let root = File::open("/").map_err(failed)?;
        let spawned = spawn(&Request {
            candidates: &[program],
            arguments: &[name],
            environment: &[],
            directory: root.as_fd(),
            extra_fd: Some(FdMapping { source: socket.as_fd(), target: CONTROL_DESCRIPTOR }),
            limits: &Limits::default(),
            // The command takes it.
            attributes: Attributes { has_terminal: false, ..request.attributes },
            // The command carries it: the sandbox init and the keeper of stubs are no processes of the job.
            tag: None,
            ..*request
        })?;
        // The helper has the only other end: the end of a killed helper is seen then.
        drop(socket);
        let refusals = Arc::default();
        let mut refused = Vec::new();
        let mut start = || -> Result<_, Failure> {
            let gateway = self.open_network(&control, &refusals)?;
            Ok((gateway, control.await_running(&mut refused)?))
        };
        match start() {
            Ok((gateway, running)) => {
                let sandbox = RunningSandbox {
                    made: self.made.clone(),
                    control,
                    running,
                    refused: refusals,
                    gateway,
                    directories: Arc::clone(&self.directories),
                };
                sandbox.add(refused);
                built.set(Some(Ok(Box::new(sandbox))));
                Ok(spawned)
            }
            Err(failure) => {
                await_exit(spawned.pid);
                reap(spawned.pid);
                let step = match failure.step {
                    SandboxStep::Execute => Step::Execute,
                    SandboxStep::Directory => Step::Directory,
                    _ => {
                        built.set(Some(Err(unavailable(self.options, &[probe_reason(&failure)]))));
                        Step::Clone
                    }
                };
                Err(SpawnError { step, errno: failure.errno })
            }
        }
    }

    /// Starts to serve the listeners of the helper, if hosts are allowed.
    fn open_network(
        &self,
        control: &Control,
        refused: &Arc<Mutex<Refusals>>,
    ) -> Result<Option<Arc<Gateway>>, Failure> {
        if self.made.plan.network != NetworkMode::Allow {
            return Ok(None);
        }
        let failed =
            |error: &io::Error| Failure { step: SandboxStep::Listen, errno: Errno::of(error), path: None };
        let descriptors = control.receive_listeners()?;
        let gateway = Arc::new(Gateway::new(self.made.plan.allowed.clone(), Arc::clone(refused)));
        let engine = engine().map_err(|error| failed(&error))?;
        let _inside = engine.runtime().enter();
        let listeners = control
            .try_clone()
            .and_then(|control| Listeners::new(descriptors, gateway.ports(), control))
            .map_err(|error| failed(&error))?;
        engine.runtime().spawn(serve(Arc::clone(&gateway), listeners));
        Ok(Some(gateway))
    }

    /// Returns the command for the helper.
    fn command(&self, request: &Request<'_>) -> SandboxedCommand {
        let value_of = |name: &str| {
            request
                .environment
                .iter()
                .find_map(|variable| variable.to_str().ok()?.strip_prefix(name)?.strip_prefix('='))
        };
        let added = added(self.options, &self.made.plan, value_of("TMPDIR"));
        let is_replaced = |variable: &&CString| {
            let name = variable.to_bytes().split(|&byte| byte == b'=').next().unwrap_or_default();
            added.iter().any(|(added, _)| added.as_bytes() == name)
        };
        let kept = request.environment.iter().filter(|variable| !is_replaced(variable)).cloned();
        let new = added.iter().filter_map(|(name, value)| CString::new(format!("{name}={value}")).ok());
        SandboxedCommand {
            candidates: request.candidates.to_vec(),
            arguments: request.arguments.to_vec(),
            environment: kept.chain(new).collect(),
            directory: self.command.directory.clone(),
            descriptors: request.extra_fd.iter().map(|script| script.target).collect(),
            has_terminal: self.command.has_terminal,
            limits: self.command.limits.clone(),
            is_probe: false,
        }
    }
}

impl RunningSandbox {
    /// Returns the pids of the sandbox's own processes.
    #[must_use]
    pub const fn pids(&self) -> SandboxPids {
        SandboxPids {
            init: self.running.init,
            keeper: self.running.keeper,
            command: self.running.command,
            is_namespace: matches!(self.made.plan.tier, Tier::Namespaces),
        }
    }

    /// Returns the plan of the sandbox.
    #[must_use]
    pub const fn plan(&self) -> &SandboxPlan {
        &self.made.plan
    }

    /// Returns what the result says about the sandbox, so far.
    #[must_use]
    pub fn report(&self) -> SandboxReport {
        self.read_refusals();
        self.refused().clone().into_report(&self.made, &self.running)
    }

    /// Returns what the result of one of several commands in this sandbox says, and forgets what was refused.
    #[must_use]
    pub fn take_report(&self) -> SandboxReport {
        self.read_refusals();
        std::mem::take(&mut *self.refused()).into_report(&self.made, &self.running)
    }

    fn read_refusals(&self) {
        let reports = std::iter::from_fn(|| self.control.next().ok().flatten());
        let refused = reports.filter_map(|report| match report {
            Report::Refused(refusal) => Some(refusal),
            _ => None,
        });
        self.add(refused.collect());
    }

    /// Adds what the sandbox init has refused. It knows addresses alone.
    fn add(&self, refused: Vec<Refusal>) {
        for refusal in refused {
            let refusal = self.gateway.as_ref().map_or(refusal.clone(), |gateway| gateway.with_name(refusal));
            self.refused().add(refusal);
        }
    }

    fn refused(&self) -> MutexGuard<'_, Refusals> {
        self.refused.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns the plan of the sandbox that a command of now would have; `None` without a sandbox.
///
/// # Errors
///
/// The reason why such a command would not run.
pub(in crate::job) fn sandbox_plan(
    surroundings: &Surroundings,
    owner: &Owner,
) -> Result<Option<SandboxPlan>, LaunchError> {
    let Some(options) = &surroundings.sandbox else { return Ok(None) };
    PlannedSandbox::make(options, surroundings, owner).map(|(made, _)| Some(made.plan))
}

/// Removes the private directories of an owner that closes, on a thread of their own: a home's layer may be large.
/// What is left when the process ends is removed by the guardian.
pub(in crate::job) fn forget_sandboxes(owner: &Owner) {
    let Some(sandboxes) = SANDBOXES.get() else { return };
    let unneeded: Vec<Kept> = sandboxes.lock().extract_if(.., |kept| kept.owner == *owner).collect();
    if !unneeded.is_empty() {
        let _ = named("agent-bash-clean").spawn(move || drop(unneeded));
    }
}

fn unavailable(options: &SandboxOptions, reasons: &[String]) -> LaunchError {
    LaunchError::Sandbox {
        code: "SANDBOX_UNAVAILABLE",
        message: texts::unavailable(options.level, &reasons.join("; ")),
    }
}

fn probe_reason(failure: &Failure) -> String {
    texts::reason(failure, texts::Settings::default(), "")
}

/// Returns what this machine can do. Probes once, because each way takes some milliseconds.
fn probe_once() -> &'static Probe {
    static PROBE: OnceLock<Probe> = OnceLock::new();
    PROBE.get_or_init(|| probe(helper::path()))
}

/// Removes the stubs that a crash has left, before the first sandbox.
fn clean_once() {
    static CLEAN: Once = Once::new();
    CLEAN.call_once(|| stubs::clean(&stubs::directory()));
}

/// Returns what this machine can do of each level. `is_inside` says whether the host itself runs in a sandbox
/// of this package. Keeps the first answer, and leaves nothing on disk.
#[must_use]
pub fn sandbox_levels(home: Option<&Path>, is_inside: bool) -> Vec<Availability> {
    static LEVELS: OnceLock<Vec<Availability>> = OnceLock::new();
    let find = || {
        let Probe { tier, landlock, reasons } = probe_once();
        let has_mounts = tier.is_some_and(|tier| tier != Tier::Landlock);
        let home = home.filter(|home| home.is_dir());
        let has_private_home = home.is_none_or(|home| {
            has_mounts && create(Some(home)).is_ok_and(|directories| directories.paths().home.is_some())
        });
        let hides = hides_anything(home);
        Findings { tier: *tier, landlock: *landlock, reasons, is_inside, has_private_home, hides }.levels()
    };
    LEVELS.get_or_init(find).clone()
}

/// The private directories of all owners.
struct Sandboxes(Mutex<Vec<Kept>>);

struct Kept {
    owner: Owner,
    root: PathBuf,
    directories: Arc<PrivateDirectories>,
}

static SANDBOXES: OnceLock<Sandboxes> = OnceLock::new();

fn sandboxes() -> &'static Sandboxes {
    SANDBOXES.get_or_init(|| Sandboxes(Mutex::default()))
}

impl Sandboxes {
    fn lock(&self) -> MutexGuard<'_, Vec<Kept>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the private directories of a root, in which its commands see each other's files.
    fn directories_of(
        &self,
        owner: &Owner,
        root: &Path,
        home: Option<&Path>,
    ) -> io::Result<Arc<PrivateDirectories>> {
        let mut kept = self.lock();
        if let Some(known) = kept.iter().find(|kept| kept.owner == *owner && kept.root == root) {
            return Ok(Arc::clone(&known.directories));
        }
        let directories = Arc::new(create(home)?);
        kept.push(Kept {
            owner: owner.clone(),
            root: root.to_owned(),
            directories: Arc::clone(&directories),
        });
        Ok(directories)
    }
}

/// Creates private directories, with a layer for the home where the kernel mounts it.
fn create(home: Option<&Path>) -> io::Result<PrivateDirectories> {
    static HAS_OVERLAYS: OnceLock<bool> = OnceLock::new();
    let Some(home) = home else { return PrivateDirectories::create(false) };
    if HAS_OVERLAYS.get() == Some(&false) {
        return PrivateDirectories::create(false);
    }
    let directories = PrivateDirectories::create(true)?;
    let works = *HAS_OVERLAYS.get_or_init(|| has_overlays(helper::path(), home, directories.paths()));
    if works { Ok(directories) } else { PrivateDirectories::create(false) }
}
