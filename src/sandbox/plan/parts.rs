//! The parts of a sandbox, and those that a mechanism provides.

use super::{Level, Tier};

/// A part of a sandbox: an effect that it restricts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Part {
    /// Writing outside of the writable paths.
    Write,
    /// Changing modes, owners, times and attributes there.
    Metadata,
    /// Protected paths.
    Protected,
    /// Hidden paths.
    Hidden,
    /// The process table.
    Processes,
    Network,
    /// The private `/tmp`.
    Tmp,
    /// The private home.
    Home,
    /// The overlay over the workspace, if there is one.
    Overlay,
}

impl Part {
    /// Every part.
    pub const ALL: [Self; 9] = [
        Self::Write,
        Self::Metadata,
        Self::Protected,
        Self::Hidden,
        Self::Processes,
        Self::Network,
        Self::Tmp,
        Self::Home,
        Self::Overlay,
    ];

    /// Returns the name that JavaScript gets.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Write => "write",
            Self::Metadata => "metadata",
            Self::Protected => "protected",
            Self::Hidden => "hidden",
            Self::Processes => "processes",
            Self::Network => "network",
            Self::Tmp => "tmp",
            Self::Home => "home",
            Self::Overlay => "overlay",
        }
    }
}

#[must_use]
pub const fn of(level: Level) -> &'static [Part] {
    use Part::{Hidden, Home, Metadata, Network, Processes, Protected, Tmp, Write};
    match level {
        Level::ReadOnly => &[Write, Metadata, Hidden, Processes, Network, Tmp],
        Level::WorkspaceWrite | Level::Isolated => {
            &[Write, Metadata, Protected, Hidden, Processes, Network, Tmp, Home]
        }
    }
}

/// The version of Landlock from which on it refuses signals and abstract sockets.
pub const LANDLOCK_SCOPES: u32 = 6;

/// Returns whether a sandbox that lacks these parts needs `onUnavailable: 'weaker'`. With mounts, a read-only
/// home protects as much as a private one. Without a process table of its own, a command sees processes that
/// start after it, and where Landlock refuses signals, it can do nothing to them: the usual container has no
/// more to give, and the alternative there is no sandbox at all.
#[must_use]
pub fn is_weaker(missing: &[Part], tier: Tier, landlock: u32) -> bool {
    let is_accepted = |part| match part {
        Part::Home => tier != Tier::Landlock,
        Part::Processes => tier == Tier::SharedProcesses && landlock >= LANDLOCK_SCOPES,
        _ => false,
    };
    !missing.iter().all(|&part| is_accepted(part))
}

/// Returns the parts of a level that a mechanism does not provide. `landlock` is the kernel's version of
/// Landlock; at 0, named pipes of the host can be written.
///
/// At the level `read-only`, Landlock alone is enough: a command that can't write needs no private `/tmp`,
/// and can't signal or read other processes.
#[must_use]
pub fn missing(level: Level, tier: Tier, landlock: u32, hides: bool) -> Vec<Part> {
    use Part::{Hidden, Home, Metadata, Processes, Protected, Tmp, Write};
    let mut missing = match (tier, level) {
        (Tier::Namespaces, _) if landlock == 0 => vec![Write],
        (Tier::Landlock, Level::ReadOnly) if landlock < LANDLOCK_SCOPES => vec![Processes],
        (Tier::Namespaces, _) | (Tier::Landlock, Level::ReadOnly) => Vec::new(),
        (Tier::SharedProcesses, _) => vec![Processes],
        (Tier::Landlock, _) => vec![Metadata, Protected, Processes, Tmp, Home],
    };
    if tier == Tier::Landlock && (hides || level == Level::Isolated) {
        missing.push(Hidden);
    }
    missing
}
