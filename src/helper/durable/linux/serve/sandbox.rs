//! The sandbox of a durable job: what it refuses, and the directories that must stay while it runs.

use rustix::process::Pid;

use crate::helper::durable::plan::DurableSandbox;
use crate::helper::durable::record::refused::RefusedRecord;
use crate::process::directory::private::SharedDirectory;
use crate::sandbox::outcome::{RefusalReport, Refusals};
use crate::sandbox::plan::watch::Watch;
use crate::sandbox::protocol::report::{HelperReport, SandboxFailure};

#[derive(Debug)]
pub(super) struct SupervisedSandbox {
    watch: Watch,
    refused: Refusals,
    /// The process that removes stubs at the end, which no kill may reach.
    remover: Option<Pid>,
    /// The step at which the sandbox could not be built.
    failure: Option<SandboxFailure>,
    #[expect(dead_code, reason = "the directories stay while this is held")]
    directory: SharedDirectory,
}

impl SupervisedSandbox {
    pub(super) fn new(sandbox: DurableSandbox, directory: SharedDirectory) -> Self {
        let watch = sandbox.watch;
        Self { watch, refused: Refusals::default(), remover: None, failure: None, directory }
    }

    /// Notes a report. Returns whether there is one more refusal to list.
    pub(super) fn note(&mut self, from_sandbox: HelperReport) -> bool {
        match from_sandbox {
            HelperReport::Running(running) => self.remover = running.remover.and_then(Pid::from_raw),
            HelperReport::Failed(failure) => self.failure = Some(failure),
            HelperReport::Refused(refusal) => {
                let before = self.refused.listed().len();
                self.refused.add(refusal);
                return self.refused.listed().len() > before;
            }
            HelperReport::Listening | HelperReport::Mounted => {}
        }
        false
    }

    pub(super) const fn remover(&self) -> Option<Pid> {
        self.remover
    }

    pub(super) const fn take_failure(&mut self) -> Option<SandboxFailure> {
        self.failure.take()
    }

    /// Returns what was refused so far.
    pub(super) fn record(&self) -> RefusedRecord {
        RefusedRecord {
            listed: self.refused.listed().iter().cloned().map(RefusalReport::from).collect(),
            more: self.refused.more(),
            created: Vec::new(),
        }
    }

    /// Returns what was refused, with the paths that the command should not have left.
    pub(super) fn record_of_end(&self) -> RefusedRecord {
        let created = self.watch.created();
        let created = created.iter().map(|path| path.to_string_lossy().into_owned()).collect();
        RefusedRecord { created, ..self.record() }
    }
}
