//! Starts a leader: reserves its line in the table of live jobs, chooses its parent-death signal, and enters
//! the process.

use std::os::fd::OwnedFd;

use crate::process::signal::Signal;

use super::leader::Leader;
use crate::engine::Engine;
use crate::process::identity::Identity;
use crate::process::registry::{LeaderRecord, Owner, Pipes, Registration};
use crate::process::spawn::{SpawnError, Spawned};
use crate::process::table;
use crate::process::tag::Tag;
use crate::process::tree::stop;

/// A leader that is about to be spawned.
#[derive(Debug)]
pub struct LeaderLaunch {
    engine: &'static Engine,
    registration: Registration,
    pdeathsig: Option<Signal>,
}

/// A leader that has just been spawned.
#[derive(Debug)]
pub struct SpawnedLeader {
    pub leader: Leader,
    /// The pidfd of the process, where the kernel has pidfds.
    pub pidfd: Option<OwnedFd>,
    /// Whether the owner has closed during the spawn. The leader was stopped then, so that it starts nothing
    /// more; the caller drops or kills it.
    pub owner_has_closed: bool,
}

impl LeaderLaunch {
    /// Waits for the guardian, and reserves the line of the leader. Returns `None` if the owner has closed.
    ///
    /// If the host dies, the kernel stops the leader (parent-death signal) until the guardian has found its
    /// descendants; otherwise the leader could die of a broken pipe before. Without a guardian, or a process
    /// table in which it finds them, the kernel kills the leader. A leader that outlives the host has no
    /// parent-death signal, and may start after its owner has closed.
    pub fn reserve(
        engine: &'static Engine,
        owner: &Owner,
        pipes: Pipes,
        tag: Option<Tag>,
        outlives_host: bool,
    ) -> Option<Self> {
        let is_guarded = engine.await_guardian() && table::is_available();
        let pdeathsig = if is_guarded { Signal::STOP } else { Signal::KILL };
        let registry = engine.registry();
        let registration = if outlives_host {
            registry.reserve_unguarded(owner, pipes, tag)
        } else {
            registry.reserve(owner, pipes, tag)?
        };
        Some(Self { engine, registration, pdeathsig: (!outlives_host).then_some(pdeathsig) })
    }

    /// Spawns the leader by `spawn`, which gets what the request must contain: the record for the leader's
    /// own line, and its parent-death signal.
    ///
    /// # Errors
    ///
    /// The error of `spawn`. The line is free again.
    pub fn spawn(
        self,
        spawn: impl FnOnce(Option<&LeaderRecord<'_>>, Option<Signal>) -> Result<Spawned, SpawnError>,
    ) -> Result<SpawnedLeader, SpawnError> {
        let Self { engine, registration, pdeathsig } = self;
        let registry = engine.registry();
        let record = registry.leader_record(&registration);
        match spawn(record.as_ref(), pdeathsig) {
            Ok(Spawned { pid, pidfd }) => {
                let identity = Identity::of_child(pid);
                let owner_has_closed = !registry.set_leader(&registration, identity);
                if owner_has_closed {
                    stop(identity);
                }
                let leader = Leader::new(engine, identity, registration);
                Ok(SpawnedLeader { leader, pidfd, owner_has_closed })
            }
            Err(error) => {
                registry.release(registration, || {});
                Err(error)
            }
        }
    }
}
