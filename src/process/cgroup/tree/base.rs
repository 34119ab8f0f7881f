//! The directory in which commands have a cgroup each.

use std::collections::HashSet;
use std::io;
use std::os::fd::OwnedFd;
use std::path::Path;

use rustix::fs::{Access, CWD, Mode, OFlags, access, fstatfs, openat};

use super::files::{name_of, read, write};
use crate::process::fd::reserve::with_reserve;

/// The type of a file system of cgroups of version 2.
const CGROUP2: u64 = 0x6367_7270;

/// The controllers that give limits and counts. That of `io` costs the most, so it is enabled when it is
/// asked for.
const USUAL: [&str; 3] = ["memory", "pids", "cpu"];

/// An opened directory, and the controllers that its cgroups have.
#[derive(Debug)]
pub(super) struct CgroupBase {
    pub(super) directory: OwnedFd,
    controllers: HashSet<String>,
    /// Why other controllers could not be enabled, each with its reason.
    reasons: Vec<(&'static str, String)>,
}

impl CgroupBase {
    /// Opens a directory and enables the usual controllers and `more` in it.
    ///
    /// # Errors
    ///
    /// Why the directory is of no use.
    pub(super) fn open(path: &Path, more: &[&'static str]) -> Result<Self, String> {
        let shown = path.display();
        let directory = open(path)?;
        let words = |name| Ok(words(&read(&directory, name)?));
        let unreadable = |error: io::Error| unreadable(path, &error);
        let mut controllers = words("cgroup.subtree_control").map_err(unreadable)?;
        let wanted: Vec<_> = USUAL.iter().chain(more).filter(|&&name| !controllers.contains(name)).collect();
        if wanted.is_empty() {
            return Ok(Self { directory, controllers, reasons: Vec::new() });
        }
        check_kind(&directory, path)?;
        let available = words("cgroup.controllers").map_err(unreadable)?;
        let mut reasons = Vec::new();
        for &&name in &wanted {
            if !available.contains(name) {
                reasons.push((name, lacking(path, name)));
                continue;
            }
            match write(&directory, "cgroup.subtree_control", &format!("+{name}")) {
                Ok(()) => drop(controllers.insert(name.to_owned())),
                Err(error) => {
                    let error = name_of(&error);
                    reasons.push((name, format!("'{name}' can't be enabled in {shown}: {error}")));
                }
            }
        }
        Ok(Self { directory, controllers, reasons })
    }

    /// Checks whether cgroups in the directory have a controller.
    ///
    /// # Errors
    ///
    /// Why they do not.
    pub(super) fn check(&self, controller: &str) -> Result<(), String> {
        if self.controllers.contains(controller) {
            return Ok(());
        }
        let reason = self.reasons.iter().find(|(name, _)| *name == controller);
        Err(reason
            .map_or_else(|| format!("there is no controller '{controller}'"), |(_, reason)| reason.clone()))
    }
}

/// Returns the controllers that commands could have in a directory, and changes nothing.
pub(super) fn controllers_of(path: &Path) -> Result<String, String> {
    let directory = open(path)?;
    if access(path, Access::WRITE_OK).is_err() {
        return Err(format!("{} may not be changed by this user", path.display()));
    }
    check_kind(&directory, path)?;
    read(&directory, "cgroup.controllers").map_err(|error| unreadable(path, &error))
}

/// Opens a directory of cgroups.
fn open(path: &Path) -> Result<OwnedFd, String> {
    let shown = path.display();
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let directory = with_reserve(|| openat(CWD, path, flags, Mode::empty()).map_err(io::Error::from))
        .map_err(|error| format!("{shown} can't be opened: {}", name_of(&error)))?;
    // In a container with cgroups of version 1, any directory below /sys/fs/cgroup may be a plain one.
    let kind = fstatfs(&directory).ok().and_then(|system| u64::try_from(system.f_type).ok());
    if kind == Some(CGROUP2) {
        Ok(directory)
    } else {
        Err(format!("{shown} is no directory of cgroups of version 2"))
    }
}

fn unreadable(path: &Path, error: &io::Error) -> String {
    format!("{} can't be read: {}", path.display(), name_of(error))
}

/// Checks that the directory may have controllers: no process is in it, and it is of the kind `domain`. A
/// controller in a directory with processes would make it a threaded one, which has no memory controller.
fn check_kind(directory: &OwnedFd, path: &Path) -> Result<(), String> {
    let shown = path.display();
    // The root of all cgroups has no kind, and may have processes.
    let Ok(kind) = read(directory, "cgroup.type") else { return Ok(()) };
    let kind = kind.trim();
    if kind != "domain" {
        return Err(format!("{shown} is a cgroup of the kind '{kind}', expected 'domain'"));
    }
    match read(directory, "cgroup.procs") {
        Ok(processes) if processes.is_empty() => Ok(()),
        Ok(_) => Err(format!(
            "there are processes in {shown}, and only a cgroup without any can limit others: move them into \
             a cgroup below it before Node.js starts"
        )),
        Err(error) => Err(unreadable(path, &error)),
    }
}

fn lacking(path: &Path, controller: &str) -> String {
    let parent = path.parent().unwrap_or(path).display();
    let shown = path.display();
    format!(
        "there is no controller '{controller}' in {shown}: 'echo +{controller} > \
         {parent}/cgroup.subtree_control' gives it one, unless it belongs to cgroups of version 1"
    )
}

fn words(text: &str) -> HashSet<String> {
    text.split_ascii_whitespace().map(str::to_owned).collect()
}
