//! Encodes a plan and its command. The bytes begin with the version, so that a helper of another version
//! refuses them.

use crate::sandbox::plan::{OverlayMount, SandboxPlan, SandboxedCommand};
use crate::wire::{self, Malformed};

/// The largest plan (bytes). The kernel's own bound for arguments and environment is 6 MiB.
pub const MAX_PLAN: usize = 16 << 20;

/// The first bytes of a plan.
pub const MAGIC: &[u8] = concat!("agent-bash sandbox ", env!("CARGO_PKG_VERSION"), "\n").as_bytes();

/// Encodes the plan and the command, behind [`MAGIC`].
#[must_use]
pub fn encode(plan: &SandboxPlan, command: &SandboxedCommand) -> Vec<u8> {
    [MAGIC, &wire::encode(&(plan, command))].concat()
}

/// Decodes the bytes of [`encode`].
///
/// # Errors
///
/// [`Malformed`] for anything else, also for bytes that follow.
pub fn decode(bytes: &[u8]) -> Result<(SandboxPlan, SandboxedCommand), Malformed> {
    wire::decode(strip_magic(bytes)?)
}

/// Encodes the mount of an overlay, behind [`MAGIC`].
#[must_use]
pub fn encode_mount(mount: &OverlayMount) -> Vec<u8> {
    [MAGIC, &wire::encode(mount)].concat()
}

/// Decodes the bytes of [`encode_mount`].
///
/// # Errors
///
/// [`Malformed`] for anything else, also for bytes that follow.
pub fn decode_mount(bytes: &[u8]) -> Result<OverlayMount, Malformed> {
    wire::decode(strip_magic(bytes)?)
}

fn strip_magic(bytes: &[u8]) -> Result<&[u8], Malformed> {
    if bytes.len() > MAX_PLAN { Err(Malformed) } else { bytes.strip_prefix(MAGIC).ok_or(Malformed) }
}

#[cfg(test)]
mod tests;
