//! The one engine of a process: an I/O thread for all jobs, the spawners, the table of live jobs, the guardian.
//!
//! It is started by the first command and lives as long as the process. Nothing of it runs on JavaScript's
//! thread, so a busy loop there delays no timer and no read, and a spawn never blocks the loop.

use std::io;
use std::os::fd::OwnedFd;
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use rustix::process::{Signal, kill_process_group};
use tokio::runtime::{Builder, Handle};
use tokio::sync::mpsc::{self, UnboundedReceiver};
use tokio::sync::oneshot;

use super::flow::Flow;
use super::handle::{JobHandle, Observer, Request};
use super::launch::{LaunchResult, launch, node_error};
use super::outcome::{LaunchError, Outcome};
use super::plan::Plan;
use super::spawners::Spawners;
use super::task;
use crate::process::errno::Errno;
use crate::process::guardian;
use crate::process::identity::Identity;
use crate::process::registry::{Owner, Registration, Registry};
use crate::process::tree;
use crate::process::wait::{ExitWatch, reap, reap_blocking};

/// A guardian that was killed comes back, but not more often than this.
const GUARDIAN_RESPAWN: Duration = Duration::from_secs(1);

/// The engine.
#[derive(Debug)]
pub struct Engine {
    runtime: Handle,
    spawners: Spawners,
    registry: Registry,
    is_guarded: AtomicBool,
}

/// Starts a command. Its life goes to `observer`; a failure to start is an outcome like any other.
pub fn start(plan: Plan, owner: &Owner, flow: Arc<Flow>, observer: Arc<dyn Observer>) -> JobHandle {
    let (requests, inbox) = mpsc::unbounded_channel();
    let handle = JobHandle { requests, flow, pid: Arc::default() };
    let job = Job {
        plan: Arc::new(plan),
        owner: owner.clone(),
        flow: Arc::clone(&handle.flow),
        pid: Arc::clone(&handle.pid),
        inbox,
        end: EndOnce::new(observer),
        started_at: Instant::now(),
    };
    match engine() {
        Ok(engine) => engine.submit(job),
        Err(error) => {
            let error = node_error(job.plan.invocation.program(), Errno::of(&error));
            job.finish(Outcome::not_started(error, None));
        }
    }
    handle
}

/// Marks the owner as gone and kills its jobs with SIGKILL. Does not wait, so it may run on any thread, also while
/// the process exits.
pub fn close(owner: &Owner) {
    if let Some(engine) = ENGINE.get() {
        engine.registry.close(owner, kill_tree);
    }
}

static ENGINE: OnceLock<Engine> = OnceLock::new();

fn engine() -> io::Result<&'static Engine> {
    // `OnceLock::get_or_try_init` is not stable yet.
    static STARTING: Mutex<()> = Mutex::new(());
    if let Some(engine) = ENGINE.get() {
        return Ok(engine);
    }
    let _starting = STARTING.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(engine) = ENGINE.get() {
        return Ok(engine);
    }
    let engine = Engine::new()?;
    Ok(ENGINE.get_or_init(|| engine))
}

impl Engine {
    fn new() -> io::Result<Self> {
        let runtime = Builder::new_current_thread()
            .enable_io()
            .enable_time()
            .max_blocking_threads(2)
            .thread_keep_alive(Duration::from_secs(1))
            .thread_name("agent-bash-look")
            .build()?;
        let handle = runtime.handle().clone();
        let registry = Registry::new()?;
        std::thread::Builder::new()
            .name("agent-bash-io".to_owned())
            .spawn(move || runtime.block_on(std::future::pending::<()>()))?;
        Ok(Self {
            runtime: handle,
            spawners: Spawners::default(),
            registry,
            is_guarded: AtomicBool::new(false),
        })
    }

    /// The table of live jobs.
    #[must_use]
    pub const fn registry(&self) -> &Registry {
        &self.registry
    }

    /// Queues the launch for a spawner. The job's task waits for it, and for whatever else may end the job: a launch
    /// can take for ever, where the program or the directory is on a network that has gone.
    fn submit(&'static self, job: Job) {
        let (sender, launching) = oneshot::channel();
        let (plan, owner) = (Arc::clone(&job.plan), job.owner.clone());
        // If no thread can be had, the sender is dropped, and the task knows.
        let _ = self.spawners.run(Box::new(move || self.launch(&plan, &owner, sender)));
        self.runtime.spawn(task::accompany(self, job, launching));
    }

