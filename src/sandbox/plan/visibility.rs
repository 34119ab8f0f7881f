//! The paths that a command sees, and those that are hidden from it.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::defaults::{HIDDEN, HIDDEN_IN_HOME, PUBLIC_OF_GNUPG, PUBLIC_OF_SSH, SYSTEM};
use super::error::{PlanError, wrong};
use super::machine::Machine;
use super::paths::{BasePaths, existing, exists, expand, granted, list, real};
use super::sockets::SocketKind;
use super::{Level, Tier};
use crate::sandbox::options::{SandboxOptions, Tmp};
use crate::sandbox::private;

/// The largest number of public files that are shown.
const MAX_PUBLIC: usize = 256;

/// Returns the paths that an isolated command sees; `None` at the other levels, which see everything.
pub(super) fn readable(
    options: &SandboxOptions,
    base: BasePaths<'_>,
    writable: &[PathBuf],
) -> Result<Option<Vec<PathBuf>>, PlanError> {
    if options.level != Level::Isolated {
        return Ok(None);
    }
    let mut paths: Vec<PathBuf> = SYSTEM.map(PathBuf::from).into();
    for path in list("sandbox.visible", &options.visible, base)?.added {
        paths.push(existing("sandbox.visible", path, writable.iter().map(PathBuf::as_path))?);
    }
    for path in &options.granted.visible {
        paths.push(granted("sandbox.visible", path)?);
    }
    Ok(Some(paths))
}

/// Returns whether the default lists hide anything on this machine.
#[must_use]
pub fn hides_anything(home: Option<&Path>) -> bool {
    default_hidden(home).any(|path| exists(&path))
}

fn default_hidden(home: Option<&Path>) -> impl Iterator<Item = PathBuf> {
    let in_home = home.into_iter().flat_map(|home| HIDDEN_IN_HOME.iter().map(|path| home.join(path)));
    in_home.chain(HIDDEN.map(PathBuf::from))
}

/// The paths that a command can't see, although their directories are visible.
pub(super) struct Hidden {
    pub(super) paths: Vec<PathBuf>,
    /// Public files in hidden directories.
    pub(super) shown: Vec<PathBuf>,
}

/// Finds the hidden paths.
pub(super) fn hidden(
    options: &SandboxOptions,
    machine: &Machine<'_>,
    base: BasePaths<'_>,
    shown: &[&Path],
) -> Result<Hidden, PlanError> {
    let listed = list("sandbox.hidden", &options.hidden, base)?;
    let defaults = default_hidden(machine.home).filter(|path| !listed.removed.contains(path));
    let is_shown = |path: &PathBuf| {
        options.level != Level::Isolated || shown.iter().any(|shown| path.starts_with(shown))
    };
    let is_around_root = |path: &Path| machine.root.starts_with(path);
    let mut hidden: BTreeSet<PathBuf> = defaults
        .filter(|path| exists(path))
        .filter_map(|path| real(&path))
        .filter(|path| exists(path) && is_shown(path) && !is_around_root(path))
        .collect();
    if machine.tier != Tier::Landlock {
        // Also if the journal does not exist yet: a command that could write it would choose which stubs are
        // removed.
        hidden.extend(Some(machine.journal.to_owned()).filter(&is_shown));
    }
    hidden.extend(machine.durable.iter().filter(|path| is_shown(path) && !is_around_root(path)).cloned());
    let layer = machine.overlay.and_then(|overlay| overlay.upper.parent()).map(Path::to_owned);
    hidden.extend(layer.filter(&is_shown));
    if machine.tier != Tier::Landlock && options.level != Level::Isolated {
        hidden.insert(machine.private.directory.clone());
        let files: Vec<PathBuf> = machine.files.iter().filter_map(|path| real(path)).collect();
        let others = private::existing(options.tmp == Some(Tmp::Host))
            .into_iter()
            .filter(|path| !files.iter().any(|file| file.starts_with(path)));
        hidden.extend(others.filter(|path| !is_around_root(path)));
    }
    let mut named = BTreeSet::new();
    for path in listed.added {
        let Some(path) = real(&path) else { continue };
        if is_around_root(&path) {
            let path = path.display();
            return Err(wrong("sandbox.hidden", format!("'{path}' contains the workspace")));
        }
        if exists(&path) {
            named.insert(path);
        }
    }
    let has_gnupg = options.sockets.iter().any(|socket| SocketKind::of(socket) == SocketKind::GpgAgent);
    let shown = public(machine.home, has_gnupg, &hidden, &named);
    hidden.extend(named);
    Ok(Hidden { paths: hidden.into_iter().collect(), shown })
}

/// Returns the public files in the directories that the default list hides. What the caller has named stays
/// hidden as a whole.
fn public(
    home: Option<&Path>,
    has_gnupg: bool,
    hidden: &BTreeSet<PathBuf>,
    named: &BTreeSet<PathBuf>,
) -> Vec<PathBuf> {
    let Some(home) = home else { return Vec::new() };
    let gnupg = has_gnupg.then_some(PUBLIC_OF_GNUPG);
    let mut found: Vec<PathBuf> = std::iter::once(PUBLIC_OF_SSH)
        .chain(gnupg)
        .filter_map(|(directory, names)| Some((real(&home.join(directory))?, names)))
        .filter(|(directory, _)| hidden.contains(directory))
        .flat_map(|(directory, names)| names.iter().flat_map(move |name| expand(&directory.join(name))))
        .filter(|path| exists(path) && !path.ancestors().any(|parent| named.contains(parent)))
        .collect();
    found.sort();
    found.dedup();
    found.truncate(MAX_PUBLIC);
    found
}
