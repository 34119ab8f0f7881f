//! Finds the file of a program by `PATH` and `PATHEXT`.
//!
//! Unlike `cmd.exe`, this never looks in the working directory for a name without a path, and skips relative
//! entries of `PATH`: what lies in a workspace must not take the place of a program.

/// The endings that `CreateProcessW` (the first two) and `cmd.exe` can run, in the order in which they are
/// tried without `PATHEXT`.
const ENDINGS: [&str; 4] = [".com", ".exe", ".bat", ".cmd"];

/// What the search sees of the file system.
pub trait Files {
    /// Returns whether there is a file at `path`.
    fn is_file(&self, path: &str) -> bool;
}

/// How a file is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// By `CreateProcessW`.
    Program,
    /// By `cmd.exe` (see [`batch_line`](super::quote::batch_line)).
    Batch,
}

/// A program that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// The absolute path of the file.
    pub path: String,
    pub kind: Kind,
}

/// Where a program is searched.
#[derive(Clone, Copy, Debug)]
pub struct Places<'a> {
    /// The absolute path of the working directory, for relative paths.
    pub directory: &'a str,
    /// The value of `PATH`.
    pub path: Option<&'a str>,
    /// The value of `PATHEXT`.
    pub endings: Option<&'a str>,
}

/// Why a name can't be that of a program.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NameError {
    /// Windows drops blanks and dots at the end, so the ending that a check sees is not that of the file
    /// (`x.bat.`), and takes what follows a colon for a stream of the file.
    #[error(
        "the name of a program is not empty, ends with no blank and no dot, and has no quote, no NUL and no colon \
         but that of its drive: {0:?}"
    )]
    Name(String),
    #[error("a path of a drive without a \"\\\" after the colon depends on the process: {0:?}")]
    Drive(String),
}

/// Returns the first file that `name` means, or `None` if there is none.
///
/// A name with `\`, `/` or `:` is a path and is not searched. A name is tried as it is if it has an ending
/// that can be run, and then with each ending of `PATHEXT` that can be run.
///
/// # Errors
///
/// A name that Windows would take for another one.
pub fn program(name: &str, places: Places<'_>, files: &impl Files) -> Result<Option<Found>, NameError> {
    check(name)?;
    if name.contains(['\\', '/', ':']) {
        return Ok(with_endings(&absolute(name, places.directory), places.endings, files));
    }
    Ok(entries(places.path.unwrap_or_default())
        .map(|entry| join(&entry, name))
        .find_map(|path| with_endings(&path, places.endings, files)))
}

/// Returns how the file at `path` is run, by its ending: `None` if it can't be.
#[must_use]
pub fn kind(path: &str) -> Option<Kind> {
    let name = path.rsplit(['\\', '/']).next().unwrap_or_default();
    let ending = &name[name.rfind('.')?..];
    match ENDINGS.iter().position(|known| known.eq_ignore_ascii_case(ending))? {
        0 | 1 => Some(Kind::Program),
        _ => Some(Kind::Batch),
    }
}

/// Returns the absolute directories in `PATH`: an entry can be in quotes, and then have a `;`.
pub(super) fn entries(path: &str) -> impl Iterator<Item = String> {
    let mut is_quoted = false;
    let split = move |character| {
        is_quoted ^= character == '"';
        character == ';' && !is_quoted
    };
    path.split(split).map(|entry| entry.replace('"', "")).filter(|entry| is_absolute(entry))
}

/// Returns a path below a directory.
pub(super) fn join(directory: &str, name: &str) -> String {
    let separator = if directory.ends_with(['\\', '/']) { "" } else { "\\" };
    format!("{directory}{separator}{name}")
}

