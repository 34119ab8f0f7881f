//! The processes whose exit a job waits for: those that it has signalled, and those that it has adopted.

use std::collections::{HashMap, HashSet};
use std::time::Duration;

use tokio::time::{Instant, sleep};

use crate::engine::slices;
use crate::process::identity::Identity;
use crate::process::wait::ProcessWatch;

/// The most processes that are watched by a descriptor each; the others are polled, since a host has few
/// descriptors.
const MAX_WATCHED: usize = 32;

/// Delays between two polls: longer while no process exits, and where inspecting them takes long.
const MIN_POLL_INTERVAL: Duration = Duration::from_millis(10);
const MAX_POLL_INTERVAL: Duration = Duration::from_millis(500);
const COST_FACTOR: u32 = 10;

/// The members that were alive at the last check.
#[derive(Debug, Default)]
pub(super) struct Members {
    watched: HashMap<Identity, ProcessWatch>,
    polled: HashSet<Identity>,
}

impl Members {
    /// Adds a process, unless it has exited.
    pub(super) fn add(&mut self, identity: Identity) {
        if self.watched.contains_key(&identity) || self.polled.contains(&identity) {
            return;
        }
        if self.watched.len() >= MAX_WATCHED {
            self.polled.insert(identity);
            return;
        }
        let watch = ProcessWatch::open(identity.pid);
        // The pid was looked up before the watch pinned it.
        if !identity.is_alive() {
            return;
        }
        match watch {
            Ok(watch) => drop(self.watched.insert(identity, watch)),
            Err(_) => drop(self.polled.insert(identity)),
        }
    }

    /// Waits until all members have exited. Cancel-safe.
    pub(super) async fn gone(&mut self) {
        while let Some((&identity, watch)) = self.watched.iter().next() {
            watch.exited().await;
            self.watched.remove(&identity);
        }
        let mut pause = Duration::ZERO;
        while !self.polled.is_empty() {
            sleep(pause).await;
            let began_at = Instant::now();
            let before = self.polled.len();
            self.polled = slices::filter(self.polled.iter().copied().collect(), |process| process.is_alive())
                .await
                .into_iter()
                .collect();
            let least = MIN_POLL_INTERVAL.max(began_at.elapsed() * COST_FACTOR);
            pause = if self.polled.len() < before {
                least
            } else {
                (pause * 2).clamp(least, MAX_POLL_INTERVAL.max(least))
            };
        }
    }

    /// Returns the pids of the members that are still alive, in ascending order.
    pub(super) async fn alive(&self) -> Vec<i32> {
        let all = self.watched.keys().chain(&self.polled).copied().collect();
        let alive = slices::filter(all, |process| process.is_alive()).await;
        let mut pids: Vec<i32> = alive.iter().map(|identity| identity.pid.as_raw_nonzero().get()).collect();
        pids.sort_unstable();
        pids
    }
}
