//! Encodes a plan and its command. The bytes begin with the version, so that a helper of another version
//! refuses them.

use crate::sandbox::plan::{OverlayMount, SandboxPlan, SandboxedCommand};
use crate::sandbox::wire::{Malformed, Wire};

/// The largest plan (bytes). The kernel's own bound for arguments and environment is 6 MiB.
pub const MAX_PLAN: usize = 16 << 20;

/// The first bytes of a plan.
pub const MAGIC: &[u8] = concat!("agent-bash sandbox ", env!("CARGO_PKG_VERSION"), "\n").as_bytes();

/// Encodes the plan and the command.
#[must_use]
pub fn encode(plan: &SandboxPlan, command: &SandboxedCommand) -> Vec<u8> {
    let mut bytes = MAGIC.to_vec();
    plan.put(&mut bytes);
    command.put(&mut bytes);
    bytes
}

/// Decodes the bytes of [`encode`].
///
/// # Errors
///
/// [`Malformed`] for anything else, also for bytes that follow.
pub fn decode(bytes: &[u8]) -> Result<(SandboxPlan, SandboxedCommand), Malformed> {
    if bytes.len() > MAX_PLAN {
        return Err(Malformed);
    }
    let mut bytes = bytes.strip_prefix(MAGIC).ok_or(Malformed)?;
    let plan = SandboxPlan::take(&mut bytes)?;
    let command = SandboxedCommand::take(&mut bytes)?;
    if bytes.is_empty() { Ok((plan, command)) } else { Err(Malformed) }
}

/// Encodes the mount of an overlay.
#[must_use]
pub fn encode_mount(mount: &OverlayMount) -> Vec<u8> {
    let mut bytes = MAGIC.to_vec();
    mount.put(&mut bytes);
    bytes
}

/// Decodes the bytes of [`encode_mount`].
///
/// # Errors
///
/// [`Malformed`] for anything else, also for bytes that follow.
pub fn decode_mount(bytes: &[u8]) -> Result<OverlayMount, Malformed> {
    let mut bytes = bytes.strip_prefix(MAGIC).ok_or(Malformed)?;
    let mount = OverlayMount::take(&mut bytes)?;
    if bytes.is_empty() { Ok(mount) } else { Err(Malformed) }
}

#[cfg(test)]
mod tests;
