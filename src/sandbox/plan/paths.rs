//! Resolves the paths of a list: `~`, relative paths, globs, removed entries, symbolic links.

use std::fs::{self, File};
use std::io::Read;
use std::path::{Component, Path, PathBuf};

use super::error::{PlanError, wrong};
use crate::process::directory::links::Links;
use crate::process::file::open_unlinked;
use crate::sandbox::environment::matches;

/// The largest number of matches of one glob.
const MAX_MATCHES: usize = 1000;

/// The largest file that is read (bytes): such files name a path, or have a few settings.
const MAX_FILE: u64 = 1 << 20;

/// The directories to which relative paths and `~` refer.
#[derive(Clone, Copy, Debug)]
pub(in crate::sandbox) struct BasePaths<'a> {
    pub(in crate::sandbox) root: &'a Path,
    pub(in crate::sandbox) home: Option<&'a Path>,
}

/// A list of the caller: the paths that it adds to the defaults, and those that it removes.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct PathList {
    pub(super) added: Vec<PathBuf>,
    pub(super) removed: Vec<PathBuf>,
}

/// Reads a list of paths in an option.
pub(super) fn list(
    option: &'static str,
    list: &[String],
    base: BasePaths<'_>,
) -> Result<PathList, PlanError> {
    read_list(list, base).map_err(|expected| wrong(option, expected))
}

/// Returns the real path of a listed path, which must exist. A link in a writable directory, which a command
/// may have made, must not lead out of that directory.
pub(super) fn existing<'a>(
    option: &'static str,
    path: PathBuf,
    writable: impl Iterator<Item = &'a Path>,
) -> Result<PathBuf, PlanError> {
    let Some(found) = real(&path).filter(|path| path.exists()) else {
        return Err(PlanError::Path { option, path });
    };
    let writable: Vec<&Path> = writable.filter(|place| *place != found).collect();
    match leads_out(&path, &found, &writable) {
        None => Ok(found),
        Some(place) => Err(wrong(
            option,
            format!(
                "'{}' leads out of '{}', where commands can write, by a symbolic link: expected its target",
                path.display(),
                place.display()
            ),
        )),
    }
}

/// Returns a granted path, which must exist. A command with other rights may have put a link there since a
/// person was asked, so no link is followed.
pub(super) fn granted(option: &'static str, path: &Path) -> Result<PathBuf, PlanError> {
    match real(path).filter(|path| path.exists()) {
        None => Err(PlanError::Path { option, path: path.to_owned() }),
        Some(real) if real != path => Err(PlanError::Replaced(path.to_owned())),
        Some(real) => Ok(real),
    }
}

/// Parses a list. The paths are absolute and without `.` and `..`; links are not resolved yet.
///
/// # Errors
///
/// The first wrong entry, and what was expected.
fn read_list(list: &[String], base: BasePaths<'_>) -> Result<PathList, String> {
    let mut listed = PathList::default();
    for entry in list {
        let (removes, path) = entry.strip_prefix('!').map_or((false, entry.as_str()), |path| (true, path));
        let paths = expand(&absolute(path, base)?);
        if removes { &mut listed.removed } else { &mut listed.added }.extend(paths);
    }
    Ok(listed)
}

/// Makes a path of a list absolute.
pub(in crate::sandbox) fn absolute(path: &str, base: BasePaths<'_>) -> Result<PathBuf, String> {
    let trimmed = path.strip_suffix("/**").unwrap_or(path).trim_end_matches('/');
    if trimmed.is_empty() || trimmed.contains('\0') {
        return Err(format!("'{path}': expected a path below a directory"));
    }
    let joined = match (trimmed.strip_prefix('~'), base.home) {
        (Some(rest), Some(home)) if rest.is_empty() || rest.starts_with('/') => {
            home.join(rest.trim_start_matches('/'))
        }
        (Some(rest), None) if rest.is_empty() || rest.starts_with('/') => {
            return Err(format!("'{path}': expected a path without '~', since HOME is not set"));
        }
        _ => base.root.join(trimmed),
    };
    Ok(clean(&joined))
}

/// Returns a path without `.` and `..`, by its text.
pub(crate) fn clean(path: &Path) -> PathBuf {
    let mut clean = PathBuf::new();
    for component in path.components() {
        match component {
            Component::ParentDir => {
                clean.pop();
            }
            Component::CurDir => {}
            other => clean.push(other),
        }
    }
    clean
}

/// Returns the existing paths that match a glob; for a path without `*`, the path itself.
pub(crate) fn expand(pattern: &Path) -> Vec<PathBuf> {
    let mut found = vec![PathBuf::new()];
    for component in pattern.components() {
        let name = component.as_os_str().to_string_lossy();
        if !name.contains('*') {
            for path in &mut found {
                path.push(component);
            }
            continue;
        }
        found = found.iter().flat_map(|path| children(path, &name)).take(MAX_MATCHES).collect();
    }
    found
}

