//! What a command must not leave: paths of the default lists that were missing, and directories that git of
//! the host would take for a repository with other settings.

use std::path::{Path, PathBuf};

use super::git::inner_repositories;
use super::paths::{content, exists};

/// What there was before a command.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Watch {
    /// Paths of the default lists that were missing.
    pub(super) missing: Vec<PathBuf>,
    /// Writable directories, with what git saw in them.
    workspaces: Vec<Workspace>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Workspace {
    path: PathBuf,
    before: Repository,
}

/// What git sees in a directory.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Repository {
    has_head: bool,
    commondir: Option<Vec<u8>>,
    is_bare: bool,
    /// The directories of git of repositories that it lists.
    inner: Vec<PathBuf>,
}

impl Repository {
    fn at(path: &Path) -> Self {
        let own = path.join(".git");
        // A stub of another command names the directory itself.
        let commondir = content(&own.join("commondir")).filter(|content| content != b".");
        let inner = inner_repositories(path).into_iter().map(|inner| inner.join(".git"));
        Self {
            has_head: has_head(&own),
            commondir,
            is_bare: is_bare(path),
            inner: inner.filter(|inner| exists(inner)).collect(),
        }
    }
}

impl Watch {
    /// Notes what there is now.
    pub(super) fn new(missing: Vec<PathBuf>, writable: &[PathBuf]) -> Self {
        let note = |path: &PathBuf| Workspace { path: path.clone(), before: Repository::at(path) };
        Self { missing, workspaces: writable.iter().map(note).collect() }
    }

    /// Returns the paths that appeared, or that make git of the host read other settings now.
    #[must_use]
    pub fn created(&self) -> Vec<PathBuf> {
        let mut created: Vec<PathBuf> = self.missing.iter().filter(|path| exists(path)).cloned().collect();
        for Workspace { path, before } in &self.workspaces {
            let now = Repository::at(path);
            if before.has_head && !now.has_head {
                created.push(path.join(".git/HEAD"));
            }
            if before.commondir != now.commondir {
                created.push(path.join(".git/commondir"));
            }
            if now.is_bare && !before.is_bare {
                created.push(path.join("HEAD"));
            }
            created.extend(now.inner.into_iter().filter(|inner| !before.inner.contains(inner)));
        }
        created
    }
}

/// Returns whether git accepts the file `HEAD` of a repository: a reference or the name of a commit.
fn has_head(repository: &Path) -> bool {
    let Some(head) = content(&repository.join("HEAD")) else { return false };
    let name: &[u8] = head.trim_ascii_end();
    name.starts_with(b"ref: refs/") || matches!(name.len(), 40 | 64) && name.iter().all(u8::is_ascii_hexdigit)
}

/// Returns whether a directory looks like a bare repository.
fn is_bare(path: &Path) -> bool {
    ["HEAD", "objects", "refs"].iter().all(|name| exists(&path.join(name)))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::Watch;

    #[test]
    fn what_appears_is_found() {
        let place = tempfile::tempdir().expect("a directory");
        let at = |name: &str| place.path().join(name);
        fs::create_dir(at(".git")).expect("a directory");
        fs::write(at(".git/HEAD"), "ref: refs/heads/main\n").expect("a file");
        let watch = Watch::new(vec![at(".envrc"), at(".vscode")], &[place.path().to_owned()]);
        assert!(watch.created().is_empty());
        fs::write(at(".git/commondir"), ".").expect("a file");
        assert!(watch.created().is_empty(), "a stub");
        fs::write(at(".envrc"), "").expect("a file");
        fs::write(at(".git/commondir"), "../other").expect("a file");
        fs::write(at(".git/HEAD"), "x").expect("a file");
        for name in ["objects", "refs"] {
            fs::create_dir(at(name)).expect("a directory");
        }
        fs::write(at("HEAD"), "").expect("a file");
        assert_eq!(watch.created(), [".envrc", ".git/HEAD", ".git/commondir", "HEAD"].map(at));
    }
}
