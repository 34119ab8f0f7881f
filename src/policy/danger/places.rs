//! Protected paths: their loss is beyond repair.

use crate::policy::commands::scope::normal;
use crate::policy::commands::{Field, Found, STARTUP_FILES, UNKNOWN};
use crate::policy::request::Request;

/// Directories of the system, on Linux and macOS.
const SYSTEM: [&str; 62] = [
    "/",
    "/bin",
    "/boot",
    "/boot/efi",
    "/boot/grub",
    "/dev",
    "/etc",
    "/etc/ssh",
    "/etc/ssl",
    "/etc/systemd",
    "/etc/pam.d",
    "/etc/apt",
    "/etc/network",
    "/etc/sudoers.d",
    "/etc/init.d",
    "/home",
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/lib/modules",
    "/lib/systemd",
    "/media",
    "/mnt",
    "/opt",
    "/proc",
    "/root",
    "/run",
    "/sbin",
    "/srv",
    "/sys",
    "/tmp",
    "/usr",
    "/usr/bin",
    "/usr/include",
    "/usr/lib",
    "/usr/lib32",
    "/usr/lib64",
    "/usr/libexec",
    "/usr/local",
    "/usr/local/bin",
    "/usr/local/lib",
    "/usr/sbin",
    "/usr/share",
    "/usr/src",
    "/var",
    "/var/lib",
    "/var/lib/dpkg",
    "/var/lib/docker",
    "/var/log",
    "/var/run",
    "/var/spool",
    "/var/mail",
    "/var/cache",
    "/System",
    "/System/Library",
    "/System/Volumes",
    "/Library",
    "/Applications",
    "/Users",
    "/Volumes",
    "/private",
];

/// Directories with temporary content.
const TEMPORARY: [&str; 4] = ["/tmp", "/var/tmp", "/var/cache", "/dev/shm"];

/// The protected paths of one command line.
#[derive(Debug)]
pub(super) struct Places<'a> {
    request: &'a Request<'a>,
    home: Option<String>,
    root: Option<String>,
}

impl<'a> Places<'a> {
    pub(super) fn new(request: &'a Request<'a>) -> Self {
        let mut lines = request.environment.into_iter().flat_map(|text| text.split('\0'));
        let home =
            lines.find_map(|line| line.strip_prefix("HOME=")).filter(|home| home.len() > 1).map(normal);
        Self { request, home, root: request.root().map(normal) }
    }

    /// Returns the name of a protected path as a part of a sentence; `None` for any other path.
    pub(super) fn protected(&self, field: &Field, command: &Found) -> Option<String> {
        // An unset variable in `/tmp/$x` leaves the directory itself, of which the content may be removed.
        let is_content = !field.is_literal
            && field.text.ends_with('/')
            && TEMPORARY.contains(&field.text.trim_end_matches('/'));
        if is_content { None } else { self.protected_path(&field.text, directory_of(command)) }
    }

    /// Returns the name of a directory of the system, or of a home, in which a path names any file: `/etc/$(cat list)`. The
    /// output of a command may be empty, and the path is that of the directory then.
    pub(super) fn holder(&self, field: &Field, command: &Found) -> Option<String> {
        let (directory, rest) = field.text.split_at(field.text.find(UNKNOWN)?);
        let unknown = rest.chars().take_while(|char| *char == UNKNOWN).count();
        let is_any = unknown > 1 && rest.chars().all(|char| matches!(char, UNKNOWN | '/' | '*'));
        if !is_any || !directory.ends_with('/') {
            return None;
        }
        let place = self.protected_path(&format!("{directory}*"), directory_of(command))?;
        let is_project = place.ends_with("the project");
        if is_project { None } else { Some(place) }
    }

    pub(super) fn protected_path(&self, text: &str, directory: Option<&str>) -> Option<String> {
        let path = self.absolute(text, directory)?;
        let (path, is_content) = without_glob(&path)?;
        let real = self.request.paths.real(&path).unwrap_or_else(|| path.clone());
        let is_temporary = is_content && TEMPORARY.contains(&path.as_str());
        if is_temporary {
            return None;
        }
        [&path, &real].into_iter().find_map(|path| self.name_of(path))
    }

    fn name_of(&self, path: &str) -> Option<String> {
        let is_root = self.root.as_ref().is_some_and(|root| root == path);
        if path == "/" {
            return Some("the root of the file system".to_owned());
        }
        if is_root {
            return Some(format!("{path}, the root of the project"));
        }
        if SYSTEM.contains(&path) || path.starts_with("/lib/") && path.matches('/').count() == 2 {
            return Some(format!("{path}, a directory of the system"));
        }
        if self.is_home(path) && !self.is_below_root(path) {
            return Some(format!("{path}, a whole home"));
        }
        let is_above = self
            .root
            .as_ref()
            .is_some_and(|root| root.strip_prefix(path).is_some_and(|rest| rest.starts_with('/')));
        is_above.then(|| format!("{path}, which holds the project"))
    }

