//! Confines a process that serves descriptors.

use rustix::process::{DumpableBehavior, Resource, Rlimit, getrlimit, set_dumpable_behavior, setrlimit};
use rustix::thread::set_no_new_privs;

use super::super::failure::FailureContext;
use super::capabilities::{KeptCapabilities, drop_all_but};
use super::{landlock, seccomp};
use crate::sandbox::protocol::report::{SandboxFailure, SandboxStep};

/// The most memory of the process (bytes), far above what it needs. Commands decide how many connections and
/// streams it serves: without a bound of its own, the kernel would choose what to kill.
const MAX_MEMORY: u64 = 1 << 30;

/// Takes from this process, which has one thread, all but its descriptors: no program, file, socket or other
/// process, and no other process may read its memory.
///
/// # Errors
///
/// The step that failed. The process must end then.
pub fn confine_service() -> Result<(), SandboxFailure> {
    set_dumpable_behavior(DumpableBehavior::NotDumpable).at(SandboxStep::Limits)?;
    // A core would have the secrets.
    setrlimit(Resource::Core, Rlimit { current: Some(0), maximum: Some(0) }).at(SandboxStep::Limits)?;
    // A bound of the host may be lower.
    let memory = getrlimit(Resource::Data).maximum.map_or(MAX_MEMORY, |maximum| maximum.min(MAX_MEMORY));
    let memory = Rlimit { current: Some(memory), maximum: Some(memory) };
    setrlimit(Resource::Data, memory).at(SandboxStep::Limits)?;
    let descriptors = getrlimit(Resource::Nofile);
    // With fewer, it serves fewer connections.
    let _ = setrlimit(Resource::Nofile, Rlimit { current: descriptors.maximum, ..descriptors });
    set_no_new_privs(true).at(SandboxStep::Capabilities)?;
    drop_all_but(KeptCapabilities::None)?;
    landlock::take_all_paths()?;
    seccomp::install_for_service()
}
