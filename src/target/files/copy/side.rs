//! The two sides of a copy: this machine, which answers at once, and the target.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{oneshot, watch};
use tokio::time::timeout;

use super::CopyPlan;
use crate::process::files::perform;
use crate::process::files::request::{Request, Response, RootedPath};
use crate::target::error::TargetError;
use crate::target::files::channel::Channel;
use crate::target::files::{Files, FilesError, Reply};

/// The time that the removal of a partial copy may take on the target, behind up to 4 MiB of pieces that are
/// in the stream already. A connection that is silent for this long is lost.
const REMOVAL_DEADLINE: Duration = Duration::from_secs(10);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    Source,
    Destination,
}

/// An answer that may not have come.
pub(super) enum Pending {
    Here(Box<Reply>),
    There(oneshot::Receiver<Reply>),
}

impl Pending {
    /// Returns an answer that says nothing.
    pub(super) fn nothing() -> Self {
        Self::Here(Box::new(Ok(Response::Done)))
    }
}

/// Both sides.
pub(super) struct Sides {
    files: Arc<Files>,
    plan: CopyPlan,
    channel: Channel,
    cancelled: watch::Receiver<bool>,
}

impl Sides {
    pub(super) fn new(files: Arc<Files>, plan: CopyPlan, cancelled: watch::Receiver<bool>) -> Self {
        let channel = files.open();
        Self { files, plan, channel, cancelled }
    }

    /// Makes another channel, on another connection.
    pub(super) fn reconnect(&mut self) {
        self.channel = self.files.open();
    }

    pub(super) fn is_cancelled(&self) -> bool {
        *self.cancelled.borrow()
    }

    /// Waits for an answer, or until the copy is cancelled.
    pub(super) fn wait(&self, pending: Pending) -> Result<Response, FilesError> {
        let reply = match pending {
            Pending::Here(reply) => return Ok((*reply)?),
            Pending::There(reply) => reply,
        };
        let mut cancelled = self.cancelled.clone();
        self.files.engine.runtime().block_on(async {
            tokio::select! {
                biased;
                reply = reply => Ok(reply.unwrap_or_else(|_| Err(TargetError::closed()))?),
                Ok(_) = cancelled.wait_for(|&is_cancelled| is_cancelled) => Err(FilesError::Aborted),
            }
        })
    }

    pub(super) const fn is_there(&self, side: Side) -> bool {
        matches!(side, Side::Destination) == self.plan.is_to_target
    }

    /// Returns the place of these names below the top.
    pub(super) fn place(&self, side: Side, names: &[Vec<u8>]) -> RootedPath {
        let top = if self.is_there(side) { &self.plan.there } else { &self.plan.here };
        RootedPath { below: names.to_vec(), ..top.clone() }
    }

    pub(super) fn send(&self, side: Side, request: Request) -> Pending {
        if self.is_there(side) {
            match self.channel.send(Box::new(request)) {
                Ok(reply) => Pending::There(reply),
                Err(_) => Pending::Here(Box::new(Err(ended()))),
            }
        } else {
            Pending::Here(Box::new(Ok(perform(&request))))
        }
    }

    /// Removes a partial copy. Returns its path if that fails.
    pub(super) fn drop_partial(&self, place: RootedPath, tag: u64) -> Option<Vec<u8>> {
        let path = partial_path(&place, tag);
        let request = Request::DropPartial { place, tag };
        let answer = if self.is_there(Side::Destination) {
            // Behind the pieces that were sent before.
            let asked = self.channel.send(Box::new(request)).ok();
            let answer = async { timeout(REMOVAL_DEADLINE, asked?).await.ok()?.ok()?.ok() };
            self.files.engine.runtime().block_on(answer)
        } else {
            Some(perform(&request))
        };
        (answer != Some(Response::Done)).then_some(path)
    }
}

/// Returns the error of a channel whose process has ended, which another one may follow.
fn ended() -> TargetError {
    TargetError::new("TARGET_LOST", "The process for files on the target has ended.")
}

/// Returns a place as one path.
pub(super) fn path_of(place: &RootedPath) -> Vec<u8> {
    let mut path = place.path.clone();
    for name in &place.below {
        if path.last() != Some(&b'/') {
            path.push(b'/');
        }
        path.extend_from_slice(name);
    }
    path
}

/// Returns the path of a partial copy, beside the file that it becomes.
pub(super) fn partial_path(place: &RootedPath, tag: u64) -> Vec<u8> {
    let path = path_of(place);
    let end = path.iter().rposition(|&byte| byte == b'/').map_or(0, |slash| slash + 1);
    [&path[..end], &crate::process::files::partial_name(tag)].concat()
}
