//! Lists the paths at which a program may be, as `execvp` searches them.

use std::ffi::{CString, NulError};

/// The path that `execvp` searches when `PATH` is not set.
const DEFAULT_PATH: &str = "/bin:/usr/bin";

/// The length (bytes) from which on a directory in `PATH` is skipped: the kernel's `PATH_MAX`.
const PATH_MAX: usize = 4096;

/// Returns the paths to try for `program`, in order.
///
/// A name with a slash is a path itself. Any other name is searched in `path`, where an empty entry means the
/// working directory.
///
/// # Errors
///
/// When the name or an entry has a NUL byte.
pub fn candidates(program: &str, path: Option<&str>) -> Result<Vec<CString>, NulError> {
    if program.is_empty() || program.contains('/') {
        return Ok(vec![CString::new(program)?]);
    }
    path.unwrap_or(DEFAULT_PATH)
        .split(':')
        .filter(|directory| directory.len() < PATH_MAX)
        .map(|directory| match directory {
            "" => CString::new(program),
            _ => CString::new(format!("{directory}/{program}")),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::candidates;

    fn found(program: &str, path: Option<&str>) -> Vec<String> {
        let paths = candidates(program, path).expect("no NUL");
        paths.into_iter().map(|path| path.into_string().expect("text")).collect()
    }

    #[test]
    fn a_path_is_not_searched() {
        assert_eq!(found("/bin/zsh", Some("/usr/bin")), ["/bin/zsh"]);
        assert_eq!(found("./x", Some("/usr/bin")), ["./x"]);
    }

    #[test]
    fn a_name_is_tried_in_each_directory() {
        assert_eq!(found("git", Some("/a:/b")), ["/a/git", "/b/git"]);
    }

    #[test]
    fn an_empty_entry_is_the_working_directory() {
        assert_eq!(found("git", Some("/a::/b")), ["/a/git", "git", "/b/git"]);
    }

    #[test]
    fn without_path_the_system_directories_are_searched() {
        assert_eq!(found("sh", None), ["/bin/sh", "/usr/bin/sh"]);
    }

    #[test]
    fn a_directory_longer_than_any_path_is_passed_over() {
        assert_eq!(found("git", Some(&format!("/{}:/b", "a".repeat(5000)))), ["/b/git"]);
    }

    #[test]
    fn a_nul_is_an_error() {
        assert!(candidates("a\0b", Some("/bin")).is_err());
    }
}
