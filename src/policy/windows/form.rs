//! The one form of a path: `/c/users/ann/file` for a drive, `/unc/server/share/file` for a server, and
//! `/dev/physicaldrive0` for a device. A path of Git Bash (`/usr/bin`) keeps its own.
//!
//! A text has one form even where programs differ about its meaning. The form is then the one that is outside
//! of most roots: `C:a` is `/c/a`, and a path that climbs above its drive has no real path.

use std::borrow::Cow;

/// Directories of the installation of Git Bash, which its programs see in the root.
const OF_GIT_BASH: [&str; 23] = [
    "bin", "boot", "clang64", "cmd", "clangarm64", "dev", "etc", "home", "lib", "mingw32", "mingw64", "mnt",
    "opt", "proc", "root", "run", "sbin", "srv", "sys", "tmp", "ucrt64", "usr", "var",
];

/// Directories with the drives, of Cygwin and of the Windows Subsystem for Linux.
const MOUNTS: [&str; 3] = ["cygdrive/", "proc/cygdrive/", "mnt/"];

/// Names of this machine before a share.
const LOCAL_SERVERS: [&str; 5] =
    ["localhost", ".", "::1", "--1.ipv6-literal.net", "0-0-0-0-0-0-0-1.ipv6-literal.net"];

/// The drive of a path without one, in a directory that has none.
const USUAL_DRIVE: &str = "/c";

/// An absolute path in its one form, without `.` and `..`.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::policy) struct Absolute {
    pub(in crate::policy) path: String,
    /// Whether a `..` stands above the drive: some programs then stay on the drive, others reach another one.
    pub(in crate::policy) climbs: bool,
}

/// Returns whether a text is an absolute path that only Windows has: `C:\a`, `C:/a`, `\\server\share`.
pub(in crate::policy) fn is_native(path: &str) -> bool {
    path.starts_with(r"\\") || drive(path).is_some_and(|(_, rest)| rest.starts_with(['/', '\\']))
}

/// Returns the drive before a path, and the path behind the colon.
fn drive(path: &str) -> Option<(char, &str)> {
    let mut chars = path.chars();
    let letter = chars.next().filter(char::is_ascii_alphabetic)?;
    chars.as_str().strip_prefix(':').map(|rest| (letter.to_ascii_lowercase(), rest))
}

/// Returns a path with slashes and without the case, streams, and last dots and blanks of its names; absolute
/// paths begin with `/`. `directory` is in its one form, and has the drive of `\a`.
pub(in crate::policy) fn plain(text: &str, directory: Option<&str>) -> String {
    let slashed: Cow<str> = if text.contains('\\') { text.replace('\\', "/").into() } else { text.into() };
    if let Some(rest) = ["//?/", "//./", "/??/"].iter().find_map(|prefix| slashed.strip_prefix(prefix)) {
        return device(rest.trim_start_matches('/'));
    }
    if let Some(rest) = slashed.strip_prefix("//") {
        return server(rest.trim_start_matches('/'));
    }
    if let Some((letter, rest)) = drive(&slashed) {
        return below(&format!("/{letter}"), rest.trim_start_matches('/'));
    }
    let Some(rest) = slashed.strip_prefix('/') else { return names(&slashed) };
    let first = |path: &str| name(path.split('/').next().unwrap_or_default()).into_owned();
    let is_drive = |name: &str| name.len() == 1 && name.starts_with(|char: char| char.is_ascii_alphabetic());
    let mounted = MOUNTS.iter().find_map(|mount| strip(rest, mount)).filter(|rest| is_drive(&first(rest)));
    let rest = mounted.unwrap_or(rest);
    let first = first(rest);
    let is_rooted = first.is_empty() || is_drive(&first) || OF_GIT_BASH.contains(&first.as_str());
    if is_rooted && !text.starts_with('\\') { below("", rest) } else { below(root_of(directory), rest) }
}

