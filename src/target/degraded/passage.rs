//! An output of a transport, on its way to the job's pipe.

use std::collections::VecDeque;
use std::task::Context;

use super::sieve::Sieve;
use crate::process::pipe::{PipeReader, PipeWriter, Read, write_queue};

/// The size of one read (bytes). The next one waits until the job has taken it.
const CHUNK: usize = 64 * 1024;

/// Moves an output from the transport to the job, without the lines of the script.
#[derive(Debug)]
pub(super) struct Passage {
    pub(super) sieve: Sieve,
    /// `None` once the job's pipe is closed: then the rest is dropped.
    pipe: Option<PipeWriter>,
    pending: VecDeque<u8>,
    /// Whether nothing more comes.
    pub(super) has_ended: bool,
    /// Whether the job has no interest in what still comes.
    is_complete: bool,
}

impl Passage {
    pub(super) const fn new(sieve: Sieve, pipe: Option<PipeWriter>) -> Self {
        Self { sieve, pipe, pending: VecDeque::new(), has_ended: false, is_complete: false }
    }

    /// Returns whether the job has not taken everything yet.
    pub(super) fn is_blocked(&self) -> bool {
        !self.pending.is_empty()
    }

    /// Ends the job's output behind what has come. The rest is dropped.
    pub(super) fn complete(&mut self) {
        self.is_complete = true;
        self.write();
    }

    /// Closes the job's pipe, which the job does not use any more.
    pub(super) fn close(&mut self) {
        self.pipe = None;
        self.pending.clear();
    }

    /// Returns whether [`Self::relay`] has something to do.
    pub(super) fn poll_ready(&self, source: &PipeReader, context: &mut Context<'_>) -> bool {
        match &self.pipe {
            Some(pipe) if self.is_blocked() => pipe.poll_ready(context).is_ready(),
            _ => !self.has_ended && source.poll_ready(context).is_ready(),
        }
    }

    /// Moves what has come as far as the job takes it, and returns the lines of the script in it.
    pub(super) fn relay(&mut self, source: &mut PipeReader) -> Vec<String> {
        self.write();
        if self.is_blocked() || self.has_ended {
            return Vec::new();
        }
        let mut bytes = Vec::with_capacity(CHUNK);
        let lines = match source.read(&mut bytes) {
            Read::Bytes(_) => self.sieve.push(&bytes, &mut self.pending),
            Read::Empty => Vec::new(),
            Read::End | Read::Failed(_) => {
                self.sieve.end(&mut self.pending);
                self.has_ended = true;
                Vec::new()
            }
        };
        self.write();
        lines
    }

    fn write(&mut self) {
        write_queue(&mut self.pipe, &mut self.pending);
        if (self.has_ended || self.is_complete) && self.pending.is_empty() {
            self.pipe = None;
        }
    }
}
