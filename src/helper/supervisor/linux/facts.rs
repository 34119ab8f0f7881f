//! The hello of the supervisor: its program's hash, and what is known of the machine.

use std::ffi::OsString;
use std::fs;
use std::path::Path;
use std::process;
use std::time::{SystemTime, UNIX_EPOCH};

use rustix::process::{getgid, getuid};
use rustix::system::uname;
use sha2::{Digest, Sha256};

use crate::helper::supervisor::protocol::VERSION;
use crate::helper::supervisor::protocol::hello::{HASH, SupervisorHello};
use crate::process::cgroup::own::{memory, pids};

/// The program of this process.
pub(super) const OWN_PROGRAM: &str = "/proc/self/exe";

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
