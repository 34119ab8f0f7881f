//! The parts of the engine that only Unix needs: the registry, the scans, and the guardian's watch.

pub mod leader;
pub mod leader_launch;
pub mod scan;
pub mod slices;

use std::io;
use std::sync::{Arc, OnceLock};

use self::scan::{Scanner, Tracker};
use super::Engine;
use super::guardian_watch::{GuardianReport, GuardianWatch};

use crate::process::fd::reserve;
use crate::process::registry::Registry;

/// The parts of the engine that only Unix needs.
#[derive(Debug)]
pub(super) struct System {
    registry: &'static Registry,
    scanner: Arc<Scanner>,
    tracker: Tracker,
    guardian_watch: &'static GuardianWatch,
}

impl System {
    /// Starts the guardian. It loads while the engine starts and the first command is prepared: a command
    /// waits for the guardian before it executes.
    pub(super) fn start() -> io::Result<Self> {
        let guardian_watch = guardian_watch()?;
        guardian_watch.start();
        reserve::fill();
        let registry = guardian_watch.registry();
        Ok(Self {
            registry,
            scanner: Arc::new(Scanner::new(registry)),
            tracker: Tracker::default(),
            guardian_watch,
        })
    }

    /// Begins the work on the I/O thread.
    pub(super) fn attach(engine: &'static Engine) {
        let system = &engine.system;
        system.guardian_watch.attach(engine.runtime.clone());
        engine.runtime.spawn(system.tracker.run(Arc::clone(&system.scanner)));
    }

    /// Returns the state of the guardian.
    pub(super) fn guardian_report(&self) -> GuardianReport {
        self.guardian_watch.report()
    }
}

/// Returns the state of the guardian before the first command.
pub(super) fn report_before_start() -> GuardianReport {
    GuardianReport::before_start()
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
    /// Returns the table of live jobs.
    #[must_use]
    pub const fn registry(&self) -> &'static Registry {
        self.system.registry
    }

    /// Returns the process-table scanner, which finds the processes of all jobs.
    #[must_use]
    pub const fn scanner(&self) -> &Arc<Scanner> {
        &self.system.scanner
    }

    /// Returns the tracker, which schedules the scans.
    #[must_use]
    pub const fn tracker(&self) -> &Tracker {
        &self.system.tracker
    }

    /// Waits, for a bounded time, until the guardian runs, and returns whether it runs.
    ///
    /// A command executes only after this wait: if the host died earlier, no guardian would find the
    /// processes of the command.
    #[must_use]
    pub fn await_guardian(&self) -> bool {
        self.system.guardian_watch.await_guardian()
    }
}
