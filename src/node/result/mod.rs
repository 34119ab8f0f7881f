//! The objects that JavaScript gets, made of the engine's types.
//!
//! * [`event`] is an event of a job; [`run_result`] is the result of a command.
//! * [`live`] describes a job that runs, [`view`] an output for a model.
//! * [`durable`] describes a job that outlives its host.
//! * [`limits`] tells what became of the limits of a command.
//! * [`session`] and [`guardian`] are states. `overlay` has what an overlay answers.

pub mod durable;
pub mod event;
#[cfg_attr(windows, path = "files/absent.rs")]
pub mod files;
pub mod guardian;
pub mod limits;
pub mod live;
#[cfg(not(any(darwin, windows)))]
pub mod overlay;
pub mod run_result;
pub mod sandbox;
pub mod session;
pub mod target;
pub mod view;

use std::time::Duration;

/// Returns a time in milliseconds.
fn milliseconds(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1000.0
}

/// Converts a number of bytes for JavaScript: exact up to 2^53, more than any stream has.
#[allow(clippy::cast_precision_loss, reason = "see above")]
pub(super) fn javascript_number(bytes: u64) -> f64 {
    bytes as f64
}
