//! Finds the filter drivers that the settings of a repository define: git runs their programs when it
//! compares files.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The most files of settings that are read: a repository has three, and includes a few.
const MAX_FILES: usize = 32;

/// The largest file of settings that is read (bytes): real ones have some kilobytes.
const MAX_BYTES: u64 = 1 << 20;

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
        let Ok(metadata) = std::fs::metadata(&file) else { continue };
        if metadata.len() > MAX_BYTES || !metadata.is_file() {
            return None;
        }
        let text = String::from_utf8_lossy(&std::fs::read(&file).ok()?).into_owned();
        let folder = file.parent().unwrap_or(Path::new("/")).to_path_buf();
        for path in read_settings(&text, &mut names)? {
            let path = if path.starts_with('~') { return None } else { folder.join(path) };
            if !files.contains(&path) {
                files.push(path);
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

/// Collects the names of `[filter "name"]`, and returns the paths of included files; `None` for unknown
/// syntax.
fn read_settings(text: &str, names: &mut BTreeSet<String>) -> Option<Vec<String>> {
    let mut paths = Vec::new();
    let mut is_include = false;
    for line in text.trim_start_matches('\u{feff}').lines() {
        let mut line = line.trim();
        while let Some(rest) = line.strip_prefix('[') {
            let (section, behind) = section(rest)?;
            is_include = matches!(section.0.as_str(), "include" | "includeif");
            if section.0 == "filter" {
                names.insert(section.1);
            }
            line = behind.trim_start();
        }
        if !is_include {
            continue;
        }
        if let Some((name, value)) = line.split_once('=')
            && name.trim().eq_ignore_ascii_case("path")
        {
            let value = value.trim();
            let inside = value.strip_prefix('"').and_then(|value| value.strip_suffix('"')).unwrap_or(value);
            // This parser does not understand escapes, comments and continued lines.
            if inside.contains(['\\', '"', '#', ';']) {
                return None;
            }
            paths.push(inside.to_owned());
        }
    }
    Some(paths)
}

/// Parses a section header after its first bracket. Returns the name, the subsection, and the rest of the
/// line.
fn section(text: &str) -> Option<((String, String), &str)> {
    let end = text.find([']', '"'])?;
    let (name, rest) = text.split_at(end);
    let name = name.trim().to_lowercase();
    if let Some(behind) = rest.strip_prefix(']') {
        // The old spelling: `[filter.name]`.
        let (name, subsection) = name.split_once('.').unwrap_or((&name, ""));
        return Some(((name.to_owned(), subsection.to_owned()), behind));
    }
    let mut subsection = String::new();
    let mut chars = rest[1..].char_indices();
    while let Some((offset, char)) = chars.next() {
        match char {
            '\\' => subsection.push(chars.next()?.1),
            '"' => {
                let behind = rest[1 + offset + 1..].trim_start().strip_prefix(']')?;
                return Some(((name, subsection), behind));
            }
            char => subsection.push(char),
        }
    }
    None
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
