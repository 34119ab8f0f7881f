//! Finds the files that settings of git name: hooks, and further settings.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::super::paths::{real, real_parent};
use super::config::settings_in;

/// The settings of the machine.
const OF_MACHINE: &str = "/etc/gitconfig";

/// The settings of a user, below the home.
const OF_USER: [&str; 2] = [".gitconfig", ".config/git/config"];

/// The largest number of files with settings that are read: a user has a few.
const MAX_FILES: usize = 100;

/// The paths that settings name.
#[derive(Debug, Default)]
pub(super) struct Named {
    /// Directories of hooks; a relative one belongs to each work tree.
    hooks: Vec<PathBuf>,
    /// Files with further settings.
    included: BTreeSet<PathBuf>,
}

impl Named {
    /// Returns the paths that the settings of the user and of the machine name.
    pub(super) fn by_user(home: Option<&Path>) -> Self {
        let of_user = home.into_iter().flat_map(|home| OF_USER.map(|name| home.join(name)));
        Self::by(of_user.chain([PathBuf::from(OF_MACHINE)]), home)
    }

    /// Returns the paths that these files name, and those that they include. A condition of an include counts
    /// as met.
    pub(super) fn by(files: impl IntoIterator<Item = PathBuf>, home: Option<&Path>) -> Self {
        let mut named = Self::default();
        let mut left: Vec<PathBuf> = files.into_iter().collect();
        while let Some(file) = left.pop() {
            for setting in settings_in(&file) {
                let path = in_home(&setting.value, home);
                match (setting.section.as_str(), setting.key.as_str()) {
                    ("core", "hookspath") => named.hooks.push(path),
                    ("include" | "includeif", "path") => {
                        let path = file.parent().unwrap_or(Path::new("/")).join(path);
                        if named.included.len() < MAX_FILES && named.included.insert(path.clone()) {
                            left.push(path);
                        }
                    }
                    _ => {}
                }
            }
        }
        named
    }

    /// Returns the paths for a work tree: each path itself, and its real path.
    pub(super) fn paths(&self, work_tree: &Path) -> Vec<PathBuf> {
        let hooks = self.hooks.iter().map(|path| work_tree.join(path));
        let all = hooks.chain(self.included.iter().cloned());
        all.flat_map(|path| [real_parent(&path), real(&path)]).flatten().collect()
    }
}

/// Returns a path of a setting, in which `~` is the home.
fn in_home(value: &str, home: Option<&Path>) -> PathBuf {
    match (value.strip_prefix("~/"), home) {
        (Some(rest), Some(home)) => home.join(rest),
        _ => PathBuf::from(value),
    }
}
