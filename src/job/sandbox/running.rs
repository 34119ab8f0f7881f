//! A sandbox in which a command runs: its processes and its refusals.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::oneshot;

use super::pids::SandboxPids;
use crate::engine::running_engine;
use crate::sandbox::network::gateway::Gateway;
use crate::sandbox::outcome::{Refusals, SandboxReport};
use crate::sandbox::overlay::Overlay;
use crate::sandbox::plan::make::Made;
use crate::sandbox::plan::{SandboxPlan, Tier};
use crate::sandbox::private::PrivateDirectories;
use crate::sandbox::protocol::launch::Control;
use crate::sandbox::protocol::report::{Refusal, Report, Running};

/// A sandbox in which a command runs.
#[derive(Debug)]
pub struct RunningSandbox {
    pub(super) made: Made,
    pub(super) control: Control,
    pub(super) running: Running,
    pub(super) refused: Arc<Mutex<Refusals>>,
    /// Decides about the network, if hosts are allowed.
    pub(super) gateway: Option<Arc<Gateway>>,
    #[expect(dead_code, reason = "they stay while the command may use them")]
    pub(super) directories: Arc<PrivateDirectories>,
    pub(super) overlay: Option<Arc<Overlay>>,
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

    /// Records what the commands of the overlay have changed so far, if there is one. Reads the whole layer,
    /// on a spawner thread.
    pub async fn note_changes(&self) {
        let (Some(overlay), Some(engine)) = (self.overlay.clone(), running_engine()) else { return };
        let (sender, noted) = oneshot::channel();
        let work = move || {
            overlay.note();
            let _ = sender.send(());
        };
        if engine.spawners().run(Box::new(work)).is_ok() {
            let _ = noted.await;
        }
    }

    /// Returns the report about the sandbox so far, for the result.
    #[must_use]
    pub fn report(&self) -> SandboxReport {
        self.read_refusals();
        self.refused().clone().into_report(&self.made, &self.running)
    }

    /// Returns the report for one of several commands in this sandbox, and clears the refusals.
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

    /// Adds refusals of the sandbox init, which knows only addresses.
    pub(super) fn add(&self, refused: Vec<Refusal>) {
        for refusal in refused {
            let refusal = self.gateway.as_ref().map_or(refusal.clone(), |gateway| gateway.with_name(refusal));
            self.refused().add(refusal);
        }
    }

    fn refused(&self) -> MutexGuard<'_, Refusals> {
        self.refused.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
