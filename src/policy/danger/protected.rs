//! Protected paths, whose loss is beyond repair.

use std::fmt;

use crate::policy::commands::{Analysis, ExpandedCommand, Field, UNKNOWN};
use crate::policy::globs::glob_matches;
use crate::policy::paths::{PathStyle, is_below};
use crate::policy::request::PolicyRequest;
use crate::policy::windows::{self, places};
use crate::policy::writes::START_FILES;
use crate::text::path::normal;

/// Directories of the system, on Linux and macOS.
const SYSTEM_DIRECTORIES: [&str; 62] = [
    "/", "/bin", "/boot", "/boot/efi", "/boot/grub", "/dev", "/etc", "/etc/ssh", "/etc/ssl", "/etc/systemd",
    "/etc/pam.d", "/etc/apt", "/etc/network", "/etc/sudoers.d", "/etc/init.d", "/home", "/lib", "/lib32",
    "/lib64", "/libx32", "/lib/modules", "/lib/systemd", "/media", "/mnt", "/opt", "/proc", "/root", "/run",
    "/sbin", "/srv", "/sys", "/tmp", "/usr", "/usr/bin", "/usr/include", "/usr/lib", "/usr/lib32",
    "/usr/lib64", "/usr/libexec", "/usr/local", "/usr/local/bin", "/usr/local/lib", "/usr/sbin",
    "/usr/share", "/usr/src", "/var", "/var/lib", "/var/lib/dpkg", "/var/lib/docker", "/var/log", "/var/run",
    "/var/spool", "/var/mail", "/var/cache", "/System", "/System/Library", "/System/Volumes", "/Library",
    "/Applications", "/Users", "/Volumes", "/private",
];

/// Directories with temporary content.
const TEMPORARY_DIRECTORIES: [&str; 4] = ["/tmp", "/var/tmp", "/var/cache", "/dev/shm"];

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ProtectedPath {
    /// `/`
    Root,
    /// The root of the project.
    Project(String),
    /// Any other protected path, with what it is.
    Other(String, &'static str),
}

impl fmt::Display for ProtectedPath {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Root => formatter.write_str("the root of the file system"),
            Self::Project(path) => write!(formatter, "{path}, the root of the project"),
            Self::Other(path, what) => write!(formatter, "{path}, {what}"),
        }
    }
}

/// The protected paths of one command line.
#[derive(Debug)]
pub(crate) struct ProtectedPaths<'a> {
    pub(crate) found: &'a Analysis,
    request: &'a PolicyRequest<'a>,
    home: Option<String>,
    root: Option<String>,
}

impl<'a> ProtectedPaths<'a> {
    pub(crate) fn new(found: &'a Analysis, request: &'a PolicyRequest<'a>) -> Self {
        if request.style() == PathStyle::Windows {
            let absolute = |path| PathStyle::Windows.resolve(None, path);
            let home = windows::home_of(request.environment).and_then(absolute);
            return Self { found, request, home, root: request.root().and_then(absolute) };
        }
        let mut lines = request.environment.into_iter().flat_map(|text| text.split('\0'));
        let home =
            lines.find_map(|line| line.strip_prefix("HOME=")).filter(|home| home.len() > 1).map(normal);
        Self { found, request, home, root: request.root().map(normal) }
    }

    /// Returns a protected path; `None` for any other path.
    pub(crate) fn protected(&self, field: &Field, command: &ExpandedCommand) -> Option<ProtectedPath> {
        // In `/tmp/$x`, an unset variable leaves the directory itself, whose content may be removed.
        let is_content = |text: &str| {
            !field.is_literal
                && text.ends_with('/')
                && TEMPORARY_DIRECTORIES.contains(&text.trim_end_matches('/'))
        };
        let mut texts = field.texts().iter().filter(|text| !is_content(text));
        texts.find_map(|text| self.protected_path(text, command.likely_directory()))
    }

    /// Returns whether a path is the root, or everything in it, if its unknown parts are empty: `"$DIR/"*`.
    pub(crate) fn may_be_root(field: &Field) -> bool {
        let text = field.text.replace(UNKNOWN, "");
        !field.is_nonempty
            && text.len() < field.text.len()
            && text.starts_with('/')
            && without_glob(&normal(&text), &[]).is_some_and(|(path, _)| path == "/")
    }

