//! Protected paths of Windows, the counterparts of those of Unix in [`danger`](crate::policy::danger) and in
//! [`writes`](crate::policy::writes). Paths are in their one form, without the drive.

use super::form::absolute;
use super::names::{has_end, is_above, is_same_path, starts_at};

/// Directories of the system, on any drive.
pub(in crate::policy) const SYSTEM_DIRECTORIES: [&str; 30] = [
    "windows",
    "windows/boot",
    "windows/fonts",
    "windows/inf",
    "windows/installer",
    "windows/servicing",
    "windows/system32",
    "windows/system32/config",
    "windows/system32/drivers",
    "windows/system32/drivers/etc",
    "windows/system32/driverstore",
    "windows/system32/windowspowershell",
    "windows/system32/wbem",
    "windows/syswow64",
    "windows/winsxs",
    "boot",
    "efi",
    "program files",
    "program files (x86)",
    "program files/common files",
    "program files (x86)/common files",
    "programdata",
    "programdata/microsoft",
    "programdata/package cache",
    "users",
    "users/public",
    "users/default",
    "documents and settings",
    "system volume information",
    "$recycle.bin",
];

/// Further directories of the system, which restore it.
const RECOVERY: [&str; 2] = ["recovery", "windows.old"];

/// Directories in which every file belongs to the system.
const SYSTEM_FILES_BELOW: [&str; 9] = [
    "windows/system32",
    "windows/syswow64",
    "windows/boot",
    "windows/winsxs",
    "windows/servicing",
    "boot",
    "efi",
    "system volume information",
    "recovery",
];

/// Files without which nothing starts or works.
const SYSTEM_FILES: [&str; 9] = [
    "bootmgr", "bootnxt", "boot.ini", "ntldr", "ntdetect.com", "pagefile.sys", "swapfile.sys",
    "hiberfil.sys", "windows/explorer.exe",
];

/// Files to which programs append lines without harm.
const MAY_GROW: [&str; 1] = ["windows/system32/drivers/etc/hosts"];

/// Directories with the homes of users.
const HOMES: [&str; 2] = ["users", "documents and settings"];

/// Files and directories, in any place, in which programs find commands, keys or tokens.
const SETTINGS: [&str; 20] = [
    ".aws",
    ".azure",
    ".docker",
    ".kube",
    ".npmrc",
    ".pypirc",
    ".wslconfig",
    "_netrc",
    "_vimrc",
    ".config/gh",
    "appdata/local/google/chrome/user data",
    "appdata/local/microsoft/credentials",
    "appdata/local/microsoft/edge/user data",
    "appdata/local/microsoft/windowsapps",
    "appdata/roaming/gcloud",
    "appdata/roaming/github cli",
    "appdata/roaming/microsoft",
    "appdata/roaming/mozilla/firefox",
    "appdata/roaming/npm",
    "start menu/programs/startup",
];

/// Files and directories in a home that shells run, or that the system runs when its user logs in.
const START_FILES: [&str; 4] = [
    "documents/powershell",
    "documents/windowspowershell",
    "appdata/roaming/microsoft/windows/start menu/programs/startup",
    "onedrive/documents/windowspowershell",
];

/// Returns the path on the drive that a path leads to, if it is that of a volume or of another machine's
/// drive, which may be this machine by another name. `C` is the usual drive.
fn local(path: &str) -> Option<String> {
    if let Some(rest) = path.strip_prefix("/dev/volume") {
        return Some(format!("/c{rest}"));
    }
    let (_, rest) = path.strip_prefix("/unc/")?.split_once('/')?;
    let (share, rest) = rest.split_once('/').unwrap_or((rest, ""));
    match share.strip_suffix('$')? {
        "admin" => absolute(&format!("/c/windows/{rest}"), None).map(|absolute| absolute.path),
        letter if letter.len() == 1 => Some(format!("/{letter}/{rest}").trim_end_matches('/').to_owned()),
        _ => None,
    }
}

/// Returns the path behind the drive, if there is one.
fn on_drive(path: &str) -> Option<String> {
    let path = local(path).unwrap_or_else(|| path.to_owned());
    let rest = path.strip_prefix('/')?;
    let (drive, behind) = rest.split_once('/').unwrap_or((rest, ""));
    let is_drive = drive.len() == 1 && drive.starts_with(|char: char| char.is_ascii_alphabetic());
    is_drive.then(|| behind.to_owned())
}

