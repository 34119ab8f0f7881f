//! Makes paths read-only (protected) or empty (hidden).

use std::collections::BTreeSet;
use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use rustix::fs::{FileType, StatVfsMountFlags, fstat, fstatvfs};

use super::super::failure::FailureContext;
use super::attached::{PreparedFiles, is_attached};
use super::dev::Blanks;
use super::tree::{self, MountAttrFlags, READ_ONLY, attach_onto_itself, copy, open_link, open_path};
use crate::sandbox::plan::{Place, SandboxPlan, Source};
use crate::sandbox::protocol::report::{SandboxFailure, SandboxStep};

/// The number of further attempts to protect a path that is being replaced, and the pause between two.
const RENEWALS: u32 = 100;
const RENEWAL_PAUSE: Duration = Duration::from_micros(200);

/// Makes the protected paths read-only, and keeps their parents from being renamed.
pub(super) fn protect(plan: &SandboxPlan, root: BorrowedFd<'_>) -> Result<(), SandboxFailure> {
    let protected: BTreeSet<&Path> = plan
        .protected
        .iter()
        .map(PathBuf::as_path)
        .chain(plan.stubs.iter().map(|stub| stub.path.as_path()))
        .collect();
    // If a command could rename the parent of a hidden path or the workspace, the path would be open to the
    // next command.
    let own = plan.places.iter().filter(|place| place.source == Source::Host);
    let fixed = protected
        .iter()
        .copied()
        .chain(plan.hidden.iter().map(PathBuf::as_path))
        .chain(own.map(|place| place.path.as_path()))
        .collect();
    // A path that commands of an overlay have removed still exists on the host.
    let may_be_missing = |path: &Path| plan.overlay.as_ref().is_some_and(|own| path.starts_with(&own.root));
    let is_needed = |path: &Path| !may_be_missing(path) || open_link(root, path).is_ok();
    for parent in parents(&fixed, &plan.places).into_iter().filter(|path| is_needed(path)) {
        let attach = || attach_onto_itself(open_path(root, parent)?.as_fd(), MountAttrFlags::empty());
        attach().at_path(SandboxStep::Protect, parent)?;
    }
    for path in protected.into_iter().filter(|path| is_needed(path)) {
        let attach = || attach_onto_itself(open_link(root, path)?.as_fd(), READ_ONLY);
        repeat(attach).at_path(SandboxStep::Protect, path)?;
    }
    Ok(())
}

/// Protects and hides again the paths that have lost their mounts. If a program of the host renames another
/// file over a path, as `git config` does, the kernel removes the mount: the new file would be open.
pub(in super::super) fn renew(
    plan: &SandboxPlan,
    root: BorrowedFd<'_>,
    blanks: &Blanks,
    files: &PreparedFiles,
) -> io::Result<()> {
    for path in plan.protected.iter().chain(plan.stubs.iter().map(|stub| &stub.path)) {
        repeat(|| protect_again(path, root))?;
    }
    let blank = fstat(&blanks.directory)?.st_dev;
    for path in &plan.hidden {
        repeat(|| hide_again(path, root, blanks, (blank, files)))?;
    }
    Ok(())
}

/// Retries until a path is protected or hidden. The kernel removes the mount shortly before the new file has
/// the name; in between, nothing can be attached there.
fn repeat(mut attempt: impl FnMut() -> io::Result<()>) -> io::Result<()> {
    for _ in 0..RENEWALS {
        match attempt() {
            Err(error) if error.kind() == io::ErrorKind::NotFound => thread::sleep(RENEWAL_PAUSE),
            other => return other,
        }
    }
    attempt()
}

fn protect_again(path: &Path, root: BorrowedFd<'_>) -> io::Result<()> {
    let place = match open_link(root, path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        other => other?,
    };
    if fstatvfs(&place)?.f_flag.contains(StatVfsMountFlags::RDONLY) {
        return Ok(());
    }
    attach_onto_itself(place.as_fd(), READ_ONLY)
}

