//! The protected paths of a workspace, on this machine.

use std::collections::BTreeSet;
use std::fs::{self, DirBuilder};
use std::io;
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use super::arguments::WORKSPACE;
use super::options::Mount;
use crate::process::errno::Errno;
use crate::sandbox::plan::paths::{clean, expand};
use crate::target::error::TargetError;

/// The protected paths and the mounts of a workspace, and the directories that were made for them.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Protection {
    /// The directories between the workspace and what is protected, parents first. Each gets a mount of its
    /// own, which can't be renamed or removed: otherwise a command could put another directory in its place.
    pub(super) pinned: Vec<PathBuf>,
    /// The paths that get a read-only mount each: the protected ones, and mount points below them.
    pub(super) paths: Vec<PathBuf>,
    /// The caller's mounts. Those at or below a protected path are read-only.
    pub(super) mounts: Vec<Mount>,
    /// The directories of the workspace over which the caller's mounts are.
    pub(super) places: Vec<PathBuf>,
    /// The directories that were made for this container, parents first.
    pub(super) made: Vec<PathBuf>,
}

/// Refuses a workspace that is no directory, or that this process can't enter. The engine would say something
/// else about it, or create it.
///
/// # Errors
///
/// `TARGET_START` with the path and the system's error.
pub(super) fn check(workspace: &str) -> Result<(), TargetError> {
    // The `.` is looked up in the directory, which needs the right to enter it.
    fs::metadata(Path::new(workspace).join(".")).map(drop).map_err(|error| {
        let reason = Errno::of(&error).name();
        refused("workspace", &format!("'{workspace}' can't be used as a directory: {reason}."))
    })
}

fn refused(option: &str, message: &str) -> TargetError {
    TargetError::new("TARGET_START", format!("container.{option}: {message}"))
}

/// Finds the protected paths, the caller's mounts, and the parents of what is read-only. Creates what is
/// missing of them as directories: otherwise the engine would create it as root, or a command could. A path
/// that is created later stays writable, even if it matches a pattern.
///
/// A protected path and a mount of the caller at the same place are one mount: of the caller's source, and
/// read-only.
///
/// # Errors
///
/// `TARGET_START` for a path that can't be protected. Created directories are removed again.
pub(super) fn protect(
    workspace: &str,
    protected: &[String],
    mounts: &[Mount],
) -> Result<Protection, TargetError> {
    let workspace = Path::new(workspace);
    // Where each mount is in the workspace; `None` for one elsewhere.
    let places: Vec<Option<PathBuf>> = mounts.iter().map(|mount| place_of(workspace, mount)).collect();
    let is_other = |path: &Path| places.iter().flatten().any(|place| path.starts_with(place));
    let patterns = protected.iter().flat_map(|pattern| expand(&workspace.join(pattern)));
    let named: BTreeSet<PathBuf> = patterns.collect();
    for path in &named {
        if let Some(mount) = writable_above(path, mounts, &places) {
            let (path, mount) = (path.display(), &mount.target);
            let message =
                format!("'{path}' is below the mount '{mount}'; expected a mount of its own for it.");
            return Err(refused("protected", &message));
        }
    }
    let is_protected = |path: &Path| named.iter().any(|place| path.starts_with(place));
    let mut protection = Protection { mounts: mounts.to_vec(), ..Protection::default() };
    let own: BTreeSet<PathBuf> = named.iter().filter(|path| !is_other(path)).cloned().collect();
    for path in &own {
        protection.make(workspace, path, "protected")?;
    }
    let mut fixed = own.clone();
    for (index, place) in places.iter().enumerate() {
        let (Some(place), Some(mount)) = (place, protection.mounts.get_mut(index)) else { continue };
        mount.read_only |= is_protected(place);
        if mount.read_only {
            fixed.insert(place.clone());
        }
        let is_directory = Path::new(&mount.source).is_dir();
        if !place.ancestors().skip(1).any(is_other) {
            protection.make_place(workspace, place, is_directory)?;
        }
    }
    // Below a protected path, nothing can be renamed, and a further mount would be writable.
    let parents =
        fixed.iter().flat_map(|path| path.ancestors().skip(1).take_while(|path| *path != workspace));
    let pinned: BTreeSet<&Path> = parents.filter(|path| !is_protected(path) && !is_other(path)).collect();
    protection.pinned = pinned.into_iter().map(Path::to_owned).collect();
    // A read-only mount does not change the mounts below it.
    let points = mount_points(&fs::read("/proc/self/mountinfo").unwrap_or_default());
    let points =
        points.into_iter().filter(|point| is_protected(point) && !own.contains(point) && !is_other(point));
    protection.paths = own.iter().cloned().chain(points).collect();
    Ok(protection)
}

