//! The hello of the supervisor: its program's hash, and what is known of the machine.

use std::ffi::OsString;
use std::fs;
use std::path::Path;
use std::process;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rustix::process::{getgid, getuid};
use rustix::system::uname;
use sha2::{Digest, Sha256};

use super::cgroup::{memory, pids};
use super::protocol::VERSION;
use super::protocol::hello::{HASH, SupervisorHello};

/// The program of this process.
const OWN_PROGRAM: &str = "/proc/self/exe";

/// The age from which on the cached helpers of other versions are removed.
const OLD_HELPER: Duration = Duration::from_secs(30 * 24 * 60 * 60);

/// The age from which on an unfinished copy is removed.
const OLD_COPY: Duration = Duration::from_secs(24 * 60 * 60);

/// Returns the SHA-256 of a program.
///
/// # Errors
///
/// The system's error when the file can't be read.
pub(super) fn hash_of(program: &Path) -> std::io::Result<[u8; HASH]> {
    Ok(Sha256::digest(fs::read(program)?).into())
}

/// Returns the hello. `nonce` shows the host that this is the supervisor that it started.
pub(super) fn hello(nonce: &str, own: &[(OsString, OsString)]) -> SupervisorHello {
    let system = uname();
    let variable = |wanted: &str| {
        let found = own.iter().find(|(name, _)| name == wanted);
        found.map(|(_, value)| value.to_string_lossy().into_owned()).unwrap_or_default()
    };
    let directory = fs::read_link("/proc/self/cwd").unwrap_or_default();
    let answer = |is: bool| if is { "yes" } else { "no" }.to_owned();
    let facts = [
        ("nonce", nonce.to_owned()),
        ("system", system.sysname().to_string_lossy().into_owned()),
        ("release", system.release().to_string_lossy().into_owned()),
        ("machine", system.machine().to_string_lossy().into_owned()),
        ("uid", getuid().as_raw().to_string()),
        ("gid", getgid().as_raw().to_string()),
        ("home", variable("HOME")),
        ("shell", variable("SHELL")),
        ("cwd", directory.to_string_lossy().into_owned()),
        ("memory", memory()),
        ("pids", pids()),
        ("ptmx", answer(Path::new("/dev/ptmx").exists())),
        ("children", answer(Path::new(&format!("/proc/self/task/{}/children", process::id())).exists())),
    ];
    SupervisorHello {
        version: VERSION,
        lowest: VERSION,
        pid: process::id(),
        // A hash of 0 fits no helper, so the host starts a fresh copy.
        hash: hash_of(Path::new(OWN_PROGRAM)).unwrap_or_default(),
        time: SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .map_or(0, |time| u64::try_from(time.as_millis()).unwrap_or(u64::MAX)),
        facts: facts.into_iter().map(|(name, value)| (name.to_owned(), value)).collect(),
    }
}

/// Removes the file of this program and its directory: a copy for one connection, outside of a cache.
pub(super) fn remove_own_file() {
    if let Ok(program) = fs::read_link(OWN_PROGRAM) {
        let _ = fs::remove_file(&program);
        let _ = program.parent().map(fs::remove_dir);
    }
}

/// Marks a cached helper as used, and removes old ones beside it.
pub(super) fn keep_cache() {
    let Ok(program) = fs::read_link(OWN_PROGRAM) else { return };
    let is_cached = program.parent().is_some_and(|directory| directory.ends_with("agent-bash"))
        && name_of(&program).starts_with("helper-");
    if !is_cached {
        return;
    }
    if let Ok(file) = fs::File::open(&program) {
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