fn with_endings(path: &str, endings: Option<&str>, files: &impl Files) -> Option<Found> {
    if let Some(kind) = kind(path).filter(|_| files.is_file(path)) {
        return Some(Found { path: path.to_owned(), kind });
    }
    let listed: Vec<_> = endings.unwrap_or_default().split(';').filter(|ending| !ending.is_empty()).collect();
    let listed = if listed.is_empty() { &ENDINGS[..] } else { &listed };
    listed.iter().find_map(|ending| {
        let path = format!("{path}{ending}");
        let kind = kind(&path).filter(|_| is_ending(ending) && files.is_file(&path))?;
        Some(Found { path, kind })
    })
}

fn is_ending(text: &str) -> bool {
    ENDINGS.iter().any(|known| known.eq_ignore_ascii_case(text))
}

fn check(name: &str) -> Result<(), NameError> {
    let has_drive = has_drive(name);
    let rest = if has_drive { &name[2..] } else { name };
    if name.is_empty() || name.ends_with([' ', '.']) || rest.contains(['"', '\0', ':']) {
        return Err(NameError::Name(name.to_owned()));
    }
    if has_drive && !rest.starts_with(['\\', '/']) {
        return Err(NameError::Drive(name.to_owned()));
    }
    Ok(())
}

/// Whether a path means the same file in every working directory and on every current drive.
fn is_absolute(path: &str) -> bool {
    has_drive(path) && path[2..].starts_with(['\\', '/'])
        || path.starts_with("\\\\")
        || path.starts_with("//")
}

/// Returns whether a path begins with a drive.
#[must_use]
pub fn has_drive(path: &str) -> bool {
    let bytes = path.as_bytes();
    bytes.len() >= 2 && bytes[0].is_ascii_alphabetic() && bytes[1] == b':'
}

/// Returns an absolute path for one that may be relative to a directory or to the root of its drive.
fn absolute(path: &str, directory: &str) -> String {
    if is_absolute(path) {
        return path.to_owned();
    }
    if path.starts_with(['\\', '/']) {
        return if has_drive(directory) { format!("{}{path}", &directory[..2]) } else { path.to_owned() };
    }
    join(directory, path)
}

/// The files of a test, by their paths as a search asks for them.
#[cfg(test)]
impl Files for &[&str] {
    fn is_file(&self, path: &str) -> bool {
        self.contains(&path)
    }
}

#[cfg(test)]
mod tests {
    use super::{Files, Found, Kind, NameError, Places, kind, program};

