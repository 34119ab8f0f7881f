//! No sockets: they are not looked for.

use super::Listener;
use crate::process::identity::Pid;

/// Returns nothing.
#[must_use]
pub const fn listening(_: &[Pid]) -> Option<Vec<Listener>> {
    None
}

/// Returns nothing.
#[must_use]
pub const fn listening_elsewhere(_: Pid) -> Vec<Listener> {
    Vec::new()
}

/// Returns nothing.
#[must_use]
pub const fn sockets_of(_: Pid) -> Vec<u64> {
    Vec::new()
}
