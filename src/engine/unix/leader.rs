//! The leader of a session and process group: a process that the engine spawned, and that it reaps. It is the
//! first process of a job, or the transport of a target.

use std::time::{Duration, Instant};

use crate::process::signal::Signal;

use crate::engine::Engine;
use crate::process::identity::Identity;
use crate::process::registry::Registration;
use crate::process::signal::block_all_signals;
use crate::process::thread::named;
use crate::process::tree::kill_tree;
use crate::process::unreaped;
use crate::process::wait::{self, Exit, Usage, await_exit, reap};

/// The longest time that a dropped leader may take to stop, on an overloaded machine.
const STOP_DEADLINE: Duration = Duration::from_secs(10);

/// An unreaped child of this process that leads a session, registered in the table of live jobs.
///
/// The kernel can't reuse its pid and its group before [`Leader::finish`]. A leader that is dropped before
/// that is killed with all its descendants, and reaped by a separate thread. If no thread can be started, at
/// least its group is killed.
#[derive(Debug)]
pub struct Leader {
    engine: &'static Engine,
    identity: Identity,
    registration: Option<Registration>,
}

impl Leader {
    /// Takes over a child that has just been spawned.
    #[must_use]
    pub const fn new(engine: &'static Engine, identity: Identity, registration: Registration) -> Self {
        Self { engine, identity, registration: Some(registration) }
    }

    /// Returns the process.
    #[must_use]
    pub const fn identity(&self) -> Identity {
        self.identity
    }

    /// Returns how the process ended, or `None` while it runs.
    #[must_use]
    pub fn exit(&self) -> Option<Exit> {
        wait::peek(self.identity.pid)
    }

    /// Returns the resource usage of the process and of the children that it has waited for, once it has
    /// exited.
    #[must_use]
    pub fn usage(&self) -> Option<Usage> {
        wait::usage(self.identity.pid)
    }

    /// Signals the process group, which may be empty.
    pub fn signal_group(&self, signal: Signal) {
        unreaped::signal_group(self.identity.pid, signal);
    }

    /// Reaps a leader that has exited, and returns how it ended. A leader that runs is killed as if it was
    /// dropped.
    #[allow(clippy::must_use_candidate, reason = "the end may be known already")]
    pub fn finish(mut self) -> Exit {
        if self.exit().is_some()
            && let Some(registration) = self.registration.take()
        {
            let exit = self.engine.registry().release(registration, || reap(self.identity.pid));
            return exit.unwrap_or(Exit::Unknown);
        }
        Exit::Unknown
    }
}

impl Drop for Leader {
    fn drop(&mut self) {
        let Some(registration) = self.registration.take() else { return };
        let (engine, identity) = (self.engine, self.identity);
        // If the host ends meanwhile, the guardian goes on: a leader is stopped before it is killed.
        let _ = engine.registry().guard(&registration);
        // A process in an uninterruptible sleep dies late, and the I/O thread must not wait for it.
        let end = move || {
            block_all_signals();
            kill_tree(identity, Instant::now() + STOP_DEADLINE);
            await_exit(identity.pid);
            engine.registry().release(registration, || reap(identity.pid));
        };
        let thread = named("agent-bash-end").spawn(end);
        if thread.is_err() {
            self.signal_group(Signal::KILL);
        }
    }
}
