//! A sandbox in which a command runs: its processes and its refusals.

use std::future::{pending, poll_fn};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::oneshot;

use super::private::Private;
use crate::engine::running_engine;
use crate::job::model::outcome::End;
use crate::job::sandbox::SandboxPids;
use crate::process::wait::Exit;
use crate::sandbox::kept_mount::KeptMount;
use crate::sandbox::network::ask::{ConnectEvent, Questions, Verdict};
use crate::sandbox::network::counters::TrafficCounters;
use crate::sandbox::network::gateway::Gateway;
use crate::sandbox::outcome::{RefusalReport, Refusals, SandboxReport};
use crate::sandbox::overlay::Overlay;
use crate::sandbox::plan::Tier;
use crate::sandbox::plan::make::Made;
use crate::sandbox::protocol::launch::Control;
use crate::sandbox::protocol::report::{HelperReport, Running, SandboxRefusal};

/// A sandbox in which a command runs.
#[derive(Debug)]
pub struct RunningSandbox {
    pub(super) made: Made,
    pub(super) control: Control,
    pub(super) running: Running,
    pub(super) refused: Arc<Mutex<Refusals>>,
    /// Counts what commands try to reach, with the network `off`.
    pub(super) counters: TrafficCounters,
    /// Decides about the network, if hosts are allowed.
    pub(super) gateway: Option<Arc<Gateway>>,
    pub(super) private: Private,
    pub(super) overlay: Option<Arc<Overlay>>,
}

impl RunningSandbox {
    /// Returns the pids of the sandbox's own processes.
    #[must_use]
    pub const fn pids(&self) -> SandboxPids {
        SandboxPids {
            init: self.running.init,
            remover: self.running.remover,
            command: self.running.command,
            is_namespace: matches!(self.made.plan.tier, Tier::Namespaces),
        }
    }

    /// Records what the commands of the overlay have changed so far, if there is one. Reads the whole layer,
    /// on a spawner thread.
    pub async fn record_changes(&self) {
        if let Some(overlay) = self.overlay.clone() {
            on_spawner(move || overlay.note()).await;
        }
    }

    /// Prepares another command of a session: from now on, failed connections are its own. Makes the home and
    /// the overlay show the files that the host has now, on a spawner thread.
    pub async fn refresh(&self) {
        self.counters.start();
        if let Some(questions) = self.questions() {
            questions.start();
        }
        let (home, overlay) = (self.private.home.clone(), self.overlay.clone());
        if home.is_some() || overlay.is_some() {
            on_spawner(move || refresh(home.as_deref(), overlay.as_deref())).await;
        }
    }

    /// Returns the questions about hosts that are not listed, if a person is asked about them.
    fn questions(&self) -> Option<&Questions> {
        self.gateway.as_ref()?.questions()
    }

    /// Waits for the next event about such a question. Cancel-safe.
    pub async fn connect_event(&self) -> ConnectEvent {
        match self.questions() {
            Some(questions) => poll_fn(|context| questions.poll_event(context)).await,
            None => pending().await,
        }
    }

    /// Answers such a question.
    pub fn answer(&self, number: u32, verdict: Verdict) {
        if let Some(questions) = self.questions() {
            questions.answer(number, verdict);
        }
    }

    /// Refuses all such questions, because the command is being ended.
    pub fn refuse_questions(&self) {
        if let Some(questions) = self.questions() {
            questions.stop();
        }
    }

    /// Returns the report about the sandbox so far, for the result of a command that has ended in this way.
    #[must_use]
    pub fn report(&self, end: &End) -> SandboxReport {
        self.read_refusals();
        let refused = self.refused().clone();
        self.with_network(refused, end).into_report(&self.made)
    }

    /// Returns the report for one of several commands in this sandbox, and clears the refusals.
    #[must_use]
    pub fn take_report(&self, end: &End) -> SandboxReport {
        self.read_refusals();
        let refused = std::mem::take(&mut *self.refused());
        self.with_network(refused, end).into_report(&self.made)
    }

    /// Returns what the sandbox has refused so far.
    #[must_use]
    pub fn refused_so_far(&self) -> Vec<RefusalReport> {
        self.read_refusals();
        self.refused().listed().iter().cloned().map(RefusalReport::from).collect()
    }

    /// Adds that there is no network, if the command has failed and tried to reach it.
    fn with_network(&self, mut refused: Refusals, end: &End) -> Refusals {
        let has_failed = !matches!(end, End::NotYet | End::Exit(Exit::Code(0)));
        if has_failed && let Some(reason) = self.counters.in_vain() {
            refused.add(SandboxRefusal::NoNetwork { reason });
        }
        refused
    }

    fn read_refusals(&self) {
        let reports = std::iter::from_fn(|| self.control.next().ok().flatten());
        let refused = reports.filter_map(|report| match report {
            HelperReport::Refused(refusal) => Some(refusal),
            _ => None,
        });
        self.add(refused.collect());
    }

    /// Adds refusals of the sandbox init, which knows only addresses.
    pub(super) fn add(&self, refused: Vec<SandboxRefusal>) {
        for refusal in refused {
            let refusal = self.gateway.as_ref().map_or(refusal.clone(), |gateway| gateway.with_name(refusal));
            self.refused().add(refusal);
        }
    }

    fn refused(&self) -> MutexGuard<'_, Refusals> {
        self.refused.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A failure leaves older files in view. It is an error of the next command that starts.
fn refresh(home: Option<&KeptMount>, overlay: Option<&Overlay>) {
    if let Some(home) = home {
        let _ = home.refresh();
    }
    if let Some(overlay) = overlay {
        let _ = overlay.refresh();
    }
}

/// Runs `work` on a spawner thread, and waits for its end.
async fn on_spawner(work: impl FnOnce() + Send + 'static) {
    let Some(engine) = running_engine() else { return };
    let (sender, done) = oneshot::channel();
    let work = move || {
        work();
        let _ = sender.send(());
    };
    if engine.spawners().run(Box::new(work)).is_ok() {
        let _ = done.await;
    }
}
