//! The engine: the threads and tables that all jobs of a process share.
//!
//! The first command starts the engine, which lives as long as the process. JavaScript's thread only queues
//! commands and requests, so a busy event loop delays no timer and no read, and a spawn never blocks it. The
//! engine has no notion of a command: the layer above, [`crate::job`], passes its work in as closures.
//!
//! * [`spawners`] are the threads that spawn; [`deferred_start`] delays the start of a job's task until its
//!   process runs, so that a call wakes only one thread.
//! * `scan` finds the processes of all jobs; `slices` divides work on many processes.
//! * `leader` is a process that the engine spawned and reaps; `leader_launch` starts it.
//! * [`mod@guardian_watch`] keeps a guardian running, which kills the jobs when the host ends.
//!
//! `unix` has these together. On Windows the kernel knows the processes of a job and ends them, so `windows`
//! has a table of job objects instead.

pub mod deferred_start;
mod guardian_report;
#[cfg_attr(windows, path = "no_guardian.rs")]
pub mod guardian_watch;
#[cfg_attr(unix, path = "unix/mod.rs")]
#[cfg_attr(windows, path = "windows/mod.rs")]
mod platform;
pub mod spawners;

use std::io;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use tokio::runtime::{Builder, Handle};

use self::deferred_start::LaunchWatchdog;
use self::guardian_watch::GuardianReport;
pub use self::platform::*;
use self::spawners::Spawners;
use crate::process::signal::block_all_signals;
use crate::process::thread::named;

/// The engine of this process.
#[derive(Debug)]
pub struct Engine {
    runtime: Handle,
    spawners: Spawners,
    launch_watchdog: Arc<LaunchWatchdog>,
    system: platform::System,
}

/// Returns the state of this process's guardian.
#[must_use]
pub fn guardian_report() -> GuardianReport {
    ENGINE.get().map_or_else(platform::report_before_start, |engine| engine.system.guardian_report())
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
    let engine = Engine::new(platform::System::start()?)?;
    let engine = ENGINE.get_or_init(|| engine);
    platform::System::attach(engine);
    Ok(engine)
}

impl Engine {
    fn new(system: platform::System) -> io::Result<Self> {
        let runtime = Builder::new_current_thread().enable_io().enable_time().build()?;
        let handle = runtime.handle().clone();
        let launch_watchdog = Arc::new(runtime.block_on(async { LaunchWatchdog::new() })?);
        let watchdog = Arc::clone(&launch_watchdog);
        named("agent-bash-io").spawn(move || {
            block_all_signals();
            runtime.block_on(watchdog.run());
        })?;
        Ok(Self { runtime: handle, spawners: Spawners::default(), launch_watchdog, system })
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
}
