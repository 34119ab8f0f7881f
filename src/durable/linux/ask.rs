//! Asks the supervisors of many jobs about them, at the same time: on a busy machine each answer takes long,
//! and one supervisor that does not answer must not cost the others their time.

use std::time::Instant;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;

use super::socket::{ConnectionPurpose, SupervisorRefusal, SupervisorSocket};
use crate::durable::info::DurableInfo;
use crate::helper::durable::directory::JobDirectory;
use crate::helper::durable::protocol::JobHello;
use crate::process::clock::timespec;

/// The most connections at a time, each of which takes a descriptor.
const MAX_CONNECTIONS: usize = 64;

/// A job whose supervisor is asked.
pub(in crate::durable) struct AskedJob<'a> {
    pub(in crate::durable) directory: JobDirectory,
    pub(in crate::durable) info: &'a mut DurableInfo,
}

impl AskedJob<'_> {
    /// Notes an answer. A supervisor that does not answer leaves what the files say.
    fn note(&mut self, answer: Result<JobHello, SupervisorRefusal>) {
        match answer {
            Ok(hello) => self.info.note(&hello),
            Err(SupervisorRefusal::Gone) => {
                if let Some(end) = self.directory.end() {
                    self.info.note_end(end);
                }
            }
            Err(_) => {}
        }
    }
}

/// Asks the supervisors of all `jobs`, and notes the answers that arrive until the deadline.
pub(in crate::durable) fn ask_all<'a>(jobs: impl IntoIterator<Item = AskedJob<'a>>, until: Instant) {
    let mut jobs = jobs.into_iter();
    let mut asked: Vec<(AskedJob<'a>, SupervisorSocket)> = Vec::new();
    loop {
        while asked.len() < MAX_CONNECTIONS
            && let Some(mut job) = jobs.next()
        {
            match SupervisorSocket::greet(&job.directory, ConnectionPurpose::Ask, until) {
                Ok(socket) => asked.push((job, socket)),
                Err(refusal) => job.note(Err(refusal)),
            }
        }
        let Some(are_ready) = wait(&asked, until) else { return };
        let mut are_ready = are_ready.into_iter();
        asked.retain_mut(|(job, socket)| {
            if are_ready.next() != Some(true) {
                return true;
            }
            // A part of an answer is no answer yet.
            let answer = socket.hello(Instant::now());
            let is_incomplete = answer.as_ref().err() == Some(&SupervisorRefusal::Silent);
            if !is_incomplete {
                job.note(answer);
            }
            is_incomplete
        });
    }
}

/// Waits until a supervisor has said something, and returns for each whether it has. `None` if there is no
/// supervisor to wait for, or the deadline has passed.
fn wait(asked: &[(AskedJob<'_>, SupervisorSocket)], until: Instant) -> Option<Vec<bool>> {
    let mut events: Vec<_> =
        asked.iter().map(|(_, socket)| PollFd::new(&socket.socket, PollFlags::IN)).collect();
    if events.is_empty() {
        return None;
    }
    loop {
        let left = until.saturating_duration_since(Instant::now());
        match poll(&mut events, Some(&timespec(left))) {
            Err(Errno::INTR) => {}
            Ok(0) | Err(_) => return None,
            Ok(_) => return Some(events.iter().map(|event| !event.revents().is_empty()).collect()),
        }
    }
}
