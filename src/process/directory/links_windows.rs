//! Follows the symbolic links and junctions of a path, and finds the long names behind short ones.

use std::cell::RefCell;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// The real paths of the file system, each read once.
#[derive(Debug, Default)]
pub struct Links {
    read: RefCell<HashMap<PathBuf, Option<Known>>>,
}

/// A path that exists.
#[derive(Clone, Debug)]
enum Known {
    Real(PathBuf),
    /// A link that leads nowhere.
    Dangling,
}

impl Links {
    /// Whether absolute paths begin with a drive.
    pub const HAS_DRIVES: bool = true;

    /// Returns the real path of an absolute one without `.` and `..`, as far as it exists; `None` if it is
    /// unknown.
    #[must_use]
    pub fn real_path(&self, path: &str) -> Option<String> {
        let path = Path::new(path);
        for existing in path.ancestors() {
            match self.known(existing) {
                // The target of a dangling link may be created before the path is used, so its real path is
                // unknown.
                Some(Known::Dangling) => return None,
                Some(Known::Real(real)) => {
                    let missing = path.strip_prefix(existing).ok()?;
                    return text(&real.components().chain(missing.components()).collect::<PathBuf>());
                }
                None => {}
            }
        }
        text(path)
    }

    fn known(&self, path: &Path) -> Option<Known> {
        if let Some(known) = self.read.borrow().get(path) {
            return known.clone();
        }
        // The metadata is that of the link.
        let exists = std::fs::symlink_metadata(path).is_ok();
        let known = exists.then(|| std::fs::canonicalize(path).map_or(Known::Dangling, Known::Real));
        self.read.borrow_mut().insert(path.to_owned(), known.clone());
        known
    }
}

fn text(path: &Path) -> Option<String> {
    path.to_str().map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::Links;

    #[test]
    fn a_path_has_the_names_that_the_file_system_keeps() {
        let directory = tempfile::tempdir().expect("a directory");
        let root = std::fs::canonicalize(directory.path()).expect("its real path");
        std::fs::create_dir(root.join("Long Name of a Directory")).expect("a directory");
        let root = root.to_str().expect("text");
        let links = Links::default();
        let real = |path: &str| links.real_path(&format!(r"{root}\{path}"));
        let of = |path: &str| Some(format!(r"{root}\{path}"));
        assert_eq!(real("LONG NAME of a directory"), of("Long Name of a Directory"));
        assert_eq!(real(r"long name of a directory\New\x"), of(r"Long Name of a Directory\New\x"));
        assert_eq!(real("missing"), of("missing"));
    }
}
