//! The protected paths of a workspace, on this machine.

use std::fs::{self, DirBuilder};
use std::io;
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use crate::process::errno::Errno;
use crate::sandbox::plan::paths::expand;
use crate::target::error::TargetError;

/// The protected paths of a workspace, and the directories that were made for them.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Protection {
    /// The paths that get a read-only mount each: the protected ones, and mount points below them.
    pub(super) paths: Vec<PathBuf>,
    /// The directories that were made for this container, parents first.
    pub(super) made: Vec<PathBuf>,
}

/// Finds the protected paths. Creates a missing one as a directory: otherwise the engine would create it as
/// root, or a command could. A path that is created later stays writable, even if it matches a pattern.
///
/// # Errors
///
/// `TARGET_START` for a path that can't be protected. Created directories are removed again.
pub(super) fn protect(workspace: &str, protected: &[String]) -> Result<Protection, TargetError> {
    let mut protection = Protection::default();
    let mounts = mount_points(&fs::read("/proc/self/mountinfo").unwrap_or_default());
    for path in protected.iter().flat_map(|path| expand(&Path::new(workspace).join(path))) {
        if let Err(error) = make_missing(Path::new(workspace), &path, &mut protection.made) {
            remove(&protection.made);
            let what = format!("the protected path {}", path.display());
            return Err(TargetError::start(&what, &Errno::of(&error).name()));
        }
        let below = mounts.iter().filter(|mount| mount.starts_with(&path) && **mount != path);
        protection.paths.push(path.clone());
        // A read-only mount does not change the mounts below it.
        protection.paths.extend(below.cloned());
    }
    Ok(protection)
}

/// Removes directories that were made and are empty.
pub(super) fn remove(made: &[PathBuf]) {
    for path in made.iter().rev() {
        let _ = fs::remove_dir(path);
    }
}

/// Creates the missing directories of a path. Refuses a link in the path: commands could change it, and its
/// target need not be in the workspace.
fn make_missing(workspace: &Path, path: &Path, made: &mut Vec<PathBuf>) -> io::Result<()> {
    let below = path.strip_prefix(workspace).map_err(io::Error::other)?;
    let mut current = workspace.to_owned();
    for name in below {
        current.push(name);
        match fs::symlink_metadata(&current) {
            Ok(metadata) if metadata.is_symlink() => return Err(io::Error::from_raw_os_error(libc::ELOOP)),
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                DirBuilder::new().mode(0o755).create(&current)?;
                made.push(current.clone());
            }
            Err(error) => return Err(error),
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

    use super::{mount_points, protect, remove};

    #[test]
    fn a_missing_path_is_made_and_removed_again() {
        let directory = tempfile::tempdir().expect("a directory");
        let workspace = directory.path().to_str().expect("text");
        let protection = protect(workspace, &["memo/user".to_owned()]).expect("protected");
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
        let protection = protect(workspace, &["*.lock".to_owned()]).expect("protected");
        assert_eq!(protection.paths, ["a.lock", "b.lock"].map(|name| directory.path().join(name)));
        assert!(protection.made.is_empty());
    }

    #[test]
    fn a_link_is_refused_and_nothing_is_left() {
        let directory = tempfile::tempdir().expect("a directory");
        std::os::unix::fs::symlink("/", directory.path().join("memo")).expect("linked");
        let workspace = directory.path().to_str().expect("text");
        let error = protect(workspace, &["made".to_owned(), "memo".to_owned()]).expect_err("a link");
        assert_eq!(error.code, "TARGET_START");
        assert!(error.message.contains("ELOOP"), "{}", error.message);
        assert!(!directory.path().join("made").exists());
    }

    #[test]
    fn mount_points_may_have_blanks() {
        let text =
            b"36 35 98:0 /m /mnt/a\\040b rw - ext3 /dev/root rw\n37 35 0:1 / /proc rw - proc proc rw\n";
        assert_eq!(mount_points(text), ["/mnt/a b", "/proc"].map(PathBuf::from));
    }
}
