//! The engine: the threads and tables that all jobs of a process share.
//!
//! The first command starts the engine, which lives as long as the process. JavaScript's thread only queues
//! commands and requests, so a busy event loop delays no timer and no read, and a spawn never blocks it. The
//! engine has no notion of a command: the layer above, [`crate::job`], passes its work in as closures.
//!
//! * [`spawners`] are the threads that spawn; [`deferred_start`] delays the start of a job's task until its
//!   process runs, so that a call wakes only one thread.
//! * [`scan`] finds the processes of all jobs; [`slices`] divides work on many processes.
//! * [`leader`] is a process that the engine spawned and reaps; [`leader_launch`] starts it.
//! * [`mod@guardian_watch`] keeps a guardian running, which kills the jobs when the host ends.

pub mod deferred_start;
pub mod guardian_watch;
pub mod leader;
pub mod leader_launch;
pub mod scan;
pub mod slices;
pub mod spawners;

use std::io;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use tokio::runtime::{Builder, Handle};

use self::deferred_start::LaunchWatchdog;
use self::guardian_watch::{GuardianReport, GuardianWatch};
use self::scan::{Scanner, Tracker};
use self::spawners::Spawners;
use crate::process::fd::reserve;
use crate::process::registry::Registry;
use crate::process::signal::block_all_signals;
use crate::process::thread::named;

/// The engine of this process.
#[derive(Debug)]
pub struct Engine {
    runtime: Handle,
    spawners: Spawners,
    launch_watchdog: Arc<LaunchWatchdog>,
    registry: &'static Registry,
    scanner: Arc<Scanner>,
    tracker: Tracker,
    guardian_watch: &'static GuardianWatch,
}

/// Returns the state of this process's guardian.
#[must_use]
pub fn guardian_report() -> GuardianReport {
    ENGINE.get().map_or_else(GuardianReport::before_start, |engine| engine.guardian_watch.report())
}

static ENGINE: OnceLock<Engine> = OnceLock::new();

/// Returns the engine, or `None` before the first command.
#[must_use]
pub fn running_engine() -> Option<&'static Engine> {
    ENGINE.get()
}

/// Returns the engine, and starts it on the first call.
///
/// # Errors
///
/// The system's error when it has no thread, descriptor or timer left.
pub fn engine() -> io::Result<&'static Engine> {
    // `OnceLock::get_or_try_init` is not stable yet.
    static STARTING: Mutex<()> = Mutex::new(());
    if let Some(engine) = ENGINE.get() {
        return Ok(engine);
    }
    let _starting = STARTING.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(engine) = ENGINE.get() {
        return Ok(engine);
    }
    let guardian_watch = guardian_watch()?;
    // The guardian starts first, so that it loads while the engine starts and the first command is prepared:
    // a command waits for the guardian before it executes.
    guardian_watch.start();
    let engine = Engine::new(guardian_watch)?;
    let engine = ENGINE.get_or_init(|| engine);
    guardian_watch.attach(engine.runtime.clone());
    engine.runtime.spawn(engine.tracker.run(Arc::clone(&engine.scanner)));
    Ok(engine)
}

/// Returns the guardian watch of this process, which has the table of live jobs.
fn guardian_watch() -> io::Result<&'static GuardianWatch> {
    static WATCH: OnceLock<GuardianWatch> = OnceLock::new();
    static REGISTRY: OnceLock<Registry> = OnceLock::new();
    if let Some(watch) = WATCH.get() {
        return Ok(watch);
    }
    let registry = Registry::new()?;
    Ok(WATCH.get_or_init(|| GuardianWatch::new(REGISTRY.get_or_init(|| registry))))
}

impl Engine {
    fn new(guardian_watch: &'static GuardianWatch) -> io::Result<Self> {
        let runtime = Builder::new_current_thread().enable_io().enable_time().build()?;
        let handle = runtime.handle().clone();
        reserve::fill();
        let launch_watchdog = Arc::new(runtime.block_on(async { LaunchWatchdog::new() })?);
        let watchdog = Arc::clone(&launch_watchdog);
        named("agent-bash-io").spawn(move || {
            block_all_signals();
            runtime.block_on(watchdog.run());
        })?;
        Ok(Self {
            runtime: handle,
            spawners: Spawners::default(),
            launch_watchdog,
            scanner: Arc::new(Scanner::new(guardian_watch.registry())),
            tracker: Tracker::default(),
            registry: guardian_watch.registry(),
            guardian_watch,
        })
    }

    /// Returns the table of live jobs.
    #[must_use]
    pub const fn registry(&self) -> &'static Registry {
        self.registry
    }

    /// Returns the process-table scanner, which finds the processes of all jobs.
    #[must_use]
    pub const fn scanner(&self) -> &Arc<Scanner> {
        &self.scanner
    }

    /// Returns the tracker, which schedules the scans.
    #[must_use]
    pub const fn tracker(&self) -> &Tracker {
        &self.tracker
    }

    /// Returns the spawner threads, which may block.
    #[must_use]
    pub const fn spawners(&self) -> &Spawners {
        &self.spawners
    }

    /// Returns the runtime of the I/O thread.
    #[must_use]
    pub const fn runtime(&self) -> &Handle {
        &self.runtime
    }

    /// Returns the watchdog, which starts the tasks of jobs whose launch takes long.
    #[must_use]
    pub fn launch_watchdog(&self) -> &LaunchWatchdog {
        &self.launch_watchdog
    }

    /// Waits, for a bounded time, until the guardian runs, and returns whether it runs.
    ///
    /// A command executes only after this wait: if the host died earlier, no guardian would find the
    /// processes of the command.
    #[must_use]
    pub fn await_guardian(&self) -> bool {
        self.guardian_watch.await_guardian()
    }
}
