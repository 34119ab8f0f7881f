//! Finds the filter drivers that the settings of a repository define: git runs their programs when it
//! compares files.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::super::paths::content;
use super::config::parse;

/// The most files of settings that are read: a repository has three, and includes a few.
const MAX_FILES: usize = 32;

/// Returns the names of all filter drivers in the settings of the repositories that contain the directories;
/// `None` if a file of settings can't be understood.
#[must_use]
pub fn filter_drivers(directories: &[String]) -> Option<Vec<String>> {
    let mut files: Vec<PathBuf> = Vec::new();
    for directory in directories {
        files.extend(settings_of(Path::new(directory)));
    }
    let mut names = BTreeSet::new();
    let mut at = 0;
    while at < files.len() {
        if at >= MAX_FILES {
            return None;
        }
        let file = files[at].clone();
        at += 1;
        let Ok(path) = file.canonicalize() else { continue };
        let settings = parse(&String::from_utf8_lossy(&content(&path)?));
        if settings.has_errors {
            return None;
        }
        let drivers = settings.headers.into_iter().filter(|(section, _)| section == "filter");
        names.extend(drivers.map(|(_, name)| name));
        let folder = file.parent().unwrap_or(Path::new("/"));
        for setting in settings.found {
            if !matches!(setting.section.as_str(), "include" | "includeif") || setting.key != "path" {
                continue;
            }
            if setting.value.starts_with('~') {
                return None;
            }
            let included = folder.join(setting.value);
            if !files.contains(&included) {
                files.push(included);
            }
        }
    }
    Some(names.into_iter().collect())
}

/// Returns the files of settings of a repository, given a directory in it or the repository's own directory.
fn settings_of(directory: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for above in directory.ancestors() {
        let dot_git = above.join(".git");
        let folder = match std::fs::read_to_string(&dot_git) {
            // In a worktree or a submodule, `.git` is a file that names the repository's directory.
            Ok(text) => text.strip_prefix("gitdir:").map(|path| above.join(path.trim())),
            Err(_) if dot_git.is_dir() => Some(dot_git),
            Err(_) if above.join("HEAD").is_file() && above.join("objects").is_dir() => {
                Some(above.to_path_buf())
            }
            Err(_) => None,
        };
        let Some(folder) = folder else { continue };
        let common = std::fs::read_to_string(folder.join("commondir"))
            .map_or_else(|_| folder.clone(), |path| folder.join(path.trim()));
        files.extend([common.join("config"), folder.join("config"), folder.join("config.worktree")]);
        break;
    }
    files.dedup();
    files
}

#[cfg(test)]
mod tests {
    use super::filter_drivers;

    #[test]
    fn drivers_of_all_settings_are_found() {
        let directory = tempfile::tempdir().expect("a directory");
        let root = directory.path();
        std::fs::create_dir_all(root.join(".git")).expect("a directory");
        std::fs::create_dir_all(root.join("a/b")).expect("a directory");
        let config = "[core]\n\tbare = false\n[filter \"one\\\"1\"]\nclean = x\n[filter.TWO] clean = y\n\
                      [include]\n  path = more\n[Filter \"three\"]\n";
        std::fs::write(root.join(".git/config"), config).expect("settings");
        std::fs::write(root.join(".git/more"), "[filter \"four\"]\n[include]\npath=config\n")
            .expect("settings");
        std::fs::write(root.join(".git/config.worktree"), "[filter \"five\"]\n").expect("settings");
        let below = root.join("a/b").to_string_lossy().into_owned();
        let names = filter_drivers(&[below]).expect("names");
        assert_eq!(names, ["five", "four", "one\"1", "three", "two"]);
    }

    #[test]
    fn settings_that_can_not_be_read_are_not_guessed() {
        let directory = tempfile::tempdir().expect("a directory");
        let root = directory.path();
        std::fs::create_dir_all(root.join(".git")).expect("a directory");
        std::fs::write(root.join(".git/config"), "[filter \"open\n").expect("settings");
        assert_eq!(filter_drivers(&[root.to_string_lossy().into_owned()]), None);
    }

    #[test]
    fn a_directory_without_a_repository_has_none() {
        assert_eq!(filter_drivers(&["/nowhere/at/all".to_owned()]), Some(Vec::new()));
    }
}
