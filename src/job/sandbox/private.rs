//! The private directories of each owner's roots. They stay until the owner closes, so that the commands of a
//! root see each other's files.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use crate::process::helper;
use crate::process::registry::Owner;
use crate::process::thread::named;
use crate::sandbox::private::PrivateDirectories;
use crate::sandbox::probe::has_overlays;

struct Kept {
    owner: Owner,
    root: PathBuf,
    directories: Arc<PrivateDirectories>,
}

static KEPT: Mutex<Vec<Kept>> = Mutex::new(Vec::new());

fn kept() -> MutexGuard<'static, Vec<Kept>> {
    KEPT.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns the private directories of a root.
pub(super) fn directories_of(
    owner: &Owner,
    root: &Path,
    home: Option<&Path>,
) -> io::Result<Arc<PrivateDirectories>> {
    let mut kept = kept();
    if let Some(known) = kept.iter().find(|kept| kept.owner == *owner && kept.root == root) {
        return Ok(Arc::clone(&known.directories));
    }
    let directories = Arc::new(create(home)?);
    kept.push(Kept { owner: owner.clone(), root: root.to_owned(), directories: Arc::clone(&directories) });
    Ok(directories)
}

/// Creates private directories, with a layer for the home where the kernel can mount one.
pub(super) fn create(home: Option<&Path>) -> io::Result<PrivateDirectories> {
    static HAS_OVERLAYS: OnceLock<bool> = OnceLock::new();
    let Some(home) = home else { return PrivateDirectories::create(false) };
    if HAS_OVERLAYS.get() == Some(&false) {
        return PrivateDirectories::create(false);
    }
    let directories = PrivateDirectories::create(true)?;
    let works = *HAS_OVERLAYS.get_or_init(|| has_overlays(helper::path(), home, directories.paths()));
    if works { Ok(directories) } else { PrivateDirectories::create(false) }
}

/// Removes the private directories of an owner that closes, on a separate thread: a home's layer may be
/// large. The guardian removes directories that are left when the process ends.
pub(in crate::job) fn forget_sandboxes(owner: &Owner) {
    let unneeded: Vec<Kept> = kept().extract_if(.., |kept| kept.owner == *owner).collect();
    if !unneeded.is_empty() {
        let _ = named("agent-bash-clean").spawn(move || drop(unneeded));
    }
}
