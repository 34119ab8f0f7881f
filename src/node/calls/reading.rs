//! The calls that read the latest output of a job, also after its end.

#![allow(clippy::must_use_candidate, reason = "JavaScript calls these")]
#![allow(clippy::needless_pass_by_value, reason = "napi-derive hands arguments over by value")]

use std::sync::PoisonError;

use napi::bindgen_prelude::{Env, Result};
use napi_derive::napi;

use crate::job::io::output::SharedRing;
use crate::node::binding::Binding;
use crate::node::result::live::piece::{ObservedPiece, Piece};

#[napi]
impl Binding {
    /// Returns the latest output of a job from a cursor on; null for a job without a ring.
    ///
    /// # Errors
    ///
    /// When Node.js has no memory for the bytes.
    #[napi(catch_unwind)]
    pub fn read(&self, env: Env, id: u32, since: f64) -> Result<Option<Piece>> {
        self.state.ring(id).map(|ring| piece_of(env, &ring, since)).transpose()
    }

    /// Returns the memory that a job's ring takes (bytes); 0 for a job without a ring.
    #[napi(catch_unwind)]
    pub fn kept(&self, id: u32) -> u32 {
        let Some(ring) = self.state.ring(id) else { return 0 };
        let memory = ring.lock().unwrap_or_else(PoisonError::into_inner).memory();
        u32::try_from(memory).unwrap_or(u32::MAX)
    }

    /// Returns the output of an observed job from a cursor on, at most so many bytes; null for a job that is
    /// not observed, or was forgotten.
    ///
    /// # Errors
    ///
    /// When Node.js has no memory for the bytes.
    #[napi(catch_unwind)]
    pub fn read_observed(&self, env: Env, id: u32, since: f64, most: u32) -> Result<Option<ObservedPiece>> {
        let Some(observed) = self.state.observed(id) else { return Ok(None) };
        ObservedPiece::of(env, observed.read(cursor(since), most as usize)).map(Some)
    }

    /// Requests one event `observed`, when the next output of an observed job has been read.
    #[napi(catch_unwind)]
    pub fn watch_observed(&self, id: u32) {
        if let Some(observed) = self.state.observed(id) {
            observed.watch();
        }
    }

    /// Notes that the observer of a job that waits for it has taken the output up to a cursor; null if it
    /// takes no more.
    #[napi(catch_unwind)]
    pub fn take_observed(&self, id: u32, taken: Option<f64>) {
        if let Some(observed) = self.state.observed(id) {
            observed.take(taken.map(cursor));
        }
    }

    /// Drops the output of an observed job.
    #[napi(catch_unwind)]
    pub fn forget_observed(&self, id: u32) {
        self.take_observed(id, None);
        self.state.forget_observed(id);
    }

    /// Drops the ring of a job.
    #[napi(catch_unwind)]
    pub fn forget(&self, id: u32) {
        self.state.forget_ring(id);
    }
}

/// Returns the output of a ring from a cursor on.
pub(in crate::node) fn piece_of(env: Env, ring: &SharedRing, since: f64) -> Result<Piece> {
    let ring = ring.lock().unwrap_or_else(PoisonError::into_inner);
    let since = cursor(since);
    if ring.has_text() {
        return Ok(ring.read(since).into());
    }
    Piece::of_bytes(env, ring.read_bytes(since))
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the conversion saturates")]
const fn cursor(since: f64) -> u64 {
    since as u64
}
