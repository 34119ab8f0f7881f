//! The parts of the engine that only Windows needs: the table of live jobs, and the thread that reads the
//! kernel's reports about them.
//!
//! `job_table` has the jobs; [`leader`] is the first process of one.

mod job_table;
pub mod leader;

pub use job_table::{JobTable, LiveJob};

use std::io;
use std::sync::Arc;

use super::Engine;
use super::guardian_watch::{GuardianReport, GuardianState};
use crate::process::directory::private::remove_orphans;
use crate::process::thread::named;

/// The parts of the engine that only Windows needs.
#[derive(Debug)]
pub(super) struct System {
    jobs: Arc<JobTable>,
}

impl System {
    /// Creates the table, starts the thread that reads the reports, and removes the files of killed hosts.
    pub(super) fn start() -> io::Result<Self> {
        let jobs = Arc::new(JobTable::new()?);
        let watched = Arc::clone(&jobs);
        named("agent-bash-jobs").spawn(move || watched.watch())?;
        remove_orphans(None);
        Ok(Self { jobs })
    }

    /// Does nothing: nothing runs on the I/O thread for all jobs.
    pub(super) const fn attach(_engine: &'static Engine) {}

    /// Returns that jobs are guarded, by the kernel, and whether the helper program could be started.
    #[allow(clippy::unused_self, reason = "the same on all systems")]
    pub(super) fn guardian_report(&self) -> GuardianReport {
        report_before_start()
    }
}

/// Returns that jobs are guarded, by the kernel, and whether the helper program could be started.
pub(super) fn report_before_start() -> GuardianReport {
    GuardianReport { state: GuardianState::Running, ..GuardianReport::before_start() }
}

impl Engine {
    /// Returns the table of live jobs.
    #[must_use]
    pub const fn jobs(&self) -> &Arc<JobTable> {
        &self.system.jobs
    }
}