/// `blank` is the device number of the file system of the blanks. A file of the engine stays in its place.
fn hide_again(
    path: &Path,
    root: BorrowedFd<'_>,
    blanks: &Blanks,
    (blank, files): (u64, &PreparedFiles),
) -> io::Result<()> {
    let is_hidden = match open_path(root, path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        other => {
            let place = other?;
            fstat(&place)?.st_dev == blank || is_attached(files, path, place.as_fd())
        }
    };
    if is_hidden { Ok(()) } else { hide_one(path, root, blanks) }
}

/// Returns the directories between a path and the innermost place around it, parents first, if that is the
/// host's own. Each becomes a mount, which can't be renamed or removed.
fn parents<'a>(fixed: &BTreeSet<&'a Path>, places: &[Place]) -> BTreeSet<&'a Path> {
    let between = |path: &'a Path| {
        let around = places.iter().filter(|place| path.starts_with(&place.path) && path != place.path);
        let innermost = around.max_by_key(|place| place.path.as_os_str().len());
        let innermost =
            innermost.filter(|place| place.source == Source::Host).map(|place| place.path.clone());
        path.ancestors().skip(1).take_while(move |parent| {
            innermost.as_deref().is_some_and(|place| parent.starts_with(place) && *parent != place)
        })
    };
    fixed.iter().flat_map(|path| between(path)).filter(|parent| !fixed.contains(parent)).collect()
}

/// Attaches a blank over each hidden path. A path that was removed in the meantime is skipped.
pub(super) fn hide(plan: &SandboxPlan, root: BorrowedFd<'_>, blanks: &Blanks) -> Result<(), SandboxFailure> {
    for path in &plan.hidden {
        repeat(|| hide_one(path, root, blanks)).at_path(SandboxStep::Hide, path)?;
    }
    Ok(())
}

fn hide_one(path: &Path, root: BorrowedFd<'_>, blanks: &Blanks) -> io::Result<()> {
    let place = match open_path(root, path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        other => other?,
    };
    let is_directory = FileType::from_raw_mode(fstat(&place)?.st_mode).is_dir();
    let shown = blanks.shown.iter().find(|(hidden, _)| hidden == path).map(|(_, copies)| copies);
    let blank = if is_directory { shown.unwrap_or(&blanks.directory) } else { &blanks.file };
    let tree = copy(blank.as_fd())?;
    tree::attach(tree.as_fd(), place.as_fd())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::Path;

    use super::{Place, Source, parents};

    fn between(protected: &[&str], writable: &[&str]) -> Vec<String> {
        let protected: BTreeSet<&Path> = protected.iter().map(Path::new).collect();
        let places: Vec<Place> = writable
            .iter()
            .map(|path| match path.strip_prefix("copy:") {
                Some(path) => Place { path: path.into(), source: Source::Memory(1) },
                None => Place { path: path.into(), source: Source::Host },
            })
            .collect();
        parents(&protected, &places).iter().map(|path| path.display().to_string()).collect()
    }

    #[test]
    fn directories_between_a_writable_path_and_a_protected_one_are_mounts() {
        assert_eq!(between(&["/w/a/b/c", "/w/a/d"], &["/w"]), ["/w/a", "/w/a/b"]);
        assert_eq!(between(&["/w/a"], &["/w"]), [""; 0]);
        assert_eq!(between(&["/w/a/b/c"], &["/w", "/w/a"]), ["/w/a/b"]);
        assert_eq!(between(&["/w/a/b"], &["/w", "/w/a/b"]), ["/w/a"], "a place in another one");
        assert_eq!(between(&["/w/a/b"], &["copy:/w"]), [""; 0], "no directory of the host moves");
    }

    #[test]
    fn a_protected_parent_is_no_mount_of_its_own() {
        assert_eq!(between(&["/w/a", "/w/a/b"], &["/w"]), [""; 0]);
    }
}