    /// On a spawner thread.
    fn launch(&'static self, plan: &Plan, owner: &Owner, sender: oneshot::Sender<LaunchResult>) {
        let is_guarded = self.guard();
        if sender.is_closed() {
            return;
        }
        let launched = launch(plan, owner, &self.registry, !is_guarded);
        if let Err(Ok(launched)) = sender.send(launched) {
            // The job has ended meanwhile.
            self.abandon(launched.leader, launched.registration);
        }
    }

    /// Ends a process that nobody accompanies.
    pub(super) fn abandon(&self, leader: Identity, registration: Registration) {
        kill_tree(leader);
        self.registry.release(registration, || reap_blocking(leader.pid));
    }

    /// Sees to it that there is a guardian, before the first command: if the host dies, it must find all that
    /// the command has started. Whether there is one.
    fn guard(&'static self) -> bool {
        if self.is_guarded.swap(true, Ordering::AcqRel) {
            return true;
        }
        let guardian = guardian::start(&self.registry);
        let is_guarded = guardian.is_ok();
        match guardian {
            Ok(guardian) => drop(self.runtime.spawn(self.keep_guarded(guardian))),
            // The next command tries again.
            Err(_) => self.is_guarded.store(false, Ordering::Release),
        }
        is_guarded
    }

    async fn keep_guarded(&'static self, guardian: guardian::Guardian) {
        let guardian::Guardian { process, leash } = guardian;
        let _leash: OwnedFd = leash;
        if let Ok(mut watch) = ExitWatch::new(process.pid, process.pidfd) {
            watch.exited().await;
            reap(process.pid);
            tokio::time::sleep(GUARDIAN_RESPAWN).await;
            self.is_guarded.store(false, Ordering::Release);
            // A spawner thread may block; this one may not.
            let _ = self.spawners.run(Box::new(move || {
                let _ = self.guard();
            }));
        } else {
            // It does its work unwatched.
            std::future::pending::<()>().await;
        }
    }
}

/// A command on its way to a process.
#[derive(Debug)]
pub(super) struct Job {
    pub(super) plan: Arc<Plan>,
    pub(super) owner: Owner,
    pub(super) flow: Arc<Flow>,
    pub(super) pid: Arc<AtomicI32>,
    pub(super) inbox: UnboundedReceiver<Request>,
    pub(super) end: EndOnce,
    pub(super) started_at: Instant,
}

impl Job {
    /// From here on the job hears nothing, and says one last thing.
    pub(super) fn finish(mut self, outcome: Outcome) {
        self.inbox.close();
        self.end.end(outcome);
    }
}

/// The single place where a job ends: once, whatever happens, also when its task panics.
pub(super) struct EndOnce {
    observer: Arc<dyn Observer>,
    has_ended: bool,
}

impl std::fmt::Debug for EndOnce {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("EndOnce").field("has_ended", &self.has_ended).finish_non_exhaustive()
    }
}

impl EndOnce {
    fn new(observer: Arc<dyn Observer>) -> Self {
        Self { observer, has_ended: false }
    }

    pub(super) fn observer(&self) -> &dyn Observer {
        &*self.observer
    }

    pub(super) fn end(&mut self, outcome: Outcome) {
        if !std::mem::replace(&mut self.has_ended, true) {
            self.observer.ended(outcome);
        }
    }
}

impl Drop for EndOnce {
    fn drop(&mut self) {
        let message = "the engine failed; please report this".to_owned();
        self.end(Outcome::not_started(LaunchError { code: "INTERNAL".to_owned(), message }, None));
    }
}

/// SIGKILL to the group of an unreaped leader and to its descendants elsewhere.
fn kill_tree(leader: Identity) {
    let escaped = tree::descendants(leader.pid);
    // The group may be empty already.
    let _ = kill_process_group(leader.pid, Signal::KILL);
    for process in escaped {
        if process.group != leader.pid.as_raw_nonzero().get() {
            process.identity.send(Signal::KILL);
        }
    }
}
