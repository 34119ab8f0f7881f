//! Follows the symbolic links of a path.

use std::cell::RefCell;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// The links of the file system, each read once.
#[derive(Debug, Default)]
pub struct Links {
    read: RefCell<HashMap<PathBuf, Component>>,
}

/// A component of a path, below a directory without links.
#[derive(Clone, Debug)]
enum Component {
    Missing,
    /// A link with its target; `None` for a dangling link.
    Link(Option<PathBuf>),
    Real,
}

impl Links {
    /// Whether absolute paths begin with a drive.
    pub const HAS_DRIVES: bool = false;

    /// Returns the real path of an absolute one, as far as it exists, by the kernel's rules; `None` if it is
    /// unknown.
    #[must_use]
    pub fn real_path(&self, path: &str) -> Option<String> {
        let mut real = PathBuf::from("/");
        let mut parts = path.split('/').filter(|part| !part.is_empty() && *part != ".");
        while let Some(part) = parts.next() {
            if part == ".." {
                real.pop();
                continue;
            }
            let next = real.join(part);
            real = match self.component(&next) {
                // The target of a dangling link may be created before the path is used, so its real path is
                // unknown.
                Component::Link(target) => target?,
                Component::Real => next,
                Component::Missing => return missing(next, parts),
            };
        }
        text(&real)
    }

    fn component(&self, path: &Path) -> Component {
        if let Some(known) = self.read.borrow().get(path) {
            return known.clone();
        }
        let entry = match std::fs::symlink_metadata(path) {
            Ok(metadata) if metadata.is_symlink() => Component::Link(std::fs::canonicalize(path).ok()),
            Ok(_) => Component::Real,
            Err(_) => Component::Missing,
        };
        self.read.borrow_mut().insert(path.to_owned(), entry.clone());
        entry
    }
}

/// Appends the parts below a missing directory, which can't be links; `None` if one of them is `..`.
fn missing<'a>(mut real: PathBuf, parts: impl Iterator<Item = &'a str>) -> Option<String> {
    for part in parts {
        if part == ".." {
            // The kernel refuses `..` below a missing directory, but may accept it once that directory
            // exists.
            return None;
        }
        real.push(part);
    }
    text(&real)
}

fn text(path: &Path) -> Option<String> {
    path.to_str().map(str::to_owned)
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::Links;

    #[test]
    fn links_are_followed_as_the_kernel_does() {
        let directory = tempfile::tempdir().expect("a directory");
        let root = std::fs::canonicalize(directory.path()).expect("its real path");
        let root = root.to_str().expect("text");
        std::fs::create_dir(format!("{root}/d")).expect("a directory");
        std::os::unix::fs::symlink("/etc/ssl", format!("{root}/d/link")).expect("a link");
        std::os::unix::fs::symlink("nowhere", format!("{root}/dangling")).expect("a link");
        let links = Links::default();
        assert_eq!(links.real_path(&format!("{root}/d/link/../passwd")).as_deref(), Some("/etc/passwd"));
        assert_eq!(links.real_path(&format!("{root}/d/../new/x")), Some(format!("{root}/new/x")));
        assert_eq!(links.real_path(&format!("{root}/dangling")), None);
        assert_eq!(links.real_path(&format!("{root}/new/../x")), None);
    }
}