fn children(directory: &Path, pattern: &str) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(directory) else { return Vec::new() };
    let names = entries.flatten().map(|entry| entry.file_name());
    let mut found: Vec<PathBuf> = names
        .filter(|name| matches(pattern, &name.to_string_lossy()))
        .map(|name| directory.join(name))
        .collect();
    found.sort();
    found
}

/// Returns the real path, also of a missing one. `None` for a dangling link, or a name that is not UTF-8.
pub(in crate::sandbox) fn real(path: &Path) -> Option<PathBuf> {
    fs::canonicalize(path).ok().or_else(|| Links::default().real_path(path.to_str()?).map(PathBuf::from))
}

/// Returns the path with the links among its parents resolved, but not itself.
pub(super) fn real_parent(path: &Path) -> Option<PathBuf> {
    Some(real(path.parent()?)?.join(path.file_name()?))
}

/// Returns the content of a small file; `None` for a link, a pipe, a device or a large file, which a command
/// may have put there.
pub(super) fn content(path: &Path) -> Option<Vec<u8>> {
    let (file, size) = open_file(path)?;
    let mut content = Vec::with_capacity(usize::try_from(size.min(MAX_FILE)).ok()? + 1);
    file.take(MAX_FILE + 1).read_to_end(&mut content).ok()?;
    (content.len() as u64 <= MAX_FILE).then_some(content)
}

/// Opens a file, and returns its size (bytes); `None` for a link, a pipe or a device, which a command may
/// have put there.
pub(super) fn open_file(path: &Path) -> Option<(File, u64)> {
    let file = open_unlinked(path).ok()?;
    let status = file.metadata().ok()?;
    status.is_file().then_some((file, status.len()))
}

/// Returns the writable directory out of which a link leads. A command that writes there may have made the
/// link, and must not choose the paths that the next command may write or read.
pub(super) fn leads_out<'a>(path: &Path, real_path: &Path, writable: &[&'a Path]) -> Option<&'a Path> {
    path.ancestors().skip(1).find_map(|ancestor| {
        let ancestor = real(ancestor)?;
        writable.iter().copied().find(|place| ancestor.starts_with(place) && !real_path.starts_with(place))
    })
}

/// Returns whether there is anything at this path, also a dangling link.
pub(super) fn exists(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok()
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::fs;
    use std::path::{Path, PathBuf};

    use super::{BasePaths, PathList, read_list, real, real_parent};

    fn list(entries: &[&str], root: &Path) -> Result<PathList, String> {
        let entries: Vec<String> = entries.iter().map(|&entry| entry.to_owned()).collect();
        read_list(&entries, BasePaths { root, home: Some(Path::new("/home/u")) })
    }

    #[test]
    fn paths_are_absolute_and_clean() {
        let listed = list(&["memo", "memo/**", "./a/../b/", "/c", "~/d", "~", "!e", "~x"], Path::new("/r"))
            .expect("a list");
        let added = ["/r/memo", "/r/memo", "/r/b", "/c", "/home/u/d", "/home/u", "/r/~x"];
        assert_eq!(listed.added, added.map(PathBuf::from));
        assert_eq!(listed.removed, [PathBuf::from("/r/e")]);
        assert!(list(&[""], Path::new("/r")).is_err() && list(&["/"], Path::new("/r")).is_err());
    }

    #[test]
    fn a_glob_stands_for_what_exists() {
        let place = tempfile::tempdir().expect("a directory");
        for name in ["packages/a/dist", "packages/b/src", "packages/c/dist"] {
            fs::create_dir_all(place.path().join(name)).expect("a directory");
        }
        let listed = list(&["packages/*/dist"], place.path()).expect("a list");
        let expected = ["a", "b", "c"].map(|name| place.path().join("packages").join(name).join("dist"));
        assert_eq!(listed.added, expected);
    }

    #[test]
    fn links_are_resolved_also_above_a_missing_path() {
        let place = tempfile::tempdir().expect("a directory");
        let at = |name: &str| place.path().join(name);
        fs::create_dir(at("target")).expect("a directory");
        std::os::unix::fs::symlink("target", at("link")).expect("a link");
        std::os::unix::fs::symlink("nothing", at("dangling")).expect("a link");
        assert_eq!(real(&at("link/missing/x")), Some(at("target/missing/x")));
        assert_eq!(real(&at("dangling/x")), None);
        assert_eq!(real_parent(&at("link")), Some(at("link")));
    }
}
