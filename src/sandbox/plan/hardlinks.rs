//! Finds hard links: files below a protected path with a second name where the command can write.

use std::collections::HashMap;
use std::fs::{self, Metadata};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::process::file::{identity, link_count};

/// The largest number of entries that are checked.
const MAX_ENTRIES: usize = 10_000;

/// The longest time of the search.
const MAX_TIME: Duration = Duration::from_millis(20);

/// A protected file with another name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HardLink {
    /// The protected file.
    pub path: PathBuf,
    /// The other name; `None` if it was not found within the bounds.
    pub other: Option<PathBuf>,
}

/// Finds the first file below a protected path that may have another name below a writable one.
pub(super) fn find(protected: &[PathBuf], writable: &[PathBuf]) -> Option<HardLink> {
    let mut bounds = Bounds { left: MAX_ENTRIES, end: Instant::now() + MAX_TIME };
    // By device and inode: a path, and the number of names that are not known to be protected.
    let mut open: HashMap<(u64, u64), (PathBuf, u64)> = HashMap::new();
    for path in protected {
        bounds.walk(path, &mut |path, status| {
            if status.is_file() && link_count(status) > 1 {
                let (_, names) =
                    open.entry(identity(status)).or_insert_with(|| (path.to_owned(), link_count(status)));
                *names -= 1;
            }
            None::<()>
        });
    }
    open.retain(|_, (_, names)| *names > 0);
    if open.is_empty() {
        return None;
    }
    let mut other = |path: &Path, status: &Metadata| {
        let (protected_path, _) = open.get(&identity(status))?;
        let is_protected = protected.iter().any(|protected| path.starts_with(protected));
        (!is_protected).then(|| HardLink { path: protected_path.clone(), other: Some(path.to_owned()) })
    };
    for path in writable {
        if let Some(found) = bounds.walk(path, &mut other) {
            return Some(found);
        }
    }
    // All other names are where the command can't write, unless the search was cut short.
    let (path, _) = open.into_values().next()?;
    bounds.are_reached().then_some(HardLink { path, other: None })
}

struct Bounds {
    left: usize,
    end: Instant,
}

impl Bounds {
    fn are_reached(&self) -> bool {
        self.left == 0 || Instant::now() > self.end
    }

    /// Visits a path and everything below it, without following links, until `visit` returns something.
    fn walk<T>(&mut self, path: &Path, visit: &mut impl FnMut(&Path, &Metadata) -> Option<T>) -> Option<T> {
        let mut left = vec![path.to_owned()];
        while let Some(path) = left.pop() {
            if self.are_reached() {
                return None;
            }
            self.left -= 1;
            let Ok(status) = fs::symlink_metadata(&path) else { continue };
            if let Some(found) = visit(&path, &status) {
                return Some(found);
            }
            if status.is_dir() {
                left.extend(fs::read_dir(&path).into_iter().flatten().flatten().map(|entry| entry.path()));
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::{HardLink, find};

    #[test]
    #[cfg_attr(windows, ignore = "the metadata has no number of names")]
    fn a_second_name_outside_of_the_protected_paths_is_found() {
        let place = tempfile::tempdir().expect("a directory");
        let at = |name: &str| place.path().join(name);
        fs::create_dir_all(at("w/kept")).expect("a directory");
        fs::write(at("w/kept/file"), "x").expect("a file");
        let search = || find(&[at("w/kept")], &[at("w")]);
        assert_eq!(search(), None);
        fs::hard_link(at("w/kept/file"), at("w/kept/again")).expect("a link");
        fs::hard_link(at("w/kept/file"), at("outside")).expect("a link");
        assert_eq!(search(), None, "neither can be written");
        fs::hard_link(at("w/kept/file"), at("w/other")).expect("a link");
        let found = search().expect("found");
        assert_eq!(found.other, Some(at("w/other")));
        assert!(matches!(found, HardLink { path, .. } if path.starts_with(at("w/kept"))));
    }
}
