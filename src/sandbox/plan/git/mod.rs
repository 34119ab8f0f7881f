//! Directories of git: the files by which git runs programs on the host stay read-only.
//!
//! `config` parses settings, `named` finds the files that they name, `index` finds nested repositories, and
//! [`filters`] the filter drivers of the settings, for the policy.

mod config;
pub mod filters;
mod index;
mod named;

use std::collections::BTreeMap;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use config::settings_in;
use named::Named;

use super::paths::{content, exists, open_file, real};
use super::{Place, Source, Stub};
use crate::sandbox::options::Git;
use crate::sandbox::stubs::may_be_stub;

/// Files and directories of a repository by which git runs programs.
const SETTINGS: &str = "config";
const WORKTREE_SETTINGS: &str = "config.worktree";
const HOOKS: &str = "hooks";

/// The file that makes git read the settings of another directory.
const COMMONDIR: &str = "commondir";

/// The content of `commondir` that names the directory itself.
const SAME_DIRECTORY: &[u8] = b".";

/// The largest number of directories that are searched below `modules`, and their depth.
const MAX_MODULES: usize = 1000;
const MAX_DEPTH: usize = 8;

/// The largest index that is read (bytes): one of 100,000 files has 10 MB.
const MAX_INDEX: u64 = 32 << 20;

/// The paths that git's directories add to a plan.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct GitPaths {
    pub(super) places: Vec<Place>,
    pub(super) protected: Vec<PathBuf>,
    pub(super) stubs: Vec<Stub>,
    /// Missing paths that must not appear.
    pub(super) watched: Vec<PathBuf>,
}

/// The repositories that those of some directories list. The index of each is read once.
#[derive(Debug, Default)]
pub(super) struct InnerRepositories(BTreeMap<PathBuf, Vec<PathBuf>>);

/// A search for the paths of one writable directory.
struct Search<'a> {
    home: Option<&'a Path>,
    inner: &'a mut InnerRepositories,
    /// The paths that the settings of the user and of the machine name.
    shared: Named,
    paths: GitPaths,
}

/// Finds the paths for a writable directory. `home` has the user's settings.
pub(super) fn find(
    workspace: &Path,
    git: Git,
    home: Option<&Path>,
    inner: &mut InnerRepositories,
) -> GitPaths {
    let mut search = Search { home, inner, shared: Named::by_user(home), paths: GitPaths::default() };
    search.workspace(workspace, git);
    search.paths
}

impl InnerRepositories {
    /// Returns the directories that the repository of a workspace lists as repositories of their own.
    /// `git status` runs git in each of them, with its settings.
    pub(super) fn of(&mut self, workspace: &Path) -> &[PathBuf] {
        self.0.entry(workspace.to_owned()).or_insert_with_key(|workspace| listed_by(workspace))
    }
}

fn listed_by(workspace: &Path) -> Vec<PathBuf> {
    let own = workspace.join(".git");
    let directory = if own.is_dir() { Some(own) } else { named_by(&own, "gitdir: ", workspace) };
    let Some(directory) = directory else { return Vec::new() };
    let read = |name: &str| {
        let (file, size) = open_file(&directory.join(name)).filter(|(_, size)| *size <= MAX_INDEX)?;
        let hash = if has_long_hashes(&directory) { 32 } else { 20 };
        Some(index::read(file.take(size), hash, MAX_MODULES))
    };
    let Some(index) = read("index") else { return Vec::new() };
    let shared = index.shared.as_deref().and_then(read).unwrap_or_default();
    let listed = index.repositories.into_iter().chain(shared.repositories).map(|path| workspace.join(path));
    // Git does not enter a path through a link.
    listed.filter(|path| real(path).is_some_and(|real| real == *path)).collect()
}

