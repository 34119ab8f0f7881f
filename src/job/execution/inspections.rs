//! The inspections of a running command, while a caller follows them: whether the command waits for input,
//! and which ports it listens on.

#[cfg_attr(unix, path = "inspections/unix.rs")]
#[cfg_attr(windows, path = "inspections/windows.rs")]
mod platform;

use tokio::time::{Instant, sleep_until};

use super::{Execution, Step};
use crate::job::model::outcome::Cause;
use crate::job::model::plan::OnWaiting;
use crate::job::ports::{PortScan, PortWatch};
use crate::job::waiting::InputWait;
use crate::job::waiting::schedule::{Findings, WaitSchedule};

/// The schedules of a command's inspections, with the findings of the earlier ones.
#[derive(Debug)]
pub(crate) struct Inspections {
    waits: WaitSchedule,
    ports: PortWatch,
    /// Whether the plan acts on a wait for input, so that waits are followed even without a caller.
    acts_on_waits: bool,
    was_given_input: bool,
}

impl Inspections {
    pub(super) fn new(on_waiting: OnWaiting) -> Self {
        let acts_on_waits = on_waiting != OnWaiting::Report;
        let (waits, ports) = (WaitSchedule::default(), PortWatch::default());
        let mut inspections = Self { waits, ports, acts_on_waits, was_given_input: false };
        if acts_on_waits {
            inspections.follow_waits(true);
        }
        inspections
    }

    /// Waits until an inspection is due; forever while no caller follows any.
    pub(crate) async fn due(&self) {
        match self.waits.next().into_iter().chain(self.ports.next()).min() {
            Some(time) => sleep_until(time).await,
            None => std::future::pending().await,
        }
    }

    /// Returns whether the next check for a wait is due.
    pub(crate) fn is_input_due(&self) -> bool {
        self.waits.next().is_some_and(|due| due <= Instant::now())
    }

    /// Returns whether the next check for ports is due.
    pub(crate) fn are_ports_due(&self) -> bool {
        self.ports.next().is_some_and(|due| due <= Instant::now())
    }

    /// Returns whether the next check for ports searches other network namespaces too.
    pub(crate) const fn asks_namespaces(&self) -> bool {
        self.ports.asks_namespaces()
    }

    pub(super) fn record_activity(&mut self) {
        self.waits.activity(Instant::now());
    }

    pub(super) fn record_input(&mut self) {
        self.was_given_input = true;
        self.record_activity();
    }

    /// Starts or stops to report waits.
    pub(super) fn follow_waits(&mut self, is_followed: bool) {
        self.waits.follow(is_followed || self.acts_on_waits, Instant::now());
    }

    /// Requests one answer whether the command waits.
    pub(super) fn ask(&mut self) {
        self.waits.ask(Instant::now());
    }

    /// Starts or stops reporting ports.
    pub(super) fn follow_ports(&mut self, is_followed: bool) {
        self.ports.follow(is_followed, Instant::now());
    }
}

impl Execution {
    fn report_wait(&mut self, seen: Option<InputWait>) -> Step {
        let Findings { begun, answer } = self.inspections.waits.record(seen, Instant::now());
        if let Some((wait, count)) = answer {
            (0..count).for_each(|_| self.end.observer().input_checked(wait.clone()));
        }
        let Some(wait) = begun else { return self.after_reading() };
        self.end.observer().waiting(wait);
        match self.plan.on_waiting {
            OnWaiting::Report => self.after_reading(),
            OnWaiting::End => {
                self.streams.feeder.input().end_again();
                self.after_reading()
            }
            OnWaiting::Kill => self.stop(Cause::WaitingForInput),
        }
    }

    /// Records the result of a check for ports, whose part on this thread began at `began`, and reports a
    /// change.
    pub(crate) fn record_ports(&mut self, found: PortScan, began: Instant) {
        if let Some(ports) = self.inspections.ports.record(found, began, Instant::now()) {
            self.end.observer().ports(ports);
        }
    }
}
