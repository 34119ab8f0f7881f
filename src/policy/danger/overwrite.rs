//! Commands that overwrite files of the system, or disks as files.

use super::disk::is_disk;
use super::protected::ProtectedPaths;
use crate::policy::commands::{ExpandedCommand, Field, written_files};
use crate::policy::decision::{Danger, Effect};
use crate::policy::paths::PathStyle;
use crate::policy::windows::places;
use crate::syntax::tree::RedirectMode;

/// Files without which nobody can log in.
const ACCOUNT_FILES: [&str; 7] = [
    "/etc/passwd", "/etc/shadow", "/etc/group", "/etc/gshadow", "/etc/sudoers", "/etc/fstab",
    "/etc/ld.so.preload",
];

/// Files, beside those of accounts, without which nothing starts or works.
const SYSTEM_FILES: [&str; 14] = [
    "/etc/ld.so.conf", "/etc/crontab", "/etc/profile", "/etc/hosts", "/etc/resolv.conf",
    "/etc/ssh/sshd_config", "/etc/inittab", "/etc/securetty", "/etc/environment", "/etc/bash.bashrc",
    "/etc/nsswitch.conf", "/etc/shells", "/etc/machine-id", "/proc/sysrq-trigger",
];

/// Directories in which every file belongs to the system.
const SYSTEM_DIRECTORIES: [&str; 13] = [
    "/bin/", "/sbin/", "/boot/", "/lib/", "/lib64/", "/usr/bin/", "/usr/sbin/", "/usr/lib/", "/sys/",
    "/proc/sys/", "/etc/pam.d/", "/etc/sudoers.d/", "/etc/cron.d/",
];

/// Programs without which nobody can log in or little runs.
const BASE_PROGRAMS: [&str; 20] = [
    "sh", "bash", "dash", "sudo", "su", "ls", "cat", "login", "init", "systemctl", "mount", "env", "rm",
    "cp", "ssh", "passwd", "python3", "perl", "apt", "dpkg",
];

/// Files to which programs append lines without harm.
const MAY_GROW: [&str; 3] = ["/etc/hosts", "/etc/fstab", "/etc/environment"];

pub(super) fn by_redirection(command: &ExpandedCommand, paths: &ProtectedPaths) -> Option<Danger> {
    let written = |field: &Field, is_append: bool| {
        field.texts().iter().find_map(|text| writes(text, is_append, command, paths))
    };
    let redirected = command.redirections.iter().find_map(|redirect| {
        let is_append = redirect.mode == RedirectMode::Append;
        let is_write = matches!(
            redirect.mode,
            RedirectMode::Write | RedirectMode::ReadWrite | RedirectMode::DuplicateOutput
        ) || is_append;
        if is_write { written(&redirect.target, is_append) } else { None }
    });
    redirected.or_else(|| {
        let files = written_files(command.base_name()?, &command.words);
        files.iter().find_map(|file| written(file, false))
    })
}

/// Returns the harm of writing to `target`: a disk, or a file of the system.
pub(crate) fn writes(
    target: &str,
    is_append: bool,
    command: &ExpandedCommand,
    paths: &ProtectedPaths,
) -> Option<Danger> {
    let path = paths.file(target, command)?;
    let is_windows = command.style == PathStyle::Windows;
    if is_disk(&path) || is_windows && (places::is_disk(&path) || places::is_drive(&path)) {
        return Some(Danger::new(Effect::Overwrite, &format!("overwrite {path}, a disk")));
    }
    let is_file = is_file(&path) && !(is_append && MAY_GROW.contains(&path.as_str()));
    let is_in_directory = SYSTEM_DIRECTORIES.iter().any(|directory| path.starts_with(directory));
    let is_outside = !paths.is_inside_root(&path);
    let is_on_windows = is_windows && places::is_system_file(&path, is_append);
    let is_harmful = (is_file || is_in_directory || is_on_windows) && is_outside;
    is_harmful.then(|| Danger::new(Effect::Overwrite, &format!("overwrite {path}, a file of the system")))
}

fn is_file(path: &str) -> bool {
    ACCOUNT_FILES.contains(&path) || SYSTEM_FILES.contains(&path)
}

/// Returns whether a directory has the programs of the system.
fn has_programs(directory: &str) -> bool {
    matches!(directory, "/bin" | "/usr/bin" | "/sbin" | "/usr/sbin")
}

/// Returns the harm of removing a file of the system from its place.
pub(crate) fn loses_file(field: &Field, command: &ExpandedCommand, paths: &ProtectedPaths) -> Option<Danger> {
    let path = paths.file(&field.text, command)?;
    let is_file = ACCOUNT_FILES.contains(&path.as_str())
        || is_disk(&path)
        || is_base_program(&path)
        || command.style == PathStyle::Windows && places::is_system_file(&path, false)
        || field.has_glob && takes_base(&path);
    is_file.then(|| Danger::new(Effect::Removal, &format!("remove {path}, a file of the system")))
}

/// Returns the harm of a copy, a move or a link onto a file of the system. A new program in a system
/// directory does no harm.
pub(crate) fn copies_onto(
    targets: &[String],
    command: &ExpandedCommand,
    paths: &ProtectedPaths,
) -> Option<Danger> {
    targets.iter().find_map(|target| {
        let path = paths.file(target, command)?;
        let is_harmful = is_disk(&path)
            || is_file(&path)
            || path.starts_with("/boot/")
            || path.starts_with("/proc/")
            || path.starts_with("/sys/")
            || is_base_program(&path)
            || command.style == PathStyle::Windows
                && (places::is_system_file(&path, false) || places::is_disk(&path));
        if is_harmful { writes(target, false, command, paths) } else { None }
    })
}

/// Returns whether a glob in the last part of a path matches files without which nobody can log in or little
/// runs: `/bin/*`.
fn takes_base(path: &str) -> bool {
    let Some((before, after)) = path.split_once(['*', '?', '[']) else { return false };
    let after = after.rsplit(['*', '?', ']']).next().unwrap_or(after);
    let (directory, begin) = before.rsplit_once('/').unwrap_or(("", before));
    let takes = |name: &str| name.starts_with(begin) && name.ends_with(after);
    has_programs(directory) && BASE_PROGRAMS.iter().any(|name| takes(name))
        || ACCOUNT_FILES
            .iter()
            .filter_map(|file| file.strip_prefix("/etc/"))
            .any(|name| directory == "/etc" && takes(name))
}

/// Returns whether little runs without a program or library.
fn is_base_program(path: &str) -> bool {
    let (directory, name) = path.rsplit_once('/').unwrap_or(("", path));
    has_programs(directory) && BASE_PROGRAMS.contains(&name)
        || path.starts_with("/lib/") && name.starts_with("libc")
        || path.starts_with("/lib64/")
}
