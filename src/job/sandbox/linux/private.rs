//! The private directories of each owner's roots, and the mounts of their homes. They stay until the owner
//! closes, so that the commands of a root see each other's files and locks.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use tracing::debug;

use crate::process::helper_program;
use crate::process::registry::Owner;
use crate::process::thread::named;
use crate::sandbox::kept_mount::KeptMount;
use crate::sandbox::plan::OverlayMount;
use crate::sandbox::private::{PrivateDirectories, PrivatePaths};

struct PrivateRoot {
    owner: Owner,
    root: PathBuf,
    directories: Arc<PrivateDirectories>,
    homes: Vec<Arc<KeptHome>>,
}

/// A mount with its layer and work directory; `None` where the kernel refuses it.
type Mounted = Option<(Arc<KeptMount>, (PathBuf, PathBuf))>;

/// A home of the commands of a root.
struct KeptHome {
    path: PathBuf,
    /// The number of its directories.
    number: usize,
    /// Made by the first command, while those of other homes go on.
    mount: OnceLock<Mounted>,
}

/// The private directories and the mounted home that the commands of a root share.
#[derive(Clone, Debug)]
pub(super) struct Private {
    pub(super) paths: PrivatePaths,
    /// The mount of the private home; `None` without one.
    pub(super) home: Option<Arc<KeptMount>>,
    /// The private directories, which stay while the command may use them.
    pub(super) directories: Arc<PrivateDirectories>,
}

static KEPT: Mutex<Vec<PrivateRoot>> = Mutex::new(Vec::new());

fn kept() -> MutexGuard<'static, Vec<PrivateRoot>> {
    KEPT.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns the private directories of a root, and the mount of this home.
pub(super) fn private_of(owner: &Owner, root: &Path, home: Option<&Path>) -> io::Result<Private> {
    let (directories, home) = entry_of(owner, root, home)?;
    let mounted =
        home.and_then(|home| home.mount.get_or_init(|| mount(&directories, home.number, &home.path)).clone());
    let (home, layer) = mounted.unzip();
    let paths = PrivatePaths { home: layer, ..directories.paths().clone() };
    Ok(Private { paths, home, directories })
}

/// Returns the directories of a root, and this home, after adding them for the first command.
fn entry_of(
    owner: &Owner,
    root: &Path,
    home: Option<&Path>,
) -> io::Result<(Arc<PrivateDirectories>, Option<Arc<KeptHome>>)> {
    let home = home.and_then(|home| home.canonicalize().ok()).filter(|home| home.is_dir());
    let mut all = kept();
    let position = all.iter().position(|kept| kept.owner == *owner && kept.root == root);
    let position = if let Some(position) = position {
        position
    } else {
        let directories = Arc::new(PrivateDirectories::create(false)?);
        all.push(PrivateRoot { owner: owner.clone(), root: root.to_owned(), directories, homes: Vec::new() });
        all.len() - 1
    };
    let kept = all.get_mut(position).ok_or(io::ErrorKind::NotFound)?;
    Ok((Arc::clone(&kept.directories), home.map(|home| kept.home(home))))
}

impl PrivateRoot {
    fn home(&mut self, path: PathBuf) -> Arc<KeptHome> {
        if let Some(known) = self.homes.iter().find(|known| known.path == path) {
            return Arc::clone(known);
        }
        let home = Arc::new(KeptHome { path, number: self.homes.len(), mount: OnceLock::new() });
        self.homes.push(Arc::clone(&home));
        home
    }
}

fn mount(directories: &PrivateDirectories, number: usize, home: &Path) -> Mounted {
    let (upper, work) = directories.create_layer(number).ok()?;
    let mount = OverlayMount {
        root: home.to_owned(),
        upper: upper.clone(),
        work: work.clone(),
        is_alone: true,
        is_volatile: true,
    };
    match KeptMount::create(helper_program::path(), &mount) {
        Ok(mount) => Some((Arc::new(mount), (upper, work))),
        Err(reason) => {
            debug!(reason, "the home can't have a copy-on-write mount");
            None
        }
    }
}

/// Returns whether private directories can be made, and whether this home can have a copy-on-write mount.
/// Leaves nothing on disk.
pub(super) fn can_mount(home: Option<&Path>) -> io::Result<bool> {
    let directories = PrivateDirectories::create(false)?;
    let home = home.and_then(|home| home.canonicalize().ok());
    Ok(home.is_some_and(|home| mount(&directories, 0, &home).is_some()))
}

/// Removes the private directories of an owner that closes, on a separate thread: a home's layer may be
/// large. The guardian removes directories that are left when the process ends.
pub(in crate::job) fn forget_sandboxes(owner: &Owner) {
    let unneeded: Vec<PrivateRoot> = kept().extract_if(.., |kept| kept.owner == *owner).collect();
    if !unneeded.is_empty() {
        let _ = named("agent-bash-clean").spawn(move || drop(unneeded));
    }
}