    /// The files of a test, by their paths in lower case.
    struct Listed(&'static [&'static str]);

    impl Files for Listed {
        fn is_file(&self, path: &str) -> bool {
            self.0.contains(&&*path.replace('/', "\\").to_lowercase())
        }
    }

    const PLACES: Places<'_> = Places {
        directory: r"D:\work",
        path: Some(r"C:\a;C:\b\"),
        endings: Some(".COM;.EXE;.BAT;.CMD;.VBS"),
    };

    fn found(name: &str, places: Places<'_>, files: &'static [&'static str]) -> Option<String> {
        program(name, places, &Listed(files)).expect("a name").map(|found| found.path)
    }

    #[test]
    fn a_name_is_tried_in_each_directory_with_each_ending() {
        let files = &[r"c:\b\git.exe", r"c:\a\git.cmd"];
        assert_eq!(found("git", PLACES, files).as_deref(), Some(r"C:\a\git.CMD"));
        assert_eq!(found("git.exe", PLACES, files).as_deref(), Some(r"C:\b\git.exe"));
    }

    #[test]
    fn the_order_of_pathext_counts() {
        let files = &[r"c:\a\x.exe", r"c:\a\x.cmd"];
        let reversed = Places { endings: Some(".cmd;.exe"), ..PLACES };
        assert_eq!(found("x", reversed, files).as_deref(), Some(r"C:\a\x.cmd"));
    }

    #[test]
    fn a_file_without_an_ending_is_no_program() {
        assert_eq!(found("git", PLACES, &[r"c:\a\git"]), None);
    }

    #[test]
    fn an_ending_that_only_the_explorer_opens_is_no_program() {
        assert_eq!(found("x", PLACES, &[r"c:\a\x.vbs"]), None);
        assert_eq!(found("x.vbs", PLACES, &[r"c:\a\x.vbs"]), None);
    }

    #[test]
    fn a_dot_in_a_name_is_not_taken_for_an_ending() {
        assert_eq!(
            found("python3.12", PLACES, &[r"c:\b\python3.12.exe"]).as_deref(),
            Some(r"C:\b\python3.12.EXE")
        );
    }

    #[test]
    fn a_program_in_the_working_directory_is_not_found_by_its_name() {
        assert_eq!(found("git", PLACES, &[r"d:\work\git.exe"]), None);
        let relative = Places { path: Some(r";;.;bin;\work;D:"), ..PLACES };
        assert_eq!(found("git", relative, &[r"d:\work\git.exe", r"d:\work\.\git.exe", r"d:\git.exe"]), None);
        assert_eq!(found("git", relative, &[r"d:\work\bin\git.exe"]), None);
        assert_eq!(found(r".\git", PLACES, &[r"d:\work\.\git.exe"]).as_deref(), Some(r"D:\work\.\git.EXE"));
    }

    #[test]
    fn a_path_is_not_searched() {
        assert_eq!(found(r"bin\x", PLACES, &[r"c:\a\bin\x.exe"]), None);
        assert_eq!(found("C:/p/x.exe", PLACES, &[r"c:\p\x.exe"]).as_deref(), Some("C:/p/x.exe"));
        assert_eq!(found(r"\p\x", PLACES, &[r"d:\p\x.exe"]).as_deref(), Some(r"D:\p\x.EXE"));
    }

    #[test]
    fn an_entry_of_path_in_quotes_can_have_a_semicolon() {
        let places = Places { path: Some(r#""C:\a;b";C:\c"#), ..PLACES };
        assert_eq!(found("x", places, &[r"c:\a;b\x.exe"]).as_deref(), Some(r"C:\a;b\x.EXE"));
        assert_eq!(found("x", places, &[r"c:\c\x.exe"]).as_deref(), Some(r"C:\c\x.EXE"));
    }

    #[test]
    fn without_pathext_the_endings_are_those_of_the_system() {
        let places = Places { endings: None, ..PLACES };
        assert_eq!(found("x", places, &[r"c:\a\x.exe"]).as_deref(), Some(r"C:\a\x.exe"));
        let places = Places { endings: Some(";"), ..PLACES };
        assert_eq!(found("x", places, &[r"c:\a\x.exe"]).as_deref(), Some(r"C:\a\x.exe"));
    }

    #[test]
    fn a_batch_file_is_told_by_its_ending_in_any_case() {
        let batch = Found { path: r"C:\a\x.BAT".to_owned(), kind: Kind::Batch };
        assert_eq!(program("x.BAT", PLACES, &Listed(&[r"c:\a\x.bat"])), Ok(Some(batch)));
        assert_eq!(kind(r"C:\a.cmd\x.Exe"), Some(Kind::Program));
        assert_eq!(kind(r"C:\a.cmd\x"), None);
    }

    #[test]
    fn a_name_that_windows_would_take_for_another_one_is_an_error() {
        for name in [
            "", "x.bat.", "x.bat ", "x.bat . .", "x.bat::$DATA", "xy:z.exe", "a\0b", "a\"b", "..",
            r"C:\x.exe:s",
        ] {
            let refused = program(name, PLACES, &Listed(&[]));
            assert_eq!(refused, Err(NameError::Name(name.to_owned())), "{name:?}");
        }
    }

    #[test]
    fn a_path_that_depends_on_the_current_directory_of_a_drive_is_an_error() {
        for name in ["C:x.exe", "C:"] {
            assert_eq!(program(name, PLACES, &Listed(&[])), Err(NameError::Drive(name.to_owned())));
        }
    }
}
