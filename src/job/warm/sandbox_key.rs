//! The part of a warm shell's key about its sandbox.

use crate::sandbox::plan::SandboxPlan;

/// The sandbox that a warm shell waits in. A command runs there only if a sandbox that is built now would be
/// the same: for example, a path to protect may have appeared since.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SandboxKey(SandboxPlan);

impl SandboxKey {
    /// Returns the key of a plan, or `None` when no shell can wait in such a sandbox: while it waits, the
    /// directories that stand for missing paths would be in the workspace.
    ///
    /// The plan is taken apart completely, so that a new field asks whether a shell can wait with it.
    #[must_use]
    pub fn of(plan: &SandboxPlan) -> Option<Self> {
        let SandboxPlan {
            level: _,
            tier: _,
            needs_landlock: _,
            readable: _,
            places: _,
            protected: _,
            stubs,
            hidden: _,
            shown: _,
            network: _,
            allowed: _,
            journal: _,
            overlay,
        } = plan;
        let shows_nothing = stubs.iter().all(|stub| stub.content.is_some());
        // A shell that waits would keep the layer in use.
        (shows_nothing && overlay.is_none()).then(|| Self(plan.clone()))
    }
}
