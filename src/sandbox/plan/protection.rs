//! Collects protected paths.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::defaults::PROTECTED;
use super::error::{PlanError, wrong};
use super::paths::{exists, real, real_parent};
use super::{Place, Source, Stub, git};
use crate::sandbox::options::Git;
use crate::sandbox::stubs::may_be_stub;

/// The protected paths collected so far.
#[derive(Debug, Default)]
pub(super) struct Protection {
    protected: BTreeSet<PathBuf>,
    stubs: Vec<Stub>,
    watched: Vec<PathBuf>,
}

impl Protection {
    /// Adds the defaults for a writable directory, and the directories of git that belong to it.
    pub(super) fn add_defaults(
        &mut self,
        workspace: &Path,
        git: Git,
        home: Option<&Path>,
        places: &mut Vec<Place>,
        inner: &mut git::InnerRepositories,
    ) {
        let found = git::find(workspace, git, home, inner);
        self.protected.extend(found.protected);
        self.stubs.extend(found.stubs);
        self.watched.extend(found.watched);
        let is_new = |place: &Place, places: &[Place]| {
            !places.iter().any(|other| place.path.starts_with(&other.path) && other.source == Source::Host)
        };
        for place in found.places {
            if is_new(&place, places) {
                places.push(place);
            }
        }
        for name in PROTECTED {
            let path = workspace.join(name);
            if exists(&path) {
                self.add_existing(&path, &[workspace.to_owned()]);
            } else {
                self.watched.push(path);
            }
        }
    }

    /// Adds an existing path; a link is protected itself, and so is its target.
    fn add_existing(&mut self, path: &Path, writable: &[PathBuf]) {
        let is_writable = |path: &Path| writable.iter().any(|place| path.starts_with(place));
        let targets = [real_parent(path), real(path).filter(|path| exists(path))];
        self.protected.extend(targets.into_iter().flatten().filter(|path| is_writable(path)));
    }

    /// Adds a path that the caller named, whether it exists or not.
    pub(super) fn add_named(&mut self, path: &Path, writable: &[PathBuf]) -> Result<(), PlanError> {
        let place = real_parent(path)
            .filter(|real| writable.iter().any(|place| real.starts_with(place) && real != place));
        let Some(place) = place else {
            let path = path.display();
            return Err(wrong("sandbox.protected", format!("'{path}' is not below a writable path")));
        };
        if exists(&place) && !may_be_stub(&place, None).unwrap_or(false) {
            self.add_existing(path, writable);
        } else {
            self.stubs.push(Stub { path: place, content: None });
        }
        Ok(())
    }

    /// Removes these paths and all below them.
    pub(super) fn remove(&mut self, removed: &[PathBuf]) {
        let is_removed = |path: &Path| removed.iter().any(|removed| path.starts_with(removed));
        self.protected.retain(|path| !is_removed(path));
        self.stubs.retain(|stub| !is_removed(&stub.path));
        self.watched.retain(|path| !is_removed(path));
    }

    /// Returns the existing paths, the stubs, and the default paths that are missing.
    pub(super) fn finish(self) -> (Vec<PathBuf>, Vec<Stub>, Vec<PathBuf>) {
        (self.protected.into_iter().collect(), self.stubs, self.watched)
    }
}
