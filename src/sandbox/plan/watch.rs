//! Finds paths that a command should not leave: new paths of the default lists, directories that the host's
//! git would take for a repository with other settings, and links by which git would write elsewhere.

use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::git::InnerRepositories;
use super::paths::{content, exists};
use crate::wire::raw;

/// The largest number of files of a repository that are checked for links: most have fewer besides objects.
const MAX_FILES: usize = 2000;

/// The state before a command.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Watch {
    /// Paths of the default lists that were missing.
    #[serde(with = "raw")]
    pub(super) missing: Vec<PathBuf>,
    /// The writable directories, with the repositories that git saw in them.
    workspaces: Vec<Workspace>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Workspace {
    #[serde(with = "raw")]
    path: PathBuf,
    before: Repository,
}

/// The repository that git sees in a directory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Repository {
    has_head: bool,
    #[serde(with = "raw")]
    commondir: Option<Vec<u8>>,
    is_bare: bool,
    /// The directories of git of repositories that it lists.
    #[serde(with = "raw")]
    inner: Vec<PathBuf>,
    /// Links among the files that git writes. Git writes to their targets: through a link `logs/HEAD` to a
    /// start file of a shell, it would write the names of branches there.
    #[serde(with = "raw")]
    links: Vec<PathBuf>,
}

impl Repository {
    fn at(path: &Path, inner: &mut InnerRepositories) -> Self {
        let own = path.join(".git");
        // A stub of another command names the directory itself.
        let commondir = content(&own.join("commondir")).filter(|content| content != b".");
        let inner = inner.of(path).iter().map(|inner| inner.join(".git"));
        Self {
            has_head: has_head(&own),
            commondir,
            is_bare: is_bare(path),
            inner: inner.filter(|inner| exists(inner)).collect(),
            // The directory of a linked worktree is a writable path itself.
            links: links(if own.is_dir() { &own } else { path }),
        }
    }
}

impl Watch {
    /// Records the present state.
    pub(super) fn new(missing: Vec<PathBuf>, writable: &[PathBuf], inner: &mut InnerRepositories) -> Self {
        let note = |path: &PathBuf| Workspace { path: path.clone(), before: Repository::at(path, inner) };
        Self { missing, workspaces: writable.iter().map(note).collect() }
    }

    /// Returns the paths that have appeared since, or that make the host's git read other settings.
    #[must_use]
    pub fn created(&self) -> Vec<PathBuf> {
        let mut inner = InnerRepositories::default();
        let mut created: Vec<PathBuf> = self.missing.iter().filter(|path| exists(path)).cloned().collect();
        for Workspace { path, before } in &self.workspaces {
            let now = Repository::at(path, &mut inner);
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
            created.extend(now.links.into_iter().filter(|link| !before.links.contains(link)));
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

/// Returns the links in a git directory, except those among its objects.
fn links(repository: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut left = if is_bare(repository) { vec![repository.to_owned()] } else { Vec::new() };
    let mut count = 0;
    while let Some(directory) = left.pop() {
        let Ok(entries) = fs::read_dir(&directory) else { continue };
        for entry in entries.flatten().filter(|entry| entry.file_name() != "objects") {
            count += 1;
            if count > MAX_FILES {
                // With too many files to check, the whole directory is reported: a command could hide a link
                // among them.
                return vec![repository.to_owned()];
            }
            match entry.file_type() {
                Ok(kind) if kind.is_symlink() => found.push(entry.path()),
                Ok(kind) if kind.is_dir() => left.push(entry.path()),
                _ => {}
            }
        }
    }
    found.sort();
    found
}

/// Returns whether a directory looks like a bare repository.
fn is_bare(path: &Path) -> bool {
    ["HEAD", "objects", "refs"].iter().all(|name| exists(&path.join(name)))
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::{InnerRepositories, Watch};

    #[test]
    fn what_appears_is_found() {
        let place = tempfile::tempdir().expect("a directory");
        let at = |name: &str| place.path().join(name);
        fs::create_dir(at(".git")).expect("a directory");
        fs::write(at(".git/HEAD"), "ref: refs/heads/main\n").expect("a file");
        let watch = Watch::new(
            vec![at(".envrc"), at(".vscode")],
            &[place.path().to_owned()],
            &mut InnerRepositories::default(),
        );
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

    #[test]
    fn a_link_by_which_git_would_write_elsewhere_is_found() {
        let place = tempfile::tempdir().expect("a directory");
        let at = |name: &str| place.path().join(name);
        for name in [".git/objects/ab", ".git/refs/heads", ".git/logs/refs"] {
            fs::create_dir_all(at(name)).expect("a directory");
        }
        fs::write(at(".git/HEAD"), "ref: refs/heads/main\n").expect("a file");
        symlink("elsewhere", at(".git/old")).expect("a link");
        let watch = Watch::new(Vec::new(), &[place.path().to_owned()], &mut InnerRepositories::default());
        let links = [".git/COMMIT_EDITMSG", ".git/logs/HEAD", ".git/refs/heads/main"];
        for name in links {
            symlink("elsewhere", at(name)).expect("a link");
        }
        symlink("elsewhere", at(".git/objects/ab/cd")).expect("a link");
        assert_eq!(watch.created(), links.map(at));
    }
}