/// Returns whether a path is a whole drive.
pub(in crate::policy) fn is_drive(path: &str) -> bool {
    on_drive(path).is_some_and(|rest| rest.is_empty())
}

/// Returns whether a path is a directory of the system.
pub(in crate::policy) fn is_system_directory(path: &str) -> bool {
    let mut all = SYSTEM_DIRECTORIES.iter().chain(&RECOVERY);
    on_drive(path).is_some_and(|rest| all.any(|place| !rest.is_empty() && is_same_path(&rest, place)))
}

/// Returns whether a path is the whole home of a user.
pub(in crate::policy) fn is_home(path: &str) -> bool {
    let Some(rest) = on_drive(path) else { return false };
    let user = HOMES.iter().find_map(|homes| starts_at(&rest, homes));
    user.is_some_and(|user| !user.is_empty() && !user.contains('/'))
}

/// Returns whether a path may be that of a directory, or of one that holds the directory.
pub(in crate::policy) fn holds(path: &str, directory: &str) -> bool {
    let path = local(path).unwrap_or_else(|| path.to_owned());
    is_same_path(&path, directory) || is_above(&path, directory)
}

/// Returns whether a file belongs to the system. With `is_append`, lines are added to it.
pub(in crate::policy) fn is_system_file(path: &str, is_append: bool) -> bool {
    let Some(rest) = on_drive(path) else { return false };
    let is_below = |place: &&str| starts_at(&rest, place).is_some_and(|behind| !behind.is_empty());
    let may_grow = is_append && MAY_GROW.iter().any(|file| is_same_path(&rest, file));
    !may_grow
        && !rest.is_empty()
        && (SYSTEM_FILES.iter().any(|file| is_same_path(&rest, file))
            || SYSTEM_FILES_BELOW.iter().any(is_below))
}

/// Returns whether a path is that of a disk or a volume as a file.
pub(in crate::policy) fn is_disk(path: &str) -> bool {
    let device = path.strip_prefix("/dev/").unwrap_or_default();
    device.starts_with("physicaldrive") || device.starts_with("harddisk") || device == "volume"
}

/// Returns whether programs find commands or keys in a file, by a list of names besides the own ones.
pub(in crate::policy) fn holds_commands(path: &str, others: &[&str]) -> bool {
    let mut all = SETTINGS.iter().chain(&START_FILES).chain(others);
    all.any(|settings| has_end(path, settings, true))
}

/// Returns whether shells run a file at their start, or the system when a user logs in.
pub(in crate::policy) fn is_start_file(path: &str, others: &[&str]) -> bool {
    START_FILES.iter().any(|start| has_end(path, start, true))
        || others.iter().any(|start| has_end(path, start, false))
}

#[cfg(test)]
mod tests {
    use super::{holds, holds_commands, is_drive, is_home, is_system_directory, is_system_file};

    #[test]
    fn places_are_found_on_each_drive_and_by_other_names_of_it() {
        for path in [
            "/c/windows", "/d/windows/system32", "/unc/srv/c$/windows", "/unc/srv/admin$",
            "/dev/volume/users",
        ] {
            assert!(is_system_directory(path), "{path}");
        }
        assert!(is_system_directory("/c/progra~1") && !is_system_directory("/c/windowsapps"));
        assert!(is_drive("/c") && is_drive("/unc/srv/d$") && is_drive("/dev/volume") && !is_drive("/c/a"));
        assert!(is_home("/c/users/ann") && is_home("/c/users/ann~1") && !is_home("/c/users/ann/x"));
        assert!(holds("/c", "/c/work") && holds("/unc/x/c$/work", "/c/work") && !holds("/c/wor", "/c/work"));
    }

    #[test]
    fn files_of_the_system_and_settings_are_known() {
        assert!(is_system_file("/c/windows/system32/config/sam", false));
        assert!(!is_system_file("/c/windows/system32/drivers/etc/hosts", true));
        assert!(!is_system_file("/c/windows/temp/x", false));
        assert!(holds_commands("/sub/git~1/hooks/x", &[".git"]) && holds_commands("/_netrc", &[]));
    }
}