    pub(crate) fn protected_path(&self, text: &str, directory: Option<&str>) -> Option<ProtectedPath> {
        let path = self.absolute(text, directory)?;
        let (path, is_content) = self.without_glob(&path)?;
        let real = self.request.real(&path).unwrap_or_else(|| path.clone());
        let is_temporary = is_content && TEMPORARY_DIRECTORIES.contains(&path.as_str());
        if is_temporary {
            return None;
        }
        [&path, &real].into_iter().find_map(|path| self.place_of(path))
    }

    fn place_of(&self, path: &str) -> Option<ProtectedPath> {
        let other = |what| ProtectedPath::Other(path.to_owned(), what);
        let is_root = self.root.as_ref().is_some_and(|root| root == path);
        if path == "/" {
            return Some(ProtectedPath::Root);
        }
        if self.request.style() == PathStyle::Windows
            && let Some(place) = self.place_on_windows(path)
        {
            return Some(place);
        }
        if is_root {
            return Some(ProtectedPath::Project(path.to_owned()));
        }
        if SYSTEM_DIRECTORIES.contains(&path) || path.starts_with("/lib/") && path.matches('/').count() == 2 {
            return Some(other("a directory of the system"));
        }
        if is_drive(path) {
            return Some(other("a drive of the host"));
        }
        if self.is_home(path) && !self.is_below_root(path) {
            return Some(other("a whole home"));
        }
        let is_above = self
            .root
            .as_ref()
            .is_some_and(|root| root.strip_prefix(path).is_some_and(|rest| rest.starts_with('/')));
        is_above.then(|| other("which holds the project"))
    }

    fn place_on_windows(&self, path: &str) -> Option<ProtectedPath> {
        let other = |what| Some(ProtectedPath::Other(path.to_owned(), what));
        let root = self.root.as_deref();
        if root.is_some_and(|root| windows::is_same_path(path, root)) {
            return Some(ProtectedPath::Project(path.to_owned()));
        }
        if places::is_drive(path) {
            return if path == "/c" { Some(ProtectedPath::Root) } else { other("a drive") };
        }
        if places::is_system_directory(path) {
            return other("a directory of the system");
        }
        if places::is_home(path) && !self.is_below_root(path) {
            return other("a whole home");
        }
        if root.is_some_and(|root| places::holds(path, root)) {
            other("which holds the project")
        } else {
            None
        }
    }

    /// Returns the directory that a path with globs refers to, and whether the globs match everything in it.
    /// `None` if they leave most of the directory alone.
    fn without_glob(&self, path: &str) -> Option<(String, bool)> {
        let names: &[&str] =
            if self.request.style() == PathStyle::Windows { &places::SYSTEM_DIRECTORIES } else { &[] };
        without_glob(path, names)
    }

    fn is_home(&self, path: &str) -> bool {
        self.home.as_deref() == Some(path)
            || ["/home/", "/Users/"].iter().any(|homes| {
                path.strip_prefix(homes).is_some_and(|user| !user.contains('/') && !user.is_empty())
            })
    }

    /// Returns whether shells run a file at their start or end: `~/.bashrc`.
    pub(crate) fn is_start_file(&self, file: &str, command: &ExpandedCommand) -> bool {
        let Some(path) = self.absolute(file, command.likely_directory()) else { return false };
        START_FILES.iter().any(|file| {
            let home = path.strip_suffix(file).and_then(|rest| rest.strip_suffix('/'));
            home.is_some_and(|home| home == "/root" || self.is_home(home))
        }) || self.request.style() == PathStyle::Windows && places::is_start_file(&path, &START_FILES)
    }

    fn is_below_root(&self, path: &str) -> bool {
        self.root.as_ref().is_some_and(|root| path != root && is_below(path, root))
    }