/// Returns the path of the workspace over which a mount of the caller is; `None` for one elsewhere.
fn place_of(workspace: &Path, mount: &Mount) -> Option<PathBuf> {
    let target = clean(Path::new(&mount.target));
    target.strip_prefix(WORKSPACE).ok().map(|below| workspace.join(below))
}

/// Returns the innermost mount that a path is in, unless that is at the path itself or read-only.
fn writable_above<'a>(path: &Path, mounts: &'a [Mount], mounted: &[Option<PathBuf>]) -> Option<&'a Mount> {
    let places = mounts.iter().zip(mounted).filter_map(|(mount, place)| Some((mount, place.as_ref()?)));
    let above = places.filter(|(_, place)| path.starts_with(place));
    let (mount, place) = above.max_by_key(|(_, place)| place.components().count())?;
    (path != *place && !mount.read_only).then_some(mount)
}

impl Protection {
    /// Creates the missing directories of a path; removes all that were made if that fails.
    fn make(&mut self, workspace: &Path, path: &Path, option: &str) -> Result<(), TargetError> {
        make_missing(workspace, path, &mut self.made).map_err(|(at, error)| {
            remove(&self.made);
            let at = at.display();
            let message = match error.raw_os_error() {
                Some(libc::ELOOP) => {
                    format!("'{at}' is a symbolic link; expected a directory or a file.")
                }
                _ => format!("'{at}' can't be used or created: {}.", Errno::of(&error).name()),
            };
            refused(option, &message)
        })
    }

    /// Creates the directory over which a mount of the caller is; for a mount of a file, the directories
    /// above it.
    fn make_place(&mut self, workspace: &Path, place: &Path, is_directory: bool) -> Result<(), TargetError> {
        let made = if is_directory { Some(place) } else { place.parent() };
        let Some(made) = made.filter(|made| made.starts_with(workspace)) else { return Ok(()) };
        self.make(workspace, made, "mounts")?;
        self.places.push(made.to_owned());
        Ok(())
    }
}

/// Removes directories that were made and are empty.
pub(super) fn remove(made: &[PathBuf]) {
    for path in made.iter().rev() {
        let _ = fs::remove_dir(path);
    }
}

/// Creates the missing directories of a path. Refuses a link in the path: commands could change it, and its
/// target need not be in the workspace. An error has the path that can't be used.
fn make_missing(workspace: &Path, path: &Path, made: &mut Vec<PathBuf>) -> Result<(), (PathBuf, io::Error)> {
    let below = path.strip_prefix(workspace).map_err(|error| (path.to_owned(), io::Error::other(error)))?;
    let mut current = workspace.to_owned();
    for name in below {
        current.push(name);
        match fs::symlink_metadata(&current) {
            Ok(metadata) if metadata.is_symlink() => {
                return Err((current, io::Error::from_raw_os_error(libc::ELOOP)));
            }
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                DirBuilder::new().mode(0o755).create(&current).map_err(|error| (current.clone(), error))?;
                made.push(current.clone());
            }
            Err(error) => return Err((current, error)),
        }
    }
    Ok(())
}

/// Returns the mount points of a `mountinfo`, whose fifth field escapes blanks as `\040`.
fn mount_points(mountinfo: &[u8]) -> Vec<PathBuf> {
    let lines = mountinfo.split(|&byte| byte == b'\n');
    let fields = lines.filter_map(|line| line.split(|&byte| byte == b' ').nth(4));
    fields.map(|field| PathBuf::from(std::ffi::OsString::from_vec(unescape(field)))).collect()
}