    fn is_home(&self, path: &str) -> bool {
        self.home.as_deref() == Some(path)
            || ["/home/", "/Users/"].iter().any(|homes| {
                path.strip_prefix(homes).is_some_and(|user| !user.contains('/') && !user.is_empty())
            })
    }

    /// Returns whether shells run a file at their start or end: `~/.bashrc`.
    pub(super) fn is_start_file(&self, path: &str) -> bool {
        STARTUP_FILES.iter().any(|file| {
            let home = path.strip_suffix(file).and_then(|rest| rest.strip_suffix('/'));
            home.is_some_and(|home| home == "/root" || self.is_home(home))
        })
    }

    fn is_below_root(&self, path: &str) -> bool {
        self.root
            .as_ref()
            .is_some_and(|root| path.strip_prefix(root.as_str()).is_some_and(|rest| rest.starts_with('/')))
    }

    /// Returns the absolute path; `None` if it is not known.
    fn absolute(&self, text: &str, directory: Option<&str>) -> Option<String> {
        if text.is_empty() {
            return None;
        }
        if text.contains(UNKNOWN) {
            return None;
        }
        if text.starts_with('/') {
            return Some(normal(text));
        }
        if text == "~" || text.starts_with("~/") {
            return Some(normal(&format!("{}{}", self.home.as_deref().unwrap_or("/home/~"), &text[1..])));
        }
        Some(normal(&format!("{}/{text}", directory?)))
    }

    /// Returns the real path of a file.
    pub(super) fn file(&self, text: &str, command: &Found) -> Option<String> {
        let path = self.absolute(text, directory_of(command))?;
        Some(self.request.paths.real(&path).unwrap_or(path))
    }

    pub(super) fn is_inside_root(&self, path: &str) -> bool {
        self.root.as_ref().is_some_and(|root| root != "/" && (path == root || self.is_below_root(path)))
    }
}

/// Returns the directory of a command's relative paths, as far as it is known or likely.
fn directory_of(command: &Found) -> Option<&str> {
    command.directory.as_deref().or(command.likely_directory.as_deref())
}

/// Returns the directory that a path with globs stands for, and whether the globs take all that is in it. `None` if they leave
/// most of the directory alone.
fn without_glob(path: &str) -> Option<(String, bool)> {
    let is_glob = |part: &str| part.contains(['*', '?', '[']);
    if !path.split('/').any(is_glob) {
        return Some((path.to_owned(), false));
    }
    let parts: Vec<&str> = path.split('/').skip(1).collect();
    let first = parts.iter().position(|part| is_glob(part))?;
    let directory = normal(&parts[..first].join("/"));
    let glob = parts[first];
    // All parts from the first glob on take everything.
    let takes_all = parts[first..].iter().all(|part| is_whole(part));
    if takes_all {
        return Some((directory, true));
    }
    // `/us*` and `/home/*/` mean directories that are protected themselves.
    if parts.len() == first + 1 || parts[first + 1..].iter().all(|part| is_whole(part)) {
        let candidate = SYSTEM.iter().find(|system| {
            let (parent, name) = system.rsplit_once('/').unwrap_or(("", system));
            let parent = if parent.is_empty() { "/" } else { parent };
            parent == directory && !name.is_empty() && glob_matches(glob, name)
        });
        return candidate.map(|system| ((*system).to_owned(), false));
    }
    None
}

/// Returns whether a glob takes nearly everything: `*`, `.*`, `??*`, `[a-z]*`, `.[!.]*`.
fn is_whole(part: &str) -> bool {
    part.is_empty()
        || part.contains('*') && part.chars().filter(|char| char.is_alphanumeric()).count() == 0
        || part.contains('*') && part.starts_with('[') && part.ends_with("]*")
        || part == ".*"
        || !part.is_empty() && part.chars().all(|char| char == '?')
}

/// Returns whether a glob of a shell matches a name. A bracket expression matches any character, so that too much is protected.
pub(super) fn glob_matches(glob: &str, name: &str) -> bool {
    let mut chars: Vec<Option<char>> = Vec::new();
    let mut rest = glob.chars();
    while let Some(char) = rest.next() {
        match char {
            '[' => {
                for char in rest.by_ref() {
                    if char == ']' {
                        break;
                    }
                }
                chars.push(None);
            }
            '?' => chars.push(None),
            char => chars.push(Some(char)),
        }
    }
    let name: Vec<char> = name.chars().collect();
    // Each part but `*` takes a character: a long glob is no reason to go through all of it.
    if chars.iter().filter(|char| **char != Some('*')).count() > name.len() {
        return false;
    }
    // reached[n]: the glob so far matches the first n characters.
    let mut reached = vec![false; name.len() + 1];
    reached[0] = true;
    for char in chars {
        let mut next = vec![false; name.len() + 1];
        for index in 0..=name.len() {
            next[index] = match char {
                Some('*') => reached[index] || index > 0 && next[index - 1],
                None => index > 0 && reached[index - 1],
                Some(char) => index > 0 && reached[index - 1] && name[index - 1] == char,
            };
        }
        reached = next;
    }
    reached[name.len()]
}
