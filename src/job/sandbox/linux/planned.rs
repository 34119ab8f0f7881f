//! Launches a command in a sandbox: makes its plan, and starts the helper in place of the program.

use std::cell::Cell;
use std::ffi::CString;
use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use super::machine::{clean_once, probe_once};
use super::private::{Private, private_of};
use super::running::RunningSandbox;
use crate::durable::known::known;
use crate::engine::engine;
use crate::job::model::error::LaunchError;
use crate::job::model::plan::{Plan, Surroundings};
use crate::job::model::surroundings::{SharedOverlay, SharedScope};
use crate::process::errno::Errno;
use crate::process::helper_program;
use crate::process::registry::Owner;
use crate::process::spawn::{SpawnError, SpawnRequest, Spawned, Step};
use crate::process::tag::Tag;
use crate::sandbox::environment::added;
use crate::sandbox::intercept::scope::{OpenScope, SecretScope};
use crate::sandbox::network::counters::TrafficCounters;
use crate::sandbox::network::gateway::Gateway;
use crate::sandbox::network::serve::{Listeners, serve};
use crate::sandbox::options::SandboxOptions;
use crate::sandbox::outcome::Refusals;
use crate::sandbox::overlay::{Entrance, Overlay, OverlayError};
use crate::sandbox::plan::machine::Machine;
use crate::sandbox::plan::make::{Made, PlanError, make, wants_private_home};
use crate::sandbox::plan::sockets::SocketKind;
use crate::sandbox::plan::{NetworkMode, OverlayMount, SandboxedCommand, Tier};
use crate::sandbox::protocol::launch::{Control, KeptDescriptors, end_failed, prepare};
use crate::sandbox::protocol::report::{SandboxFailure, SandboxStep};
use crate::sandbox::ssh_agent::relay::{self, Relay};
use crate::sandbox::{stubs, texts};

/// A sandbox that is about to be built.
#[derive(Debug)]
pub(in crate::job) struct PlannedSandbox<'a> {
    pub(super) options: &'a SandboxOptions,
    pub(super) made: Made,
    pub(super) private: Private,
    /// The relay to the agent of ssh, if that is listed.
    relay: Option<Relay>,
    overlay: Option<(Arc<Overlay>, Entrance)>,
    /// The rules and secrets of hosts, if some have rules.
    secrets: Option<(Arc<SecretScope>, OpenScope)>,
    pub(in crate::job) command: CommandInside,
}

/// The facts about the command that the helper needs, besides its program.
#[derive(Debug)]
pub(in crate::job) struct CommandInside {
    /// The working directory, by real path.
    pub(in crate::job) directory: PathBuf,
    pub(in crate::job) has_terminal: bool,
    pub(in crate::job) limits: Vec<(u32, (u64, u64))>,
}

/// The result of building a sandbox.
pub(in crate::job) type Built = Result<Box<RunningSandbox>, LaunchError>;

impl CommandInside {
    pub(in crate::job) fn new(plan: &Plan, directory: Option<&str>, tag: Option<Tag>) -> Self {
        Self {
            directory: PathBuf::from(directory.unwrap_or(&plan.surroundings.directory.path)),
            has_terminal: plan.terminal.is_some(),
            limits: plan.surroundings.limits.resolved(tag.map(Tag::value)),
        }
    }
}

impl<'a> PlannedSandbox<'a> {
    /// Makes the plan of a command's sandbox.
    pub(in crate::job) fn new(
        surroundings: &'a Surroundings,
        owner: &Owner,
        command: impl FnOnce() -> CommandInside,
    ) -> Result<Option<Self>, LaunchError> {
        let Some(options) = &surroundings.sandbox else { return Ok(None) };
        let overlay = match &surroundings.overlay {
            Some(SharedOverlay(overlay)) => {
                let probe = probe_once();
                if !probe.tier.is_some_and(|tier| tier != Tier::Landlock) {
                    return Err(unavailable(options, &probe.reasons));
                }
                let entrance = overlay
                    .enter(helper_program::path(), &surroundings.workspace())
                    .map_err(|error| not_entered(options, &error))?;
                Some((Arc::clone(overlay), entrance))
            }
            None => None,
        };
        let mount = overlay.as_ref().map(|(_, entrance)| &entrance.mount);
        let secrets = opened(options, surroundings)?;
        let (mut made, private) = Self::make(options, surroundings, owner, mount, secrets.as_ref())?;
        if let Some((overlay, _)) = &overlay {
            overlay.protect(&made.plan).map_err(|error| not_entered(options, &error))?;
        }
        let relay = relay_of(&mut made, &private)?;
        Ok(Some(Self { options, made, private, relay, overlay, secrets, command: command() }))
    }

