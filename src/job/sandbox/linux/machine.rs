//! Probes this machine's support of sandboxes, once for each process.

use std::path::Path;
use std::sync::{Once, OnceLock};

use super::private::can_mount;
use crate::process::helper_program;
use crate::sandbox::availability::{Availability, Findings};
use crate::sandbox::plan::Tier;
use crate::sandbox::plan::visibility::hides_anything;
use crate::sandbox::probe::{Probe, probe};
use crate::sandbox::{stubs, texts};

/// Returns the result of the probe. Probes once, because each mechanism takes some milliseconds.
pub(super) fn probe_once() -> &'static Probe {
    static PROBE: OnceLock<Probe> = OnceLock::new();
    PROBE.get_or_init(|| probe(helper_program::path()))
}

/// Removes the stubs that a crash has left, before the first sandbox.
pub(super) fn clean_once() {
    static CLEAN: Once = Once::new();
    CLEAN.call_once(|| stubs::clean(&stubs::directory()));
}

/// Returns this machine's support of each level. `is_inside` says whether the host itself runs in a sandbox
/// of this package. Keeps the first result, and leaves nothing on disk.
#[must_use]
pub fn sandbox_levels(home: Option<&Path>, is_inside: bool) -> Vec<Availability> {
    static LEVELS: OnceLock<Vec<Availability>> = OnceLock::new();
    let find = || {
        let Probe { tier, landlock, reasons } = probe_once();
        let has_mounts = tier.is_some_and(|tier| tier != Tier::Landlock);
        let home = home.filter(|home| home.is_dir());
        let hides = hides_anything(home);
        let found = |tier, reasons, has_private_home| {
            Findings { tier, landlock: *landlock, reasons, is_inside, has_private_home, hides }.levels()
        };
        match can_mount(home.filter(|_| has_mounts)) {
            Err(error) => found(None, &[texts::no_directory(&error)], false),
            Ok(can_mount) => found(*tier, reasons, home.is_none() || can_mount),
        }
    };
    LEVELS.get_or_init(find).clone()
}