impl Search<'_> {
    fn workspace(&mut self, workspace: &Path, git: Git) {
        let own = workspace.join(".git");
        let Ok(status) = fs::symlink_metadata(&own) else {
            if git != Git::All {
                self.paths.watched.push(own);
            }
            return;
        };
        match git {
            Git::All => {}
            Git::ReadOnly => self.paths.protected.push(own),
            Git::Commit if status.is_dir() => self.repository(&own, workspace),
            Git::Commit if status.is_symlink() => {
                self.paths.protected.push(own.clone());
                if let Some(directory) = target(&own).filter(|directory| directory.starts_with(workspace)) {
                    self.repository(&directory, workspace);
                }
            }
            Git::Commit => {
                self.paths.protected.push(own.clone());
                if let Some(directory) = named_by(&own, "gitdir: ", workspace) {
                    self.elsewhere(workspace, &own, &directory);
                }
            }
        }
        if git == Git::Commit {
            for inner in self.inner.of(workspace).to_owned() {
                self.inner_repository(&inner);
            }
        }
    }

    /// Protects the settings of a repository, its worktrees and its submodules.
    fn repository(&mut self, directory: &Path, work_tree: &Path) {
        self.settings(directory, work_tree);
        for module in modules(&directory.join("modules")) {
            self.settings(&module, work_tree);
        }
        for worktree in children(&directory.join("worktrees")) {
            self.add_existing(&worktree, &[COMMONDIR, "gitdir"]);
            self.add(worktree.join(WORKTREE_SETTINGS), Some(b""));
        }
    }

    /// Protects the files of a git directory by which git runs programs, also missing ones.
    fn settings(&mut self, directory: &Path, work_tree: &Path) {
        let settings = directory.join(SETTINGS);
        if exists(&settings) { &mut self.paths.protected } else { &mut self.paths.watched }
            .push(settings.clone());
        self.add(directory.join(HOOKS), None);
        self.add(directory.join(WORKTREE_SETTINGS), Some(b""));
        self.add(directory.join(COMMONDIR), Some(SAME_DIRECTORY));
        // A setting must not protect the whole work tree or git directory.
        let is_inside = |path: &PathBuf| {
            path.starts_with(work_tree) && !work_tree.starts_with(path) && !directory.starts_with(path)
        };
        let hooks = directory.join(HOOKS);
        let linked =
            links_below(&hooks).into_iter().chain([hooks, settings]).filter_map(|path| target(&path));
        let own = Named::by([SETTINGS, WORKTREE_SETTINGS].map(|name| directory.join(name)), self.home);
        let named = [&own, &self.shared].map(|named| named.paths(work_tree)).into_iter().flatten();
        for path in named.chain(linked).filter(is_inside) {
            if exists(&path) { &mut self.paths.protected } else { &mut self.paths.watched }.push(path);
        }
    }

    /// Protects an existing path. A missing path gets a stub, and so does the stub of another command.
    fn add(&mut self, path: PathBuf, content: Option<&[u8]>) {
        if exists(&path) && !may_be_stub(&path, content).unwrap_or(false) {
            self.paths.protected.push(path);
        } else {
            self.paths.stubs.push(Stub { path, content: content.map(<[u8]>::to_vec) });
        }
    }

    fn inner_repository(&mut self, work_tree: &Path) {
        let own = work_tree.join(".git");
        match fs::symlink_metadata(&own) {
            Err(_) => self.paths.watched.push(own),
            Ok(status) if status.is_dir() => self.settings(&own, work_tree),
            Ok(_) => self.paths.protected.push(own),
        }
    }

    fn add_existing(&mut self, directory: &Path, names: &[&str]) {
        self.paths
            .protected
            .extend(names.iter().map(|name| directory.join(name)).filter(|path| exists(path)));
    }

    /// Adds the directory of a linked worktree or a submodule, if that directory names this workspace. A
    /// command can't write there, so a `.git` file that it has forged adds nothing.
    fn elsewhere(&mut self, workspace: &Path, file: &Path, directory: &Path) {
        let names_us = named_by(&directory.join("gitdir"), "", directory).is_some_and(|path| path == *file);
        let common = named_by(&directory.join(COMMONDIR), "", directory);
        if let Some(common) = common.filter(|_| names_us) {
            if directory.parent() == Some(&common.join("worktrees")) {
                self.worktree(&common, directory, workspace);
            }
        } else if work_tree(directory).is_some_and(|path| path == *workspace) {
            self.paths.places.push(Place { path: directory.to_owned(), source: Source::Host });
            self.repository(directory, workspace);
        }
    }

    /// Makes the common directory of a linked worktree writable, except the files of the other worktrees.
    fn worktree(&mut self, common: &Path, own: &Path, work_tree: &Path) {
        self.paths.places.push(Place { path: common.to_owned(), source: Source::Host });
        self.repository(common, work_tree);
        self.add_existing(common, &["index", "HEAD"]);
        let others = children(&common.join("worktrees")).into_iter().filter(|other| other != own);
        self.paths.protected.extend(others);
    }
}

