//! The copy of the helper that supervisors run. An update of the package, or the unmounting of the image that
//! the package is in, must not take its pages.

use std::fs::{self, DirBuilder, File, Permissions};
use std::io::{self, Write};
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::PoisonError;

use rustix::process::geteuid;
use sha2::{Digest, Sha256};

use crate::process::fd::above_standard_streams;
use crate::process::fd::unnamed_file::unnamed_file;

/// A program that can be executed.
#[derive(Debug)]
pub(super) enum HelperCopy {
    File(PathBuf),
    /// A file in memory, where no directory takes the copy: by this path, while it is open.
    Memory(OwnedFd),
}

impl HelperCopy {
    pub(super) fn path(&self) -> PathBuf {
        match self {
            Self::File(path) => path.clone(),
            // systemd starts the program from a process of its own.
            Self::Memory(file) => format!("/proc/{}/fd/{}", std::process::id(), file.as_raw_fd()).into(),
        }
    }
}

/// Returns the copy of the helper in this directory, which is made at the first time.
pub(super) fn copy_of(helper: &Path, cache: Option<&Path>) -> io::Result<HelperCopy> {
    /// The last copy that was made or checked, with the cache of it. The hash of the helper takes
    /// milliseconds.
    static LAST: Mutex<Option<(PathBuf, PathBuf)>> = Mutex::new(None);
    let Some(cache) = cache else { return in_memory(helper) };
    let mut last = LAST.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((directory, copy)) = &*last
        && directory == cache
        && is_ours(copy)
    {
        return Ok(HelperCopy::File(copy.clone()));
    }
    match install(helper, cache) {
        Ok(copy) => {
            *last = Some((cache.to_owned(), copy.clone()));
            Ok(HelperCopy::File(copy))
        }
        Err(_) => in_memory(helper),
    }
}

fn is_ours(path: &Path) -> bool {
    let is_right = |file: fs::Metadata| {
        file.is_file() && file.uid() == geteuid().as_raw() && file.mode() & 0o777 == 0o700 && file.len() > 0
    };
    fs::symlink_metadata(path).is_ok_and(is_right)
}

fn install(helper: &Path, cache: &Path) -> io::Result<PathBuf> {
    let program = fs::read(helper)?;
    let path = cache.join(format!("helper-{:x}", Sha256::digest(&program)));
    if is_ours(&path) && fs::read(&path)? == program {
        let _ = File::open(&path).and_then(|file| file.set_modified(std::time::SystemTime::now()));
        return executable(path);
    }
    DirBuilder::new().mode(0o700).recursive(true).create(cache)?;
    // A name of this process: another one may install the same helper at the same time.
    let temporary = cache.join(format!(".helper-{}", std::process::id()));
    let _ = fs::remove_file(&temporary);
    let mut file = File::options().write(true).create_new(true).mode(0o700).open(&temporary)?;
    let written = file.write_all(&program);
    let written = written.and_then(|()| file.set_permissions(Permissions::from_mode(0o700)));
    drop(file);
    let renamed = written.and_then(|()| fs::rename(&temporary, &path));
    renamed.inspect_err(|_| drop(fs::remove_file(&temporary)))?;
    executable(path)
}

/// Returns the path, unless it is on a file system without programs.
fn executable(path: PathBuf) -> io::Result<PathBuf> {
    rustix::fs::access(&path, rustix::fs::Access::EXEC_OK)?;
    Ok(path)
}

fn in_memory(helper: &Path) -> io::Result<HelperCopy> {
    let mut file = File::from(unnamed_file()?);
    file.write_all(&fs::read(helper)?)?;
    // A file that is open for writing can't be executed.
    let read = File::open(format!("/proc/self/fd/{}", file.as_raw_fd()))?;
    drop(file);
    Ok(HelperCopy::Memory(above_standard_streams(read.into())?))
}
