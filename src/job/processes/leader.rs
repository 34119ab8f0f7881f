//! The process that leads a job: ours to reap, and never left alone.

use std::time::{Duration, Instant};

use rustix::process::{Signal, kill_process_group};

use crate::engine::Engine;
use crate::job::model::outcome::Usage;
use crate::process::identity::Identity;
use crate::process::memory::command_peak;
use crate::process::registry::Registration;
use crate::process::signal::block_all_signals;
use crate::process::thread::named;
use crate::process::tree::kill_tree;
use crate::process::wait::{self, Exit, await_exit, reap};

/// How long a leader that was given up may take to stop, where many want the processor.
const PATIENCE: Duration = Duration::from_secs(10);

/// An unreaped child, with its place in the table of live jobs.
///
/// Its number, and that of its group, stay its own until [`Leader::finish`]. A leader that is dropped before that, on
/// whatever way, is killed with all that is below it, and reaped by a thread of its own. If no thread can be had, at
/// least its group is killed.
#[derive(Debug)]
pub struct Leader {
    engine: &'static Engine,
    identity: Identity,
    registration: Option<Registration>,
}

impl Leader {
    /// A child that has just been spawned.
    pub(in crate::job) const fn new(
        engine: &'static Engine,
        identity: Identity,
        registration: Registration,
    ) -> Self {
        Self { engine, identity, registration: Some(registration) }
    }

    /// Who it is.
    #[must_use]
    pub const fn identity(&self) -> Identity {
        self.identity
    }

    /// How it ended, or `None` while it runs.
    #[must_use]
    pub fn exit(&self) -> Option<Exit> {
        wait::peek(self.identity.pid)
    }

    /// What it and those that it has waited for have used, once it has exited.
    #[must_use]
    pub fn usage(&self) -> Option<Usage> {
        let wait::Usage { user, system, max_rss } = wait::usage(self.identity.pid)?;
        Some(Usage { user, system, peak_memory: command_peak(max_rss) })
    }

    /// Signals its group. There may be nobody left in it.
    pub fn signal_group(&self, signal: Signal) {
        let _ = kill_process_group(self.identity.pid, signal);
    }

    /// What was started without a guardian, and for no owner's end, is a job from now on. False when its owner has gone.
    #[must_use]
    pub fn guard(&self) -> bool {
        self.registration.as_ref().is_some_and(|registration| self.engine.registry().guard(registration))
    }

    /// Lets go of a leader that has exited, and says how it ended. One that has not is disposed of.
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
        // A process in an uninterruptible sleep takes its time to die, and nobody else may wait for it.
        let end = move || {
            block_all_signals();
            kill_tree(identity, Instant::now() + PATIENCE);
            await_exit(identity.pid);
            engine.registry().release(registration, || reap(identity.pid));
        };
        let thread = named("agent-bash-end").spawn(end);
        if thread.is_err() {
            self.signal_group(Signal::KILL);
        }
    }
}