/// Returns the absolute path of a text; `None` for a relative one without a directory.
pub(in crate::policy) fn absolute(text: &str, directory: Option<&str>) -> Option<Absolute> {
    let path = plain(text, directory);
    let joined = if path.starts_with('/') { path } else { format!("{}/{path}", directory?) };
    let root = joined.match_indices('/').nth(root_names(&joined)).map_or(joined.len(), |(at, _)| at);
    let (root, rest) = joined.split_at(root);
    let mut parts: Vec<&str> = Vec::new();
    let mut climbs = false;
    for part in rest.split('/') {
        match part {
            "" | "." => {}
            ".." => climbs |= parts.pop().is_none(),
            part => parts.push(part),
        }
    }
    let mut path = root.to_owned();
    for part in parts {
        path.push('/');
        path.push_str(part);
    }
    Some(Absolute { path: if path.is_empty() { "/".to_owned() } else { path }, climbs })
}

/// Returns the number of names that are the root of a path in its one form: a drive, or a server with its
/// share.
fn root_names(path: &str) -> usize {
    match path.split('/').nth(1).unwrap_or_default() {
        "unc" => 3,
        first if first.len() == 1 && first.starts_with(|char: char| char.is_ascii_alphabetic()) => 1,
        _ => 0,
    }
}

/// Returns the drive, or the share, of a directory.
fn root_of(directory: Option<&str>) -> &str {
    let Some(directory) = directory else { return USUAL_DRIVE };
    match root_names(directory) {
        0 => USUAL_DRIVE,
        count => {
            let end = directory.match_indices('/').nth(count).map_or(directory.len(), |(at, _)| at);
            &directory[..end]
        }
    }
}

/// Returns a path of a drive as the system's calls take it; `None` for a path that no drive has.
#[must_use]
pub fn native(path: &str) -> Option<String> {
    match root_names(path) {
        0 => None,
        1 => Some(format!("{}:\\{}", &path[1..2], path.get(3..).unwrap_or_default().replace('/', "\\"))),
        _ => Some(format!("\\\\{}", path.strip_prefix("/unc/")?.replace('/', "\\"))),
    }
}

/// Returns the rest of a text behind a prefix in any case.
fn strip<'a>(text: &'a str, prefix: &str) -> Option<&'a str> {
    let start = text.get(..prefix.len())?;
    if start.eq_ignore_ascii_case(prefix) { text.get(prefix.len()..) } else { None }
}

/// Returns the path behind `\\?\` or `\\.\`.
fn device(rest: &str) -> String {
    if let Some(rest) = strip(rest, "unc/") {
        return server(rest);
    }
    if let Some((letter, rest)) = drive(rest) {
        return below(&format!("/{letter}"), rest.trim_start_matches('/'));
    }
    let rest = strip(rest, "globalroot/").unwrap_or(rest);
    let rest = strip(rest, "device/").unwrap_or(rest);
    let (first, behind) = rest.split_once('/').unwrap_or((rest, ""));
    if strip(first, "volume").or_else(|| strip(first, "harddiskvolume")).is_some() {
        return below("/dev/volume", behind);
    }
    below("/dev", rest)
}

/// Returns the path behind `\\`, which begins with a server.
fn server(rest: &str) -> String {
    let (server, behind) = rest.split_once('/').unwrap_or((rest, ""));
    let server = fold(server.split('@').next().unwrap_or_default());
    let (share, behind) = behind.split_once('/').unwrap_or((behind, ""));
    let share = fold(share);
    let is_local = LOCAL_SERVERS.contains(&server.as_str()) || server.starts_with("127.");
    match share.strip_suffix('$') {
        Some("admin") if is_local => below("/c/windows", behind),
        Some(letter) if is_local && letter.len() == 1 => below(&format!("/{letter}"), behind),
        _ => below(&format!("/unc/{server}/{share}"), behind),
    }
}

fn below(root: &str, rest: &str) -> String {
    format!("{root}/{}", names(rest))
}

/// Returns a path with each of its names as the file system keeps it.
fn names(path: &str) -> String {
    path.split('/').map(name).collect::<Vec<_>>().join("/")
}

/// Returns a name without its case, its stream (`id::$DATA`), and the dots and blanks at its end.
fn name(text: &str) -> Cow<'_, str> {
    let file = text.split(':').next().unwrap_or_default().trim_end_matches(' ');
    let name = if matches!(file, "." | "..") { file } else { file.trim_end_matches(['.', ' ']) };
    match name {
        "" if text.is_empty() => "".into(),
        "" => ".".into(),
        name => fold(name).into(),
    }
}