/// Returns the real path that a file of git names: relative to `base`, and after a prefix.
fn named_by(file: &Path, prefix: &str, base: &Path) -> Option<PathBuf> {
    let text = String::from_utf8(content(file)?).ok()?;
    let named = text.strip_prefix(prefix)?.trim_end_matches(['\n', '\r']);
    let path = base.join(named);
    // The path may name the file itself, whose links must not be followed.
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
    let mut settings = settings_in(&directory.join(SETTINGS)).into_iter();
    let found = settings.rfind(|found| found.section == "core" && found.key == "worktree")?;
    real(&directory.join(found.value))
}

/// Returns whether hashes of a repository have 32 bytes instead of 20.
fn has_long_hashes(directory: &Path) -> bool {
    settings_in(&directory.join(SETTINGS)).iter().any(|found| {
        (found.section.as_str(), found.key.as_str(), found.value.as_str())
            == ("extensions", "objectformat", "sha256")
    })
}

/// Returns the existing target of a link; `None` for any other path.
fn target(path: &Path) -> Option<PathBuf> {
    fs::read_link(path).ok()?;
    real(path).filter(|target| exists(target))
}

/// Returns the targets of links in a directory of hooks: git runs them.
fn links_below(hooks: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(hooks) else { return Vec::new() };
    let is_link = |entry: &fs::DirEntry| entry.file_type().is_ok_and(|kind| kind.is_symlink());
    entries.flatten().filter(is_link).take(MAX_MODULES).map(|entry| entry.path()).collect()
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
    // A path below a link can't be protected.
    let is_link = fs::symlink_metadata(directory).is_ok_and(|status| status.is_symlink());
    let Ok(entries) = fs::read_dir(directory) else { return Vec::new() };
    if is_link {
        return Vec::new();
    }
    let is_directory = |entry: &fs::DirEntry| entry.file_type().is_ok_and(|kind| kind.is_dir());
    let mut found: Vec<PathBuf> = entries.flatten().filter(is_directory).map(|entry| entry.path()).collect();
    found.sort();
    found
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::fs;
    use std::path::{Path, PathBuf};
    use std::process::Command;

    use super::{Git, GitPaths, InnerRepositories};

    fn find(workspace: &Path, git: Git, home: Option<&Path>) -> GitPaths {
        super::find(workspace, git, home, &mut InnerRepositories::default())
    }

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
        let paths = find(place.path(), Git::Commit, None);
        assert_eq!(names(&paths, place.path()).1, [".git/config", ".git/hooks"]);
        let stubs: Vec<_> = paths.stubs.iter().map(|stub| stub.path.clone()).collect();
        assert_eq!(stubs, [".git/config.worktree", ".git/commondir"].map(|name| place.path().join(name)));
        assert_eq!(paths.watched, [""; 0].map(PathBuf::from));
        assert_eq!(find(place.path(), Git::ReadOnly, None).protected, [place.path().join(".git")]);
        assert_eq!(find(place.path(), Git::All, None), GitPaths::default());
        assert_eq!(find(&place.path().join(".git"), Git::All, None), GitPaths::default());
        let missing = find(&place.path().join(".git"), Git::Commit, None);
        assert_eq!(missing.watched, [place.path().join(".git/.git")]);
    }

    #[test]
    fn hooks_and_settings_that_the_settings_name_are_protected() {
        let place = tempfile::tempdir().expect("a directory");
        repository(place.path());
        fs::create_dir(place.path().join("hooks here")).expect("a directory");
        fs::write(place.path().join("shared"), "").expect("a file");
        git(place.path(), &["config", "core.hooksPath", "hooks here"]);
        git(place.path(), &["config", "include.path", "../shared"]);
        git(place.path(), &["config", "includeIf.gitdir:/.path", "../missing"]);
        git(place.path(), &["config", "--add", "include.path", "/nowhere/outside"]);
        git(place.path(), &["config", "--add", "include.path", ""]);
        let paths = find(place.path(), Git::Commit, None);
        let protected = names(&paths, place.path()).1;
        for name in ["hooks here", "shared"] {
            assert!(protected.contains(&name.to_owned()), "{name} of {protected:?}");
        }
        assert!(!protected.iter().any(|name| name == ".git"));
        assert!(paths.watched.contains(&place.path().join("missing")));
    }

    #[test]
    fn hooks_that_the_users_settings_name_are_protected() {
        let place = tempfile::tempdir().expect("a directory");
        let root = place.path().join("work");
        repository(&root);
        for name in ["hooks here", "named by home", "more"] {
            fs::create_dir(root.join(name)).expect("a directory");
        }
        fs::write(place.path().join("settings"), "[core] hooksPath = hooks here\n[include] path = more")
            .expect("a file");
        std::os::unix::fs::symlink("settings", place.path().join(".gitconfig")).expect("a link");
        fs::write(
            place.path().join("more"),
            "[include] path = more\n[core] hooksPath = ~/work/named by home\n",
        )
        .expect("a file");
        let protected = names(&find(&root, Git::Commit, Some(place.path())), place.path()).1;
        for name in ["work/hooks here", "work/named by home"] {
            assert!(protected.contains(&name.to_owned()), "{name} of {protected:?}");
        }
        assert!(!protected.contains(&"work/more".to_owned()), "a file of the home, not of the workspace");
    }

    #[test]
    fn repositories_that_a_repository_lists_are_protected() {
        let place = tempfile::tempdir().expect("a directory");
        repository(place.path());
        let inner = place.path().join("sub/inner");
        repository(&inner);
        git(place.path(), &["add", "sub"]);
        let protected = names(&find(place.path(), Git::Commit, None), place.path()).1;
        assert!(protected.contains(&"sub/inner/.git/config".to_owned()), "{protected:?}");
        fs::remove_dir_all(inner.join(".git")).expect("removed");
        assert!(find(place.path(), Git::Commit, None).watched.contains(&inner.join(".git")));
        fs::write(inner.join(".git"), "gitdir: ../elsewhere").expect("a file");
        assert!(find(place.path(), Git::Commit, None).protected.contains(&inner.join(".git")));
    }

    #[test]
    fn repositories_in_the_shared_file_of_a_split_index_are_protected() {
        let place = tempfile::tempdir().expect("a directory");
        repository(place.path());
        repository(&place.path().join("inner"));
        git(place.path(), &["add", "inner"]);
        git(place.path(), &["update-index", "--split-index"]);
        let protected = names(&find(place.path(), Git::Commit, None), place.path()).1;
        assert!(protected.contains(&"inner/.git/config".to_owned()), "{protected:?}");
    }

    #[test]
    fn a_linked_worktree_gets_its_common_directory_without_the_other_worktrees() {
        let place = tempfile::tempdir().expect("a directory");
        let main = place.path().join("main");
        repository(&main);
        for name in ["one", "two"] {
            git(&main, &["worktree", "add", "-q", &format!("../{name}")]);
        }
        let paths = find(&place.path().join("one"), Git::Commit, None);
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
                names(&find(&forged, Git::Commit, None), place.path()),
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
        let paths = find(&main.join("sub/lib"), Git::Commit, None);
        assert_eq!(names(&paths, place.path()).0, ["main/.git/modules/sub/lib"]);
        let of_main = names(&find(&main, Git::Commit, None), place.path()).1;
        assert!(of_main.contains(&"main/.git/modules/sub/lib/config".to_owned()), "{of_main:?}");
        assert!(of_main.contains(&"main/.git/modules/sub/lib/hooks".to_owned()), "{of_main:?}");
    }
}
