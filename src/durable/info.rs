//! The facts of a durable job, for callers.

use crate::helper::durable::protocol::JobHello;
use crate::helper::durable::record::end::JobEnd;
use crate::helper::durable::record::facts::JobFacts;

/// A durable job, as its files and its supervisor describe it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DurableInfo {
    pub facts: JobFacts,
    /// The pid of the leader while it runs; else that of the supervisor, which another process may have.
    pub pid: u32,
    /// The end of the longest run (ms since 1970).
    pub ends_at: u64,
    /// The number of attached hosts.
    pub attached: u32,
    /// The cursor after all output.
    pub total: u64,
    /// The bytes of output that were not kept.
    pub dropped: u64,
    pub end: Option<JobEnd>,
    /// Whether the job is another machine's, so that nothing is known of its life.
    pub is_elsewhere: bool,
}

impl DurableInfo {
    /// Returns what the files alone say.
    #[must_use]
    pub fn of_files(facts: JobFacts, end: Option<JobEnd>) -> Self {
        Self {
            pid: facts.supervisor,
            ends_at: facts.started_at.saturating_add(facts.deadline),
            total: end.as_ref().map_or(0, |end| end.total),
            dropped: end.as_ref().map_or(0, |end| end.dropped),
            facts,
            attached: 0,
            end,
            is_elsewhere: false,
        }
    }

    /// Adds what the supervisor says.
    pub fn note(&mut self, hello: &JobHello) {
        let JobHello { pid, ends_at, attached, total, dropped, .. } = *hello;
        if pid != 0 {
            self.pid = pid;
        }
        (self.ends_at, self.attached, self.total, self.dropped) = (ends_at, attached, total, dropped);
    }

    /// Adds the end.
    pub fn note_end(&mut self, end: JobEnd) {
        (self.total, self.dropped) = (end.total, end.dropped);
        self.attached = 0;
        self.end = Some(end);
    }
}
