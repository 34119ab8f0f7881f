//! Capabilities of the command and of the sandbox init.

use rustix::io::Errno;
use rustix::process::geteuid;
use rustix::thread::{
    CapabilitiesSecureBits, CapabilitySet, CapabilitySets, set_capabilities, set_capabilities_secure_bits,
};

use super::super::failure::{FailureContext, check};
use super::super::namespaces::Ids;
use crate::sandbox::protocol::report::{SandboxFailure, SandboxStep};

/// The capabilities that root needs to work on files of other users, and to become another user.
///
/// Without `FSETID`, a set-uid file of the workspace loses that bit when it is written.
const OF_ROOT: CapabilitySet = CapabilitySet::CHOWN
    .union(CapabilitySet::DAC_OVERRIDE)
    .union(CapabilitySet::FOWNER)
    .union(CapabilitySet::KILL)
    .union(CapabilitySet::SETGID)
    .union(CapabilitySet::SETUID);

/// The capability that root needs to read files and enter directories of other users.
const OF_READING_ROOT: CapabilitySet = CapabilitySet::DAC_OVERRIDE;

/// The bit that forbids ambient capabilities, and its lock.
const NO_AMBIENT: CapabilitiesSecureBits =
    CapabilitiesSecureBits::NO_CAP_AMBIENT_RAISE.union(CapabilitiesSecureBits::NO_CAP_AMBIENT_RAISE_LOCKED);

const ALL_BITS: CapabilitiesSecureBits = NO_AMBIENT
    .union(CapabilitiesSecureBits::NO_ROOT)
    .union(CapabilitiesSecureBits::NO_ROOT_LOCKED)
    .union(CapabilitiesSecureBits::NO_SETUID_FIXUP)
    .union(CapabilitiesSecureBits::NO_SETUID_FIXUP_LOCKED)
    .union(CapabilitiesSecureBits::KEEP_CAPS_LOCKED);

/// The capabilities that a command keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) enum KeptCapabilities {
    None,
    /// The capabilities of root over files and users.
    Root,
    /// The capabilities of a root that only reads.
    ReadingRoot,
}

/// Returns the capabilities that a command in new namespaces keeps.
pub(in super::super) fn kept_in_namespaces(ids: Ids) -> KeptCapabilities {
    if ids == Ids::All && geteuid().is_root() { KeptCapabilities::Root } else { KeptCapabilities::None }
}

/// Drops all capabilities but the kept ones, for this process and everything that it executes.
pub(in super::super) fn drop_all_but(kept: KeptCapabilities) -> Result<(), SandboxFailure> {
    let own = rustix::thread::capabilities(None).at(SandboxStep::Capabilities)?;
    let set = own.permitted
        & match kept {
            KeptCapabilities::None => CapabilitySet::empty(),
            KeptCapabilities::Root => OF_ROOT,
            KeptCapabilities::ReadingRoot => OF_READING_ROOT,
        };
    // An ordinary user without namespaces may not change the bounding set. With `no_new_privs`, nothing that
    // it executes gets a capability.
    if own.effective.contains(CapabilitySet::SETPCAP) {
        drop_from_bounding_set(set).at(SandboxStep::Capabilities)?;
        let bits = if kept == KeptCapabilities::None { ALL_BITS } else { NO_AMBIENT };
        set_capabilities_secure_bits(bits).at(SandboxStep::Capabilities)?;
    }
    let sets = CapabilitySets { effective: set, permitted: set, inheritable: CapabilitySet::empty() };
    set_capabilities(None, sets).at(SandboxStep::Capabilities)
}

/// Keeps the capability by which the sandbox init reads addresses and takes sockets from the command's
/// processes.
pub(in super::super) fn keep_tracing() -> Result<(), SandboxFailure> {
    let set = CapabilitySet::SYS_PTRACE;
    let sets = CapabilitySets { effective: set, permitted: set, inheritable: CapabilitySet::empty() };
    set_capabilities(None, sets).at(SandboxStep::Capabilities)
}

fn drop_from_bounding_set(kept: CapabilitySet) -> rustix::io::Result<()> {
    for number in 0..64 {
        if kept.bits() & (1 << number) != 0 {
            continue;
        }
        // SAFETY: the call has no pointers and touches this process's credentials only.
        match check(unsafe { libc::prctl(libc::PR_CAPBSET_DROP, number, 0, 0, 0) }) {
            Ok(_) => {}
            // The kernel has no capability of this number.
            Err(error) if error.raw_os_error() == Some(libc::EINVAL) => return Ok(()),
            Err(error) => return Err(Errno::from_io_error(&error).unwrap_or(Errno::PERM)),
        }
    }
    Ok(())
}