fn unescape(field: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(field.len());
    let mut rest = field;
    while let Some((&first, after)) = rest.split_first() {
        let digits = after.get(..3).filter(|_| first == b'\\').and_then(|digits| str::from_utf8(digits).ok());
        if let Some(byte) = digits.and_then(|digits| u8::from_str_radix(digits, 8).ok()) {
            out.push(byte);
            rest = &after[3..];
        } else {
            out.push(first);
            rest = after;
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::PathBuf;

    use super::{Mount, check, mount_points, protect, remove};

    #[test]
    fn a_missing_path_is_made_and_removed_again() {
        let directory = tempfile::tempdir().expect("a directory");
        let workspace = directory.path().to_str().expect("text");
        let protection = protect(workspace, &["memo/user".to_owned()], &[]).expect("protected");
        assert_eq!(protection.paths, [directory.path().join("memo/user")]);
        assert_eq!(protection.made, [directory.path().join("memo"), directory.path().join("memo/user")]);
        remove(&protection.made);
        assert_eq!(fs::read_dir(directory.path()).expect("listed").count(), 0);
    }

    #[test]
    fn a_pattern_stands_for_what_is_there() {
        let directory = tempfile::tempdir().expect("a directory");
        for name in ["a.lock", "b.lock", "c"] {
            fs::write(directory.path().join(name), "").expect("written");
        }
        let workspace = directory.path().to_str().expect("text");
        let protection = protect(workspace, &["*.lock".to_owned()], &[]).expect("protected");
        assert_eq!(protection.paths, ["a.lock", "b.lock"].map(|name| directory.path().join(name)));
        assert!(protection.made.is_empty());
    }

    #[test]
    fn what_is_above_a_protected_path_is_pinned_and_what_is_below_is_not() {
        let directory = tempfile::tempdir().expect("a directory");
        let workspace = directory.path().to_str().expect("text");
        let mounts = r#"[{"source":"/s","target":"/workspace/./m/n","readOnly":true},
            {"source":"/s","target":"/workspace/o/p"}, {"source":"/s","target":"/other/q","readOnly":true}]"#;
        let mounts: Vec<Mount> = serde_json::from_str(mounts).expect("mounts");
        let protected = ["a/b", "a/b/c/d", "a/*", ".git/hooks", "o/p"].map(str::to_owned);
        let protection = protect(workspace, &protected, &mounts).expect("protected");
        let below = |names: &[&str]| names.iter().map(|name| directory.path().join(name)).collect::<Vec<_>>();
        assert_eq!(protection.paths, below(&[".git/hooks", "a/b", "a/b/c/d"]));
        assert_eq!(protection.pinned, below(&[".git", "a", "m", "o"]));
        assert_eq!(
            protection.mounts.iter().map(|mount| mount.read_only).collect::<Vec<_>>(),
            [true, true, true]
        );
    }

    #[test]
    fn a_mount_at_a_protected_path_or_below_it_is_read_only_and_leaves_nothing() {
        let directory = tempfile::tempdir().expect("a directory");
        let source = tempfile::tempdir().expect("a directory");
        let workspace = directory.path().to_str().expect("text");
        let mounts = ["/workspace/memo", "/workspace/memo/session", "/workspace/other"].map(|target| Mount {
            source: source.path().display().to_string(),
            target: target.to_owned(),
            read_only: false,
        });
        let protection = protect(workspace, &["memo".to_owned()], &mounts).expect("protected");
        assert!(protection.paths.is_empty());
        assert_eq!(
            protection.mounts.iter().map(|mount| mount.read_only).collect::<Vec<_>>(),
            [true, true, false]
        );
        assert!(directory.path().join("memo").is_dir());
        remove(&protection.made);
        assert_eq!(fs::read_dir(directory.path()).expect("listed").count(), 0);
    }

    #[test]
    fn a_protected_path_in_a_writable_mount_is_refused() {
        let directory = tempfile::tempdir().expect("a directory");
        let workspace = directory.path().to_str().expect("text");
        let mount = Mount { source: "/".to_owned(), target: "/workspace/memo".to_owned(), read_only: false };
        let below = ["memo/session".to_owned()];
        let error = protect(workspace, &below, std::slice::from_ref(&mount)).expect_err("writable");
        let expected = format!(
            "container.protected: '{workspace}/memo/session' is below the mount '/workspace/memo'; expected a \
             mount of its own for it."
        );
        assert_eq!(error.message, expected);
        assert!(protect(workspace, &below, &[Mount { read_only: true, ..mount }]).is_ok());
    }

    #[test]
    fn a_link_is_refused_and_nothing_is_left() {
        let directory = tempfile::tempdir().expect("a directory");
        std::os::unix::fs::symlink("/", directory.path().join("memo")).expect("linked");
        let workspace = directory.path().to_str().expect("text");
        let error = protect(workspace, &["made".to_owned(), "memo".to_owned()], &[]).expect_err("a link");
        assert_eq!(error.code, "TARGET_START");
        let expected = format!("container.protected: '{workspace}/memo' is a symbolic link;");
        assert!(error.message.starts_with(&expected), "{}", error.message);
        assert!(!directory.path().join("made").exists());
    }

    #[test]
    fn a_workspace_that_is_no_directory_is_refused() {
        let directory = tempfile::tempdir().expect("a directory");
        fs::write(directory.path().join("file"), "").expect("written");
        for (name, reason) in [("file", "ENOTDIR"), ("missing", "ENOENT")] {
            let path = directory.path().join(name);
            let error = check(path.to_str().expect("text")).expect_err(name);
            let expected =
                format!("container.workspace: '{}' can't be used as a directory: {reason}.", path.display());
            assert_eq!((error.code, error.message), ("TARGET_START", expected));
        }
        check(directory.path().to_str().expect("text")).expect("usable");
    }

    #[test]
    fn mount_points_may_have_blanks() {
        let text =
            b"36 35 98:0 /m /mnt/a\\040b rw - ext3 /dev/root rw\n37 35 0:1 / /proc rw - proc proc rw\n";
        assert_eq!(mount_points(text), ["/mnt/a b", "/proc"].map(PathBuf::from));
    }
}
