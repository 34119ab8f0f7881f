//! The calls of JavaScript on a [`Binding`](super::binding::Binding), by subject.

pub mod control;
pub mod directories;
pub mod inspection;
#[cfg_attr(any(darwin, windows), path = "overlay/absent.rs")]
pub mod overlay;
pub mod pipe_status;
pub mod reading;
#[cfg_attr(any(darwin, windows), path = "secrets/none.rs")]
pub mod secrets;
pub mod session;
pub mod start;
#[cfg_attr(windows, path = "target/absent.rs")]
pub mod target;
pub mod terminal;

use std::sync::atomic::{AtomicU32, Ordering};

/// Returns a number that no other handle of a target or an overlay has in this process.
fn next_handle_id() -> u32 {
    static LAST: AtomicU32 = AtomicU32::new(0);
    LAST.fetch_add(1, Ordering::Relaxed) + 1
}