    /// Makes a plan, and the private directories of its root. Takes some milliseconds for the first command
    /// of a process.
    fn make(
        options: &SandboxOptions,
        surroundings: &Surroundings,
        owner: &Owner,
        overlay: Option<&OverlayMount>,
        secrets: Option<&(Arc<SecretScope>, OpenScope)>,
    ) -> Result<(Made, Private), LaunchError> {
        let (root, home) = (surroundings.workspace(), surroundings.home());
        clean_once();
        let probe = probe_once();
        let tier = probe.tier.ok_or_else(|| unavailable(options, &probe.reasons))?;
        let wanted = home.filter(|_| tier != Tier::Landlock && wants_private_home(options, home));
        let private = private_of(owner, &root, wanted)
            .map_err(|error| unavailable(options, &[texts::no_directory(&error)]))?;
        let attached = secrets
            .map(|(scope, open)| scope.write_files(open, &private.paths.directory, home))
            .transpose()
            .map_err(|error| unavailable(options, &[texts::no_directory(&error)]))?
            .unwrap_or_default();
        let (journal, durable) = (stubs::directory(), known());
        let machine = Machine {
            root: &root,
            home,
            tier,
            landlock: probe.landlock,
            private: &private.paths,
            journal: &journal,
            files: &surroundings.files,
            attached: &attached,
            durable: &durable,
            overlay,
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
        Ok((made, private))
    }

    /// Spawns the helper in place of the program of a request, and waits until the command runs. Sets
    /// `built`, unless the failure is one of the program.
    pub(in crate::job) fn spawn(
        &self,
        request: &SpawnRequest<'_>,
        built: &Cell<Option<Built>>,
        spawn: impl FnOnce(&SpawnRequest<'_>) -> Result<Spawned, SpawnError>,
    ) -> Result<Spawned, SpawnError> {
        let command = self.command(request);
        let script = request.extra_fd.iter().map(|script| script.source);
        let descriptors: Vec<_> = self.kept().into_list().into_iter().chain(script).collect();
        let launch = prepare(helper_program::path(), &self.made.plan, &command, &descriptors)
            .map_err(|error| SpawnError { step: Step::Descriptors, errno: Errno::of(&error) })?;
        let (spawned, control) = launch.spawn(request, spawn)?;
        let refusals = Arc::default();
        let mut refused = Vec::new();
        let mut start = || -> Result<_, SandboxFailure> {
            let gateway = self.open_network(&control, &refusals)?;
            self.open_relay(&control)?;
            Ok((gateway, control.await_running(&mut refused)?))
        };
        match start() {
            Ok((gateway, (running, counters))) => {
                let sandbox = RunningSandbox {
                    made: self.made.clone(),
                    control,
                    running,
                    refused: refusals,
                    counters: TrafficCounters::new(counters),
                    gateway,
                    private: self.private.clone(),
                    overlay: self.overlay.as_ref().map(|(overlay, _)| Arc::clone(overlay)),
                };
                sandbox.add(refused);
                built.set(Some(Ok(Box::new(sandbox))));
                Ok(spawned)
            }
            Err(failure) => {
                let step = end_failed(spawned.pid, &failure).unwrap_or_else(|| {
                    built.set(Some(Err(not_built(self.options, &failure))));
                    Step::Clone
                });
                Err(SpawnError { step, errno: failure.errno })
            }
        }
    }

    /// Returns the descriptors of the mounts that the command uses.
    pub(super) fn kept(&self) -> KeptDescriptors<BorrowedFd<'_>> {
        let overlay = self.overlay.as_ref().map(|(_, entrance)| entrance);
        let home = self.private.home.as_ref().filter(|_| self.made.plan.private_home().is_some());
        let users = overlay.map(|entrance| entrance.kept.users());
        KeptDescriptors {
            users: users.or_else(|| home.map(|home| home.users())),
            overlay: overlay.map(|entrance| (entrance.lock.as_fd(), entrance.kept.mounts())),
            home: home.map(|home| home.home()),
        }
    }

    /// Starts to serve the listeners of the helper, if hosts are allowed.
    fn open_network(
        &self,
        control: &Control,
        refused: &Arc<Mutex<Refusals>>,
    ) -> Result<Option<Arc<Gateway>>, SandboxFailure> {
        if self.made.plan.network != NetworkMode::Allow {
            return Ok(None);
        }
        let failed = |error: &io::Error| SandboxFailure {
            step: SandboxStep::Listen,
            errno: Errno::of(error),
            path: None,
        };
        let descriptors = control.receive_listeners()?;
        let gateway = Gateway::new(self.made.plan.allowed.clone(), Arc::clone(refused));
        let gateway = if self.made.plan.asks { gateway.with_questions() } else { gateway };
        let gateway = Arc::new(match &self.secrets {
            Some((scope, open)) => gateway.with_rules(scope.link(open)),
            None => gateway,
        });
        let engine = engine().map_err(|error| failed(&error))?;
        let _inside = engine.runtime().enter();
        let listeners = control
            .try_clone()
            .and_then(|control| Listeners::new(descriptors, gateway.ports(), control))
            .map_err(|error| failed(&error))?;
        engine.runtime().spawn(serve(Arc::clone(&gateway), listeners));
        Ok(Some(gateway))
    }

    /// Starts to serve the relay, if there is one.
    fn open_relay(&self, control: &Control) -> Result<(), SandboxFailure> {
        let Some(relay) = &self.relay else { return Ok(()) };
        let open = || {
            let engine = engine()?;
            let _inside = engine.runtime().enter();
            engine.runtime().spawn(relay::serve(relay.open(control.try_clone()?)?));
            Ok(())
        };
        open().map_err(|error: io::Error| SandboxFailure {
            step: SandboxStep::Socket,
            errno: Errno::of(&error),
            path: None,
        })
    }

    /// Returns the command for the helper.
    fn command(&self, request: &SpawnRequest<'_>) -> SandboxedCommand {
        SandboxedCommand {
            candidates: request.candidates.to_vec(),
            arguments: request.arguments.to_vec(),
            environment: self.environment(request.environment),
            directory: self.command.directory.clone(),
            descriptors: request.extra_fd.iter().map(|script| script.target).collect(),
            has_terminal: self.command.has_terminal,
            limits: self.command.limits.clone(),
            is_probe: false,
        }
    }

    /// Returns the variables of a command, with those that the sandbox adds.
    pub(super) fn environment(&self, variables: &[CString]) -> Vec<CString> {
        let value_of = |name: &str| {
            variables
                .iter()
                .find_map(|variable| variable.to_str().ok()?.strip_prefix(name)?.strip_prefix('='))
        };
        let added = added(self.options, &self.made.plan, value_of);
        let is_replaced = |variable: &&CString| {
            let name = variable.to_bytes().split(|&byte| byte == b'=').next().unwrap_or_default();
            added.iter().any(|(added, _)| added.as_bytes() == name)
        };
        let kept = variables.iter().filter(|variable| !is_replaced(variable)).cloned();
        let new = added.iter().filter_map(|(name, value)| CString::new(format!("{name}={value}")).ok());
        kept.chain(new).collect()
    }
}

/// Returns the error of a sandbox of which a step has failed.
pub(super) fn not_built(options: &SandboxOptions, failure: &SandboxFailure) -> LaunchError {
    if failure.step == SandboxStep::Socket {
        return no_socket(texts::socket_failure(failure));
    }
    unavailable(options, &[texts::reason(failure, texts::KernelSettings::default(), "")])
}

fn unavailable(options: &SandboxOptions, reasons: &[String]) -> LaunchError {
    LaunchError::Sandbox {
        code: "SANDBOX_UNAVAILABLE",
        message: texts::unavailable(options.level, &reasons.join("; ")),
    }
}

/// Opens the scope of a command whose hosts have rules. Starts the interceptor for the first one.
fn opened(
    options: &SandboxOptions,
    surroundings: &Surroundings,
) -> Result<Option<(Arc<SecretScope>, OpenScope)>, LaunchError> {
    let Some(SharedScope(scope)) = &surroundings.secrets else { return Ok(None) };
    let engine = engine().map_err(|error| unavailable(options, &[Errno::of(&error).name()]))?;
    let open = scope.open(engine.runtime()).map_err(|reason| unavailable(options, &[reason]))?;
    Ok(Some((Arc::clone(scope), open)))
}

/// Puts a relay in the place of the agent of ssh, if that is listed.
fn relay_of(made: &mut Made, private: &Private) -> Result<Option<Relay>, LaunchError> {
    let agent = made.plan.sockets.iter_mut().find(|socket| socket.kind == SocketKind::SshAgent);
    let Some(agent) = agent else { return Ok(None) };
    let relay = Relay::create(agent, &private.paths.directory)
        .map_err(|error| no_socket(format!("'ssh-agent': '{}': {error}", agent.source.display())))?;
    relay.stand_in(agent);
    Ok(Some(relay))
}

fn no_socket(message: String) -> LaunchError {
    LaunchError::Sandbox { code: "SANDBOX_SOCKET", message }
}

fn not_entered(options: &SandboxOptions, error: &OverlayError) -> LaunchError {
    match error {
        OverlayError::Mount(_) => unavailable(options, &[error.to_string()]),
        _ => {
            LaunchError::Sandbox { code: error.code(), message: format!("{error}. The command did not run.") }
        }
    }
}