    /// Returns the absolute path; `None` if it is unknown.
    fn absolute(&self, text: &str, directory: Option<&str>) -> Option<String> {
        if text.is_empty() {
            return None;
        }
        if text.contains(UNKNOWN) {
            return None;
        }
        if self.request.style() == PathStyle::Windows {
            return self.absolute_on_windows(text, directory);
        }
        if text.starts_with('/') {
            return Some(normal(text));
        }
        if text == "~" || text.starts_with("~/") {
            return Some(normal(&format!("{}{}", self.home.as_deref().unwrap_or("/home/~"), &text[1..])));
        }
        Some(normal(&format!("{}/{text}", directory?)))
    }

    fn absolute_on_windows(&self, text: &str, directory: Option<&str>) -> Option<String> {
        let text = windows::expanded(text, self.request.environment);
        let of_home = text.strip_prefix('~').filter(|rest| rest.is_empty() || rest.starts_with(['/', '\\']));
        let text = match of_home {
            Some(rest) => format!("{}{rest}", self.home.as_deref().unwrap_or("/c/users/~")).into(),
            None => text,
        };
        PathStyle::Windows.resolve(directory, &text)
    }

    /// Returns the real path of a file.
    pub(crate) fn file(&self, text: &str, command: &ExpandedCommand) -> Option<String> {
        let path = self.absolute(text, command.likely_directory())?;
        Some(self.request.real(&path).unwrap_or(path))
    }

    pub(crate) fn is_inside_root(&self, path: &str) -> bool {
        self.root.as_ref().is_some_and(|root| root != "/" && (path == root || self.is_below_root(path)))
    }
}

/// Returns whether a path is a drive of Windows, or a Windows system directory, in the Windows Subsystem for
/// Linux.
fn is_drive(path: &str) -> bool {
    let Some(rest) = path.strip_prefix("/mnt/") else { return false };
    let (drive, directory) = rest.split_once('/').unwrap_or((rest, ""));
    let is_system = matches!(
        directory,
        "" | "Windows" | "Users" | "Program Files" | "Program Files (x86)" | "ProgramData"
    );
    drive.len() == 1 && drive.starts_with(|char: char| char.is_ascii_alphabetic()) && is_system
}

/// Returns the directory that a path with globs refers to, and whether the globs match everything in it.
/// `None` if they leave most of the directory alone. `on_drives` has further directories of the system, on
/// any drive.
fn without_glob(path: &str, on_drives: &[&str]) -> Option<(String, bool)> {
    let is_glob = |part: &str| part.contains(['*', '?', '[']);
    if !path.split('/').any(is_glob) {
        return Some((path.to_owned(), false));
    }
    let parts: Vec<&str> = path.split('/').skip(1).collect();
    let first = parts.iter().position(|part| is_glob(part))?;
    let directory = normal(&parts[..first].join("/"));
    let glob = parts[first];
    // All parts from the first glob on match everything.
    let takes_all = parts[first..].iter().all(|part| is_whole(part));
    if takes_all {
        return Some((directory, true));
    }
    // `/us*` and `/home/*/` match directories that are protected themselves.
    if parts.len() == first + 1 || parts[first + 1..].iter().all(|part| is_whole(part)) {
        let drive = directory.get(..2).unwrap_or_default();
        let on_drives = on_drives.iter().map(|system| format!("{drive}/{system}"));
        let mut all = SYSTEM_DIRECTORIES.iter().map(|system| (*system).to_owned()).chain(on_drives);
        let candidate = all.find(|system| {
            let (parent, name) = system.rsplit_once('/').unwrap_or(("", system));
            let parent = if parent.is_empty() { "/" } else { parent };
            parent == directory && !name.is_empty() && glob_matches(glob, name)
        });
        return candidate.map(|system| (system, false));
    }
    None
}

/// Returns whether a glob matches nearly everything: `*`, `.*`, `??*`, `[a-z]*`, `.[!.]*`.
fn is_whole(part: &str) -> bool {
    part.is_empty()
        || part.contains('*') && part.chars().filter(|char| char.is_alphanumeric()).count() == 0
        || part.contains('*') && part.starts_with('[') && part.ends_with("]*")
        || part == ".*"
        || !part.is_empty() && part.chars().all(|char| char == '?')
}
