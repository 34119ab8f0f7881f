//! Names of files that may be short ones, and names of programs.

use super::form::fold;

/// Endings of programs that a name may lack.
const PROGRAM_ENDINGS: [&str; 5] = [".exe", ".com", ".cmd", ".bat", ".ps1"];

/// Returns whether a name in its one form is `long`, or may be a short name (8.3) for it: `git~1` for `.git`.
///
/// Only the file system knows its short names, so each number is possible, and so are the four digits of a
/// checksum that come behind two letters from the fifth name on.
fn may_be(name: &str, long: &str) -> bool {
    if name == long {
        return true;
    }
    let Some((begin, rest)) = name.split_once('~').filter(|(begin, _)| !begin.is_empty()) else {
        return false;
    };
    let (number, ending) = rest.split_once('.').unwrap_or((rest, ""));
    if number.is_empty() || !number.bytes().all(|byte| byte.is_ascii_digit()) {
        return false;
    }
    let kept = |text: &str| -> String {
        let char = |char: char| if "+,;=[]".contains(char) || !char.is_ascii() { '_' } else { char };
        text.chars().filter(|char| !matches!(char, '.' | ' ')).map(char).collect()
    };
    let long = long.trim_start_matches(['.', ' ']);
    let (base, long_ending) = long.rsplit_once('.').unwrap_or((long, ""));
    let (base, long_ending) = (kept(base), kept(long_ending));
    let is_checksum = begin.len() <= 6
        && begin.is_char_boundary(begin.len().saturating_sub(4))
        && begin.len() > 4
        && begin[begin.len() - 4..].bytes().all(|byte| byte.is_ascii_hexdigit())
        && base.starts_with(&begin[..begin.len() - 4]);
    (base.starts_with(begin) || is_checksum) && long_ending.get(..3).unwrap_or(&long_ending) == ending
}

/// Returns the part of a path behind a place, which may be written with short names; `None` if the path is
/// not at the place or below it.
pub(in crate::policy) fn starts_at<'a>(path: &'a str, place: &str) -> Option<&'a str> {
    let mut rest = path.trim_start_matches('/');
    for long in place.split('/').filter(|part| !part.is_empty()) {
        let (name, behind) = rest.split_once('/').unwrap_or((rest, ""));
        if !may_be(name, long) {
            return None;
        }
        rest = behind;
    }
    Some(rest)
}

/// Returns whether two paths in their one form may be the same.
pub(in crate::policy) fn is_same_path(path: &str, place: &str) -> bool {
    starts_at(path, place).is_some_and(str::is_empty)
}

/// Returns whether a path in its one form may be a directory that holds a place.
pub(in crate::policy) fn is_above(path: &str, place: &str) -> bool {
    let count = path.split('/').filter(|part| !part.is_empty()).count();
    let mut ends = place.match_indices('/').map(|(at, _)| at).chain([place.len()]);
    ends.nth(count).is_some_and(|end| end < place.len() && is_same_path(path, &place[..end]))
}

/// Returns whether a path in its one form has the names of `end` in a row: at its end, or anywhere if
/// `anywhere`.
pub(in crate::policy) fn has_end(path: &str, end: &str, anywhere: bool) -> bool {
    let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
    let wanted: Vec<&str> = end.split('/').collect();
    let mut starts = parts.windows(wanted.len()).enumerate();
    starts.any(|(at, names)| {
        (anywhere || at + wanted.len() == parts.len())
            && names.iter().zip(&wanted).all(|(name, long)| may_be(name, long))
    })
}

/// Returns the program that a name stands for, as the table of programs has it: `C:\Windows\CMD.EXE` is
/// `C:/Windows/cmd`.
pub(in crate::policy) fn program_name(text: &str) -> String {
    let slashed = text.replace('\\', "/");
    let at = slashed.rfind(['/', ':']).map_or(0, |at| at + 1);
    let (directory, name) = slashed.split_at(at);
    let folded = fold(name);
    let bare = folded.trim_end_matches(['.', ' ']);
    let name = PROGRAM_ENDINGS.iter().find_map(|ending| bare.strip_suffix(ending)).unwrap_or(bare);
    // `.`, `..` and `.exe` are no programs with an ending.
    let name = if name.is_empty() { folded.as_str() } else { name };
    let directory = directory.strip_suffix(':').map_or(directory.to_owned(), |drive| format!("{drive}:/"));
    format!("{directory}{name}")
}

#[cfg(test)]
mod tests {
    use super::{has_end, is_above, is_same_path, may_be, program_name, starts_at};

    #[test]
    fn a_short_name_may_stand_for_a_long_one() {
        for (short, long) in [
            ("git~1", ".git"),
            ("ssh~12", ".ssh"),
            ("progra~1", "program files"),
            ("progra~3", "programdata"),
            ("git-cr~1", ".git-credentials"),
            ("pr3a4f~1", "program files"),
            ("micros~1.ps1", "microsoft.powershell_profile.ps1"),
        ] {
            assert!(may_be(short, long), "{short}");
        }
        for (short, long) in [("git~", ".git"), ("~1", ".git"), ("gut~1", ".git"), ("git~1.x", ".git")] {
            assert!(!may_be(short, long), "{short}");
        }
    }

    #[test]
    fn a_path_is_compared_name_by_name() {
        assert_eq!(starts_at("/c/windows/a/b", "/c/windows"), Some("a/b"));
        assert_eq!(starts_at("/c/windowsapps", "/c/windows"), None);
        assert!(is_same_path("/c/progra~1", "/c/program files"));
        assert!(is_above("/c/wo~1", "/c/work/a") && is_above("/c", "/c/work"));
        assert!(!is_above("/c/work", "/c/work") && !is_above("/c/other", "/c/work/a"));
        assert!(has_end("/a/git~1/hooks", ".git", true) && !has_end("/a/.gitx", ".git", true));
        assert!(has_end("/c/u/.bashrc", ".bashrc", false) && !has_end("/c/.bashrc/x", ".bashrc", false));
    }

    #[test]
    fn a_program_has_no_ending_and_no_case() {
        assert_eq!(program_name("RM.EXE"), "rm");
        assert_eq!(program_name(r"C:\Windows\System32\Cmd.exe"), "C:/Windows/System32/cmd");
        assert_eq!(program_name("C:cmd"), "C:/cmd");
        assert_eq!(program_name("Remove-Item"), "remove-item");
        assert_eq!([program_name("."), program_name("./x.cmd")], [".".to_owned(), "./x".to_owned()]);
    }
}
