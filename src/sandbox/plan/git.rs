//! Directories of git: what makes git run programs on the host stays read-only.

use std::fs;
use std::path::{Path, PathBuf};

use super::paths::{exists, real};
use super::{Place, Source, Stub};
use crate::sandbox::options::Git;

/// Files and directories of a repository by which git runs programs.
const SETTINGS: [&str; 3] = ["config", "config.worktree", "hooks"];

/// The file that makes git read the settings of another directory.
const COMMONDIR: &str = "commondir";

/// What that file says if it says nothing.
const SAME_DIRECTORY: &[u8] = b".";

/// The largest number of directories that are looked at below `modules`, and their depth.
const MAX_MODULES: usize = 1000;
const MAX_DEPTH: usize = 8;

/// The largest file that is read (bytes): each names a path, or has a few settings.
const MAX_FILE: u64 = 1 << 20;

/// What git's directories add to a plan.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct GitPaths {
    pub(super) places: Vec<Place>,
    pub(super) protected: Vec<PathBuf>,
    pub(super) stubs: Vec<Stub>,
    /// Missing paths that must not appear.
    pub(super) watched: Vec<PathBuf>,
}

/// Finds what is to be added for a writable directory.
pub(super) fn find(workspace: &Path, git: Git) -> GitPaths {
    let mut paths = GitPaths::default();
    let own = workspace.join(".git");
    let Ok(status) = fs::symlink_metadata(&own) else { return paths };
    match git {
        Git::All => {}
        Git::ReadOnly => paths.protected.push(own),
        Git::Commit if status.is_dir() => paths.repository(&own),
        Git::Commit => {
            paths.protected.push(own.clone());
            if let Some(directory) = named_by(&own, "gitdir: ", workspace) {
                paths.elsewhere(workspace, &own, &directory);
            }
        }
    }
    paths
}

impl GitPaths {
    /// Protects the settings of a repository and of what belongs to it.
    fn repository(&mut self, directory: &Path) {
        self.settings(directory);
        let commondir = directory.join(COMMONDIR);
        match fs::read(&commondir) {
            Ok(content) if content != SAME_DIRECTORY => self.protected.push(commondir),
            _ => self.stubs.push(Stub { path: commondir, content: Some(SAME_DIRECTORY.to_vec()) }),
        }
        for module in modules(&directory.join("modules")) {
            self.settings(&module);
            self.add_existing(&module, &[COMMONDIR]);
        }
        for worktree in children(&directory.join("worktrees")) {
            self.add_existing(&worktree, &["config.worktree", COMMONDIR, "gitdir"]);
        }
    }

    fn settings(&mut self, directory: &Path) {
        for name in SETTINGS {
            let path = directory.join(name);
            if exists(&path) { &mut self.protected } else { &mut self.watched }.push(path);
        }
    }

    fn add_existing(&mut self, directory: &Path, names: &[&str]) {
        self.protected.extend(names.iter().map(|name| directory.join(name)).filter(|path| exists(path)));
    }

    /// Adds the directory of a linked worktree or a submodule, if it says itself that it belongs to this
    /// workspace. A command can't write that answer, so a `.git` file that it has forged adds nothing.
    fn elsewhere(&mut self, workspace: &Path, file: &Path, directory: &Path) {
        let names_us = named_by(&directory.join("gitdir"), "", directory).is_some_and(|path| path == *file);
        let common = named_by(&directory.join(COMMONDIR), "", directory);
        if let Some(common) = common.filter(|_| names_us) {
            if directory.parent() == Some(&common.join("worktrees")) {
                self.worktree(&common, directory);
            }
        } else if work_tree(directory).is_some_and(|path| path == *workspace) {
            self.places.push(Place { path: directory.to_owned(), source: Source::Host });
            self.repository(directory);
        }
    }

    /// Makes the common directory of a linked worktree writable, but for what belongs to the other worktrees.
    fn worktree(&mut self, common: &Path, own: &Path) {
        self.places.push(Place { path: common.to_owned(), source: Source::Host });
        self.repository(common);
        self.add_existing(common, &["index", "HEAD"]);
        let others = children(&common.join("worktrees")).into_iter().filter(|other| other != own);
        self.protected.extend(others);
    }
}

/// Returns the real path that a file of git names: relative to `base`, and after a prefix.
fn named_by(file: &Path, prefix: &str, base: &Path) -> Option<PathBuf> {
    let status = fs::symlink_metadata(file).ok()?;
    if !status.is_file() || status.len() > MAX_FILE {
        return None;
    }
    let text = fs::read_to_string(file).ok()?;
    let named = text.strip_prefix(prefix)?.trim_end_matches(['\n', '\r']);
    let path = base.join(named);
    // The file itself may be named, whose own links must not be followed.
    let parent = real(path.parent()?)?;
    match path.file_name() {
        Some(name) if !exists(&path) || fs::symlink_metadata(&path).ok()?.is_file() => {
            Some(parent.join(name))
        }
        _ => real(&path),
    }
}

/// Returns the setting `core.worktree` of a submodule's directory.
fn work_tree(directory: &Path) -> Option<PathBuf> {
    let file = directory.join("config");
    let status = fs::symlink_metadata(&file).ok()?;
    if !status.is_file() || status.len() > MAX_FILE {
        return None;
    }
    let text = fs::read_to_string(file).ok()?;
    let mut is_core = false;
    let mut found = None;
    for line in text.lines().map(str::trim) {
        if line.starts_with('[') {
            is_core = line.eq_ignore_ascii_case("[core]");
        } else if let Some((key, value)) = line.split_once('=')
            && is_core
            && key.trim().eq_ignore_ascii_case("worktree")
        {
            found = Some(value.trim().trim_matches('"').to_owned());
        }
    }
    real(&directory.join(found?))
}

