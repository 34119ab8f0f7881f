//! The settings by which programs in the sandbox find the name server of the engine.
//!
//! The host's settings would direct them elsewhere: `/etc/hosts` to addresses that can't be reached, and
//! other sources of names to sockets of the host.

use std::ffi::CStr;
use std::fs::{self, File};
use std::io::{self, Write};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};

use rustix::fs::{Mode, OFlags, openat};

use super::super::failure::FailureContext;
use super::tree::{self, READ_ONLY, WRITABLE, copy, new_file_system, open_path, set_attributes};
use crate::sandbox::protocol::inside::NAME_SERVER;
use crate::sandbox::protocol::report::{SandboxFailure, SandboxStep};

/// The directory in which the files are created. Another mount covers it afterwards.
const STAGE: &str = "/dev";

/// The size of their file system (bytes).
const SIZE: &[u8] = b"262144";

/// Files to be attached, and where.
pub(super) struct ResolverFiles(Vec<(PathBuf, OwnedFd)>);

/// Creates the files. Files that the host does not have are left out: a C library without `/etc/resolv.conf`
/// queries a name server on loopback.
pub(super) fn prepare(root: BorrowedFd<'_>) -> Result<ResolverFiles, SandboxFailure> {
    prepare_all(root).at(SandboxStep::Names)
}

fn prepare_all(root: BorrowedFd<'_>) -> io::Result<ResolverFiles> {
    let settings: [(&CStr, Option<&[u8]>); 2] = [(c"mode", Some(b"0755")), (c"size", Some(SIZE))];
    let mount = new_file_system(c"tmpfs", &settings, WRITABLE)?;
    let stage = Path::new(STAGE);
    tree::attach(mount.as_fd(), open_path(root, stage)?.as_fd())?;
    let stage = open_path(root, stage)?;
    let name = fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let sources = fs::read_to_string("/etc/nsswitch.conf").unwrap_or_default();
    let files = [
        ("hosts", hosts(name.trim())),
        ("resolv.conf", format!("nameserver {}\nsearch .\n", NAME_SERVER.ip())),
        ("nsswitch.conf", with_own_sources(&sources)),
    ];
    let mut made = Vec::new();
    for (name, text) in files {
        // The file may be a link, as with systemd.
        let Ok(path) = fs::canonicalize(Path::new("/etc").join(name)) else { continue };
        let flags = OFlags::CREATE | OFlags::EXCL | OFlags::WRONLY | OFlags::CLOEXEC;
        File::from(openat(&stage, name, flags, Mode::from_raw_mode(0o644))?).write_all(text.as_bytes())?;
        made.push((path, open_path(stage.as_fd(), Path::new(name))?));
    }
    Ok(ResolverFiles(made))
}

/// Attaches the files. A path that does not exist inside is left out.
pub(super) fn attach(settings: &ResolverFiles, root: BorrowedFd<'_>) -> Result<(), SandboxFailure> {
    for (path, file) in &settings.0 {
        attach_one(path, file, root).at_path(SandboxStep::Names, path)?;
    }
    Ok(())
}

fn attach_one(path: &Path, file: &OwnedFd, root: BorrowedFd<'_>) -> io::Result<()> {
    let place = match open_path(root, path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        other => other?,
    };
    let tree = copy(file.as_fd())?;
    set_attributes(tree.as_fd(), READ_ONLY, 0)?;
    tree::attach(tree.as_fd(), place.as_fd())
}

fn hosts(name: &str) -> String {
    let own = if name.is_empty() { String::new() } else { format!("127.0.0.1\t{name}\n") };
    format!("127.0.0.1\tlocalhost\n::1\tlocalhost ip6-localhost ip6-loopback\n{own}")
}

/// Returns the host's sources of users, groups and the rest, with names of hosts from `/etc/hosts` and DNS.
fn with_own_sources(text: &str) -> String {
    let others = text.lines().filter(|line| !line.trim_start().starts_with("hosts:"));
    others.chain(["hosts: files dns"]).flat_map(|line| [line, "\n"]).collect()
}

#[cfg(test)]
mod tests {
    use super::{hosts, with_own_sources};

    #[test]
    fn only_the_sources_of_hosts_are_replaced() {
        let text = "passwd: files systemd\n hosts: files resolve dns\nhosts: mdns4\nservices: db files";
        assert_eq!(with_own_sources(text), "passwd: files systemd\nservices: db files\nhosts: files dns\n");
    }

    #[test]
    fn this_machine_is_on_loopback() {
        assert!(hosts("box").ends_with("127.0.0.1\tbox\n"));
        assert!(!hosts("").contains("127.0.0.1\t\n"));
    }
}
