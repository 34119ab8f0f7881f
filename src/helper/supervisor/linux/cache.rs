//! The cached copy of this program, from which later connections start without another transfer.

use std::fs::{self, File, Permissions};
use std::io::{self, Write};
use std::os::fd::AsRawFd;
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::Path;
use std::time::{Duration, SystemTime};

use rustix::fs::{AtFlags, CWD, Mode, OFlags, linkat, open};

use super::facts::{OWN_PROGRAM, hash_of};
use crate::helper::supervisor::protocol::hello::HASH;

/// The age from which on the cached helpers of other versions are removed.
const OLD_HELPER: Duration = Duration::from_secs(30 * 24 * 60 * 60);

/// The age from which on the file of a copy that was killed is removed.
const OLD_COPY: Duration = Duration::from_secs(24 * 60 * 60);

/// The permissions of a cached helper.
const MODE: u32 = 0o700;

/// Puts this program, which was copied over the stream and has the hash `own`, at `path`. Without room,
/// nothing is cached.
pub(super) fn install(path: &Path, own: [u8; HASH], nonce: &str) {
    // Another connection may have been faster.
    if hash_of(path).is_ok_and(|cached| cached == own) {
        return;
    }
    let Ok(program) = fs::read(OWN_PROGRAM) else { return };
    if install_unnamed(path, &program).is_err() {
        let _ = install_renamed(path, nonce, &program);
    }
}

/// Writes a file without a name, and links it: nothing unfinished stays when this process is killed.
fn install_unnamed(path: &Path, program: &[u8]) -> io::Result<()> {
    let directory = path.parent().unwrap_or(path);
    let flags = OFlags::TMPFILE | OFlags::WRONLY | OFlags::CLOEXEC;
    let mut file = File::from(open(directory, flags, Mode::from_raw_mode(MODE))?);
    write(&mut file, program)?;
    let unnamed = format!("/proc/self/fd/{}", file.as_raw_fd());
    // An existing file is damaged, or has just been put there by another connection.
    let _ = fs::remove_file(path);
    Ok(linkat(CWD, unnamed, CWD, path, AtFlags::SYMLINK_FOLLOW)?)
}

/// Writes a temporary file, and renames it: for file systems without unnamed files.
fn install_renamed(path: &Path, nonce: &str, program: &[u8]) -> io::Result<()> {
    let temporary = path.with_file_name(format!(".{nonce}"));
    let mut file = File::options().write(true).create_new(true).mode(MODE).open(&temporary)?;
    let written = write(&mut file, program);
    drop(file);
    let renamed = written.and_then(|()| fs::rename(&temporary, path));
    renamed.inspect_err(|_| drop(fs::remove_file(&temporary)))
}

fn write(file: &mut File, program: &[u8]) -> io::Result<()> {
    file.write_all(program)?;
    // The umask is that of the account.
    file.set_permissions(Permissions::from_mode(MODE))
}

/// Marks the cached helper that this process runs as used, and removes old ones beside it.
pub(super) fn mark_used() {
    let Ok(program) = fs::read_link(OWN_PROGRAM) else { return };
    let is_cached = program.parent().is_some_and(|directory| directory.ends_with("agent-bash"))
        && name_of(&program).starts_with("helper-");
    if !is_cached {
        return;
    }
    if let Ok(file) = File::open(&program) {
        let _ = file.set_modified(SystemTime::now());
    }
    let entries = program.parent().and_then(|directory| fs::read_dir(directory).ok());
    for path in entries.into_iter().flatten().flatten().map(|entry| entry.path()) {
        let limit = match name_of(&path) {
            name if name.starts_with("helper-") => OLD_HELPER,
            name if name.starts_with('.') => OLD_COPY,
            _ => continue,
        };
        let age = fs::symlink_metadata(&path).and_then(|metadata| metadata.modified()).map(|at| at.elapsed());
        if path != program && age.is_ok_and(|age| age.is_ok_and(|age| age > limit)) {
            let _ = fs::remove_file(path);
        }
    }
}

fn name_of(path: &Path) -> &str {
    path.file_name().and_then(|name| name.to_str()).unwrap_or_default()
}