/// Returns a name in the case by which names are compared.
///
/// NTFS compares upper-case letters by a table with one letter for each, in which no other letter becomes one
/// of ASCII. So `é` is `É`, `ß` is itself, and `ı` is no `I`. Letters of ASCII are small here, as in lists.
pub(super) fn fold(text: &str) -> String {
    let folded = |char: char| {
        if char.is_ascii() {
            return char.to_ascii_lowercase();
        }
        let mut upper = char.to_uppercase();
        match (upper.next(), upper.next()) {
            (Some(upper), None) if !upper.is_ascii() => upper,
            _ => char,
        }
    };
    text.chars().map(folded).collect()
}

#[cfg(test)]
mod tests {
    use super::{absolute, is_native, native, plain};

    fn form(text: &str) -> String {
        absolute(text, Some("/c/work")).map_or_else(String::new, |absolute| absolute.path)
    }

    #[test]
    fn every_spelling_has_one_form() {
        for text in [
            r"C:\Users\Ann\.ssh\id",
            "C:/Users/Ann/.ssh/id",
            r"c:\users/ANN\.SSH/ID",
            "/c/Users/Ann/.ssh/id",
            "/cygdrive/c/Users/Ann/.ssh/id",
            "/mnt/c/Users/Ann/.ssh/id",
            r"\\?\C:\Users\Ann\.ssh\id",
            r"\\.\C:\Users\Ann\.ssh\id",
            "//?/C:/Users/Ann/.ssh/id",
            r"\Users\Ann\.ssh\id",
            "/Users/Ann/.ssh/id",
            r"C:Users\Ann\.ssh\id",
            r"\\localhost\c$\Users\Ann\.ssh\id",
            r"\\127.0.0.1\C$\Users\Ann\.ssh\id",
            r"\\?\UNC\localhost\c$\Users\Ann\.ssh\id",
            r"..\Users\.\Ann\x\..\.ssh\id",
            r"C:\Users\Ann.\.ssh. \id..",
            r"C:\Users\Ann\.ssh::$INDEX_ALLOCATION\id::$DATA",
            r"C:\\Users\\\Ann\.ssh\...\id",
        ] {
            assert_eq!(form(text), "/c/users/ann/.ssh/id", "{text}");
        }
    }

    #[test]
    fn other_places_have_forms_of_their_own() {
        assert_eq!(form(r"\\srv\Share\a"), "/unc/srv/share/a");
        assert_eq!(form(r"\\srv@SSL\share\a"), "/unc/srv/share/a");
        assert_eq!(form(r"\\.\PhysicalDrive0"), "/dev/physicaldrive0");
        assert_eq!(form(r"\\?\Volume{1-2}\Windows"), "/dev/volume/windows");
        assert_eq!(form("/usr/bin"), "/usr/bin");
        assert_eq!(form("D:"), "/d");
        assert_eq!(form("/"), "/");
        assert_eq!(absolute(r"\a", Some("/unc/s/h/d")).expect("a path").path, "/unc/s/h/a");
        assert_eq!(absolute("a", None), None);
    }

    #[test]
    fn names_are_compared_by_single_upper_case_letters() {
        assert_eq!(plain("Müller", None), plain("MÜLLER", None));
        assert_ne!(plain("straße", None), plain("STRASSE", None));
        assert_ne!(plain("w\u{131}n", None), plain("win", None));
    }

    #[test]
    fn a_path_stays_on_its_drive() {
        let climbs = |text| absolute(text, Some("/c/work")).map(|absolute| (absolute.path, absolute.climbs));
        assert_eq!(climbs(r"C:\..\d"), Some(("/c/d".to_owned(), true)));
        assert_eq!(climbs("../x"), Some(("/c/x".to_owned(), false)));
        assert_eq!(climbs("../../x"), Some(("/c/x".to_owned(), true)));
    }

    #[test]
    fn a_native_path_has_a_drive_or_a_server() {
        assert!([r"C:\a", "c:/a", r"\\s\h"].into_iter().all(is_native));
        assert!(!["/c/a", "C:", "C:a", "//s/h", "a", ""].into_iter().any(is_native));
        assert_eq!(native("/c/a/b").as_deref(), Some(r"c:\a\b"));
        assert_eq!(native("/c").as_deref(), Some(r"c:\"));
        assert_eq!(native("/unc/s/h/a").as_deref(), Some(r"\\s\h\a"));
        assert_eq!(native("/usr/bin"), None);
    }
}
