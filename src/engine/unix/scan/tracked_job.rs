//! A job's registration with the scanner, from before its leader is spawned until its end.

use std::sync::Arc;

use super::index::{IndexedJob, SandboxRoots};
use super::scanner::Scanner;
use crate::process::identity::Identity;
use crate::process::registry::Owner;
use crate::process::tag::Tag;

/// A job whose leader is about to be spawned. Dropping it cancels the announcement.
#[derive(Debug)]
pub struct ExpectedJob {
    scanner: Arc<Scanner>,
    launch: u64,
    sandbox: Option<SandboxRoots>,
    is_begun: bool,
}

impl ExpectedJob {
    /// Announces a leader that is about to be spawned: from now on, the scanner inspects every process that
    /// is born.
    #[must_use]
    pub fn announce(scanner: &Arc<Scanner>) -> Self {
        Self { launch: scanner.announce(), scanner: Arc::clone(scanner), sandbox: None, is_begun: false }
    }

    /// Adds the roots of the job's sandbox, if it has one.
    #[must_use]
    pub fn in_sandbox(mut self, sandbox: Option<SandboxRoots>) -> Self {
        self.sandbox = sandbox;
        self
    }

    /// Tracks the job of this leader, which has been spawned. Without an owner, escaped members are not
    /// entered into the registry, so the guardian does not kill them.
    #[must_use]
    pub fn begin(mut self, leader: Identity, tag: Option<Tag>, owner: Option<Owner>) -> TrackedJob {
        self.scanner.check_cursor(leader.pid);
        let job = IndexedJob::new(leader, tag, owner).with_sandbox(self.sandbox);
        self.scanner.begin(self.launch, job);
        self.is_begun = true;
        TrackedJob { scanner: Arc::clone(&self.scanner), leader }
    }
}

impl Drop for ExpectedJob {
    fn drop(&mut self) {
        if !self.is_begun {
            self.scanner.cancel(self.launch);
        }
    }
}

/// A tracked job. Dropping it ends the tracking.
#[derive(Debug)]
pub struct TrackedJob {
    scanner: Arc<Scanner>,
    leader: Identity,
}

impl TrackedJob {
    /// Returns the scanner that tracks the job.
    #[must_use]
    pub const fn scanner(&self) -> &Arc<Scanner> {
        &self.scanner
    }

    /// Returns the living members whose parent is the host, which must reap them.
    #[must_use]
    pub fn children_of_host(&self) -> Vec<Identity> {
        self.scanner.children_of_host(self.leader)
    }
}

impl Drop for TrackedJob {
    fn drop(&mut self) {
        self.scanner.end(self.leader);
    }
}