/// Returns the directories of submodules, whose names may have slashes.
fn modules(directory: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut left = vec![(directory.to_owned(), 0)];
    let mut count = 0;
    while let Some((directory, depth)) = left.pop() {
        for child in children(&directory) {
            count += 1;
            if count > MAX_MODULES || depth > MAX_DEPTH {
                return found;
            }
            if child.join("HEAD").exists() {
                left.push((child.join("modules"), depth + 1));
                found.push(child);
            } else {
                left.push((child, depth + 1));
            }
        }
    }
    found
}

/// Returns the directories in a directory, without following links.
fn children(directory: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(directory) else { return Vec::new() };
    let is_directory = |entry: &fs::DirEntry| entry.file_type().is_ok_and(|kind| kind.is_dir());
    let mut found: Vec<PathBuf> = entries.flatten().filter(is_directory).map(|entry| entry.path()).collect();
    found.sort();
    found
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;
    use std::process::Command;

    use super::{Git, GitPaths, find};

    fn git(directory: &Path, words: &[&str]) {
        let settings =
            ["-c", "user.name=T", "-c", "user.email=t@example.com", "-c", "protocol.file.allow=always"];
        let run = Command::new("git")
            .arg("-C")
            .arg(directory)
            .args(settings)
            .args(words)
            .output()
            .expect("git runs");
        assert!(run.status.success(), "{words:?}: {}", String::from_utf8_lossy(&run.stderr));
    }

    fn repository(at: &Path) {
        fs::create_dir_all(at).expect("a directory");
        git(at, &["init", "-q"]);
        fs::write(at.join("a"), "a").expect("a file");
        git(at, &["add", "a"]);
        git(at, &["commit", "-qm", "a"]);
    }

    fn names(paths: &GitPaths, base: &Path) -> (Vec<String>, Vec<String>) {
        let name = |path: &Path| path.strip_prefix(base).expect("below").display().to_string();
        (
            paths.places.iter().map(|place| name(&place.path)).collect(),
            paths.protected.iter().map(|path| name(path)).collect(),
        )
    }

    #[test]
    fn settings_and_hooks_are_protected_and_commondir_is_a_stub() {
        let place = tempfile::tempdir().expect("a directory");
        repository(place.path());
        let paths = find(place.path(), Git::Commit);
        assert_eq!(names(&paths, place.path()).1, [".git/config", ".git/hooks"]);
        assert_eq!(paths.stubs[0].path, place.path().join(".git/commondir"));
        assert_eq!(paths.watched, [place.path().join(".git/config.worktree")]);
        assert_eq!(find(place.path(), Git::ReadOnly).protected, [place.path().join(".git")]);
        assert_eq!(find(place.path(), Git::All), GitPaths::default());
        assert_eq!(find(&place.path().join(".git"), Git::Commit), GitPaths::default());
    }

    #[test]
    fn a_linked_worktree_gets_its_common_directory_without_the_other_worktrees() {
        let place = tempfile::tempdir().expect("a directory");
        let main = place.path().join("main");
        repository(&main);
        for name in ["one", "two"] {
            git(&main, &["worktree", "add", "-q", &format!("../{name}")]);
        }
        let paths = find(&place.path().join("one"), Git::Commit);
        let (places, protected) = names(&paths, place.path());
        assert_eq!(places, ["main/.git"]);
        for name in [
            "one/.git",
            "main/.git/config",
            "main/.git/hooks",
            "main/.git/worktrees/one/commondir",
            "main/.git/worktrees/one/gitdir",
            "main/.git/worktrees/two",
            "main/.git/index",
            "main/.git/HEAD",
        ] {
            assert!(protected.contains(&name.to_owned()), "{name} of {protected:?}");
        }
    }

    #[test]
    fn a_forged_file_adds_nothing() {
        let place = tempfile::tempdir().expect("a directory");
        let main = place.path().join("main");
        repository(&main);
        git(&main, &["worktree", "add", "-q", "../one"]);
        let forged = place.path().join("forged");
        fs::create_dir(&forged).expect("a directory");
        for named in ["main/.git/worktrees/one", "main/.git", "main", "nowhere"] {
            fs::write(forged.join(".git"), format!("gitdir: {}\n", place.path().join(named).display()))
                .expect("a file");
            assert_eq!(
                names(&find(&forged, Git::Commit), place.path()),
                (vec![], vec!["forged/.git".to_owned()])
            );
        }
    }

    #[test]
    fn a_submodule_gets_its_own_directory() {
        let place = tempfile::tempdir().expect("a directory");
        let (main, library) = (place.path().join("main"), place.path().join("library"));
        repository(&main);
        repository(&library);
        git(&main, &["submodule", "add", "-q", "../library", "sub/lib"]);
        let paths = find(&main.join("sub/lib"), Git::Commit);
        assert_eq!(names(&paths, place.path()).0, ["main/.git/modules/sub/lib"]);
        let of_main = names(&find(&main, Git::Commit), place.path()).1;
        assert!(of_main.contains(&"main/.git/modules/sub/lib/config".to_owned()), "{of_main:?}");
        assert!(of_main.contains(&"main/.git/modules/sub/lib/hooks".to_owned()), "{of_main:?}");
    }
}
