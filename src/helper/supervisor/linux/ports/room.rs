//! The limit of descriptors: that of the supervisor is raised for connections, that of its commands is not.

use std::sync::OnceLock;

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use crate::helper::supervisor::protocol::ports::MAX_CONNECTIONS;

/// The descriptors that are left to commands, each of which needs up to ten.
const KEPT: u64 = 256;

/// The limit before it was raised.
static BEFORE: OnceLock<Rlimit> = OnceLock::new();

/// Raises the limit to its maximum, and returns how many connections it allows.
pub(super) fn make_room() -> usize {
    let before = *BEFORE.get_or_init(|| getrlimit(Resource::Nofile));
    let raised = Rlimit { current: before.maximum, ..before };
    let is_raised = setrlimit(Resource::Nofile, raised).is_ok();
    let limit = if is_raised { before.maximum } else { before.current };
    let left = limit.unwrap_or(u64::MAX).saturating_sub(KEPT);
    usize::try_from(left).unwrap_or(usize::MAX).clamp(1, MAX_CONNECTIONS)
}

/// Restores the limit, in a fork for a command.
pub(in crate::helper::supervisor) fn restore() {
    if let Some(before) = BEFORE.get() {
        let _ = setrlimit(Resource::Nofile, *before);
    }
}
