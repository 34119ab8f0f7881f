//! The directories of durable jobs that this process has used. Sandboxes hide them: whoever can open the
//! socket of a job can write to it, also from a sandbox.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

static KNOWN: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

/// Notes a directory, by its real path.
pub fn note(path: &Path) {
    if let Ok(path) = path.canonicalize() {
        KNOWN.lock().unwrap_or_else(PoisonError::into_inner).insert(path);
    }
}

/// Returns the directories that exist.
#[must_use]
pub fn known() -> Vec<PathBuf> {
    let known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner).clone();
    known.into_iter().filter(|path| path.is_dir()).collect()
}
