//! The calls that read the latest output of a job, also after its end.

#![allow(clippy::must_use_candidate, reason = "JavaScript calls these")]
#![allow(clippy::needless_pass_by_value, reason = "napi-derive hands arguments over by value")]

use std::sync::PoisonError;

use napi::bindgen_prelude::{Env, Result};
use napi_derive::napi;

use crate::job::io::output::SharedRing;
use crate::node::host::Host;
use crate::node::result::piece::Piece;

#[napi]
impl Host {
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
