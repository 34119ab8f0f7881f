//! Opens a directory once and checks it. While it is open, it can be neither renamed nor removed, so the path
//! that the child gets leads to what was checked.

use std::ffi::OsString;
use std::fs::{File, OpenOptions};
use std::io;
use std::os::windows::ffi::OsStringExt;
use std::os::windows::fs::OpenOptionsExt;
use std::os::windows::io::AsRawHandle;
use std::path::{Path, PathBuf};

use windows_sys::Win32::Foundation::{ERROR_ACCESS_DENIED, ERROR_INVALID_FUNCTION, ERROR_PATH_NOT_FOUND};
use windows_sys::Win32::Storage::FileSystem::{
    FILE_FLAG_BACKUP_SEMANTICS, FILE_LIST_DIRECTORY, FILE_NAME_NORMALIZED, FILE_NAME_OPENED, FILE_SHARE_READ,
    FILE_SHARE_WRITE, GetFinalPathNameByHandleW, QueryDosDeviceW, VOLUME_NAME_DOS, VOLUME_NAME_NONE,
    VOLUME_NAME_NT,
};

use super::{Directory, DirectoryError, LONGEST_ON_WINDOWS, Problem};
use crate::process::errno::Errno;
use crate::process::windows::search::has_drive;

/// The room for a path (UTF-16 units) at the first attempt.
const USUAL_PATH: usize = 512;

/// An open working directory.
#[derive(Debug)]
pub struct OpenDirectory {
    path: String,
    _held: File,
}

impl OpenDirectory {
    /// Returns the absolute path, which leads there while this is open.
    #[must_use]
    pub fn path(&self) -> &str {
        &self.path
    }
}

/// Opens the directory and checks that its root contains it.
///
/// # Errors
///
/// Returns the [`Problem`] of the directory or of its root.
pub fn open_directory(directory: &Directory) -> Result<OpenDirectory, DirectoryError> {
    let is_inside = |(_, real): &(File, PathBuf), (_, root): &(File, PathBuf)| Ok(real.starts_with(root));
    let (held, real) =
        directory.open_by(open_one, is_inside, |problems, path, error| failed(problems, path, &error))?;
    let refused = |problem, errno| DirectoryError {
        problem,
        path: directory.entered().to_owned(),
        errno: Errno(errno),
    };
    let real = on_its_drive(real, directory.entered());
    let path = plain(&real).ok_or_else(|| refused(Problem::NotAccessible, libc::EINVAL))?;
    if path.encode_utf16().count() > LONGEST_ON_WINDOWS {
        return Err(refused(Problem::TooLong, libc::ENAMETOOLONG));
    }
    Ok(OpenDirectory { path, _held: held })
}

/// Opens a directory so that it stays in place, and returns it with its real path.
fn open_one(path: &str) -> io::Result<(File, PathBuf)> {
    // Only a handle that reads data keeps others from renaming what it has open.
    let held = OpenOptions::new()
        .access_mode(FILE_LIST_DIRECTORY)
        .share_mode(FILE_SHARE_READ | FILE_SHARE_WRITE)
        .custom_flags(FILE_FLAG_BACKUP_SEMANTICS)
        .open(path)?;
    if !held.metadata()?.is_dir() {
        return Err(io::ErrorKind::NotADirectory.into());
    }
    let real = real_path(&held)?;
    Ok((held, real))
}

/// Returns the real path of an open file: of its handle, since a path can lead elsewhere by now.
fn real_path(file: &File) -> io::Result<PathBuf> {
    final_path(file, FILE_NAME_NORMALIZED | VOLUME_NAME_DOS).or_else(|error| {
        match error.raw_os_error().map(i32::cast_unsigned) {
            // A share that does not normalize names, and a directory on the way that may not be read.
            Some(ERROR_ACCESS_DENIED) => final_path(file, FILE_NAME_OPENED | VOLUME_NAME_DOS),
            // A drive that the mount manager does not know, such as that of ImDisk.
            Some(ERROR_INVALID_FUNCTION | ERROR_PATH_NOT_FOUND) => path_by_device(file).ok_or(error),
            _ => Err(error),
        }
    })
}

/// Returns the real path of an open file by the drive that stands for its device.
fn path_by_device(file: &File) -> Option<PathBuf> {
    let [whole, below] = [VOLUME_NAME_NT, VOLUME_NAME_NONE].map(|form| final_path(file, form).ok());
    on_device(whole?.to_str()?, below?.to_str()?, device_of)
}

/// Returns a path by a drive for its path by a device (`whole`), which ends with the path on that (`below`).
fn on_device(whole: &str, below: &str, device_of: impl Fn(char) -> Option<String>) -> Option<PathBuf> {
    let device = whole.strip_suffix(below)?;
    let drive = ('A'..='Z').find(|drive| device_of(*drive).is_some_and(|other| other == device))?;
    Some(format!(r"\\?\{drive}:{below}").into())
}

/// Returns the device for which a drive stands.
fn device_of(drive: char) -> Option<String> {
    let name: Vec<u16> = format!("{drive}:\0").encode_utf16().collect();
    let mut device = [0_u16; USUAL_PATH];
    let size = u32::try_from(device.len()).unwrap_or_default();
    // SAFETY: the name ends with a NUL, and the kernel writes at most `size` units into the array.
    let length = unsafe { QueryDosDeviceW(name.as_ptr(), device.as_mut_ptr(), size) };
    // The kernel writes a list of names, each with a NUL at its end, the current one first.
    let end = device.iter().position(|&unit| unit == 0).filter(|_| length > 0)?;
    String::from_utf16(&device[..end]).ok()
}

/// Returns the path of an open file in a form of `GetFinalPathNameByHandleW`.
fn final_path(file: &File, form: u32) -> io::Result<PathBuf> {
    let mut path = vec![0_u16; USUAL_PATH];
    loop {
        let size = u32::try_from(path.len()).unwrap_or(u32::MAX);
        // SAFETY: the file is open, and the kernel writes at most `size` units into the vector.
        let length =
            unsafe { GetFinalPathNameByHandleW(file.as_raw_handle(), path.as_mut_ptr(), size, form) };
        match usize::try_from(length).unwrap_or_default() {
            0 => return Err(io::Error::last_os_error()),
            length if length < path.len() => return Ok(OsString::from_wide(&path[..length]).into()),
            // The length of a path that has no room counts its NUL.
            length => path.resize(length + 1, 0),
        }
    }
}

/// Returns a real path by the drive of `entered`, the path by which it was opened.
///
/// The real path of a drive that was made of a share, or of a directory (`subst`), is that of the share or
/// the directory. On a share, `cmd.exe` does not run.
fn on_its_drive(real: PathBuf, entered: &str) -> PathBuf {
    let absolute = std::path::absolute(entered).unwrap_or_default();
    let drive = absolute.to_str().and_then(|path| path.get(..2)).filter(|drive| has_drive(drive));
    let Some(drive) = drive.map(str::to_ascii_uppercase) else { return real };
    if real.starts_with(format!(r"\\?\{drive}\")) {
        return real;
    }
    let root = open_one(&format!("{drive}\\")).map(|(_, root)| root);
    root.ok().and_then(|root| below_drive(&real, &root, &drive)).unwrap_or(real)
}

/// Returns a real path by a drive whose root has the real path `root`, if it is below.
fn below_drive(real: &Path, root: &Path, drive: &str) -> Option<PathBuf> {
    let below = real.strip_prefix(root).ok()?;
    Some(Path::new(&format!(r"\\?\{drive}\")).join(below))
}

/// Returns a path without the prefix that programs do not expect: `\\?\C:\x` is `C:\x`.
///
/// `None` if the path would lead elsewhere without it: Windows drops dots and blanks at the end of a name.
fn plain(real: &Path) -> Option<String> {
    let path = real.to_str()?;
    let Some(rest) = path.strip_prefix(r"\\?\") else { return Some(path.to_owned()) };
    if rest.split('\\').any(|name| name.ends_with(['.', ' '])) {
        return None;
    }
    Some(rest.strip_prefix(r"UNC\").map_or_else(|| rest.to_owned(), |share| format!(r"\\{share}")))
}

fn failed(
    [missing, not_directory, not_accessible]: [Problem; 3],
    path: &str,
    error: &io::Error,
) -> DirectoryError {
    let problem = match error.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::InvalidFilename => missing,
        io::ErrorKind::NotADirectory => not_directory,
        _ => not_accessible,
    };
    let is_file = matches!(problem, Problem::NotDirectory | Problem::RootNotDirectory);
    let errno = if is_file { Errno(libc::ENOTDIR) } else { Errno::of(error) };
    DirectoryError { problem, path: path.to_owned(), errno }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{Directory, Problem, below_drive, device_of, on_device, open_directory, plain};

    fn text(path: &Path) -> String {
        path.to_str().expect("text").to_owned()
    }

    fn problem(path: &Path, root: Option<&Path>) -> Option<Problem> {
        let directory = Directory { path: text(path), root: root.map(text) };
        open_directory(&directory).err().map(|error| error.problem)
    }

    #[test]
    fn a_directory_below_its_root_is_open_and_one_outside_is_not() {
        let root = tempfile::tempdir().expect("a directory");
        let below = root.path().join("a b");
        std::fs::create_dir(&below).expect("a directory");
        assert_eq!(problem(&below, Some(root.path())), None);
        assert_eq!(problem(root.path(), Some(&below)), Some(Problem::Outside));
        assert_eq!(problem(&below.join(".."), Some(&below)), Some(Problem::Outside));
    }

    #[test]
    fn missing_and_not_a_directory_are_different_problems() {
        let root = tempfile::tempdir().expect("a directory");
        let (file, none) = (root.path().join("file"), root.path().join("none"));
        std::fs::write(&file, "").expect("a file");
        assert_eq!(problem(&file, None), Some(Problem::NotDirectory));
        assert_eq!(problem(&none, None), Some(Problem::Missing));
        assert_eq!(problem(root.path(), Some(&none)), Some(Problem::RootMissing));
    }

    #[test]
    fn a_directory_that_is_open_can_not_be_renamed() {
        let root = tempfile::tempdir().expect("a directory");
        let (from, to) = (root.path().join("from"), root.path().join("to"));
        std::fs::create_dir(&from).expect("a directory");
        let open = open_directory(&Directory { path: text(&from), root: None }).expect("a directory");
        std::fs::rename(&from, &to).expect_err("it is held");
        drop(open);
        std::fs::rename(&from, &to).expect("it is free");
    }

    #[test]
    fn a_name_that_windows_would_shorten_is_refused() {
        assert_eq!(
            [r"\\?\C:\x.", r"\\?\C:\x \y", r"\\?\C:\.. "].map(|path| plain(path.as_ref())),
            [const { None }; 3]
        );
    }

    #[test]
    fn a_directory_of_a_drive_that_was_made_of_another_place_keeps_its_drive() {
        let on_drive = |real: &str, root: &str| {
            below_drive(real.as_ref(), root.as_ref(), "Z:").and_then(|path| plain(&path))
        };
        let root = r"\\?\UNC\host\share\top";
        assert_eq!(on_drive(r"\\?\UNC\host\share\top\a b", root).as_deref(), Some(r"Z:\a b"));
        assert_eq!(on_drive(root, root).as_deref(), Some(r"Z:\"));
        assert_eq!(on_drive(r"\\?\C:\real\x", r"\\?\C:\real").as_deref(), Some(r"Z:\x"));
        assert_eq!(on_drive(r"\\?\UNC\host\share\other", root), None);
        assert_eq!(on_drive(r"\\?\UNC\host\share\top\x.", root), None);
    }

    #[test]
    fn a_device_leads_to_its_drive() {
        let device = device_of('C').expect("a device");
        let found = on_device(&format!(r"{device}\a b"), r"\a b", device_of).expect("a drive");
        assert_eq!(found, Path::new(r"\\?\C:\a b"));
        assert_eq!(on_device(r"\Device\none\a", r"\a", device_of), None);
    }

    #[test]
    fn a_directory_is_named_by_the_drive_of_its_path() {
        let root = tempfile::tempdir().expect("a directory");
        let open = open_directory(&Directory { path: text(root.path()), root: None }).expect("a directory");
        assert_eq!(open.path()[..3].to_ascii_uppercase(), text(root.path())[..3].to_ascii_uppercase());
        let top = open_directory(&Directory { path: r"C:\".to_owned(), root: None }).expect("a directory");
        assert_eq!(top.path(), r"C:\");
    }

    #[test]
    fn a_path_has_the_form_that_programs_expect() {
        assert_eq!(plain(r"\\?\C:\x y".as_ref()).as_deref(), Some(r"C:\x y"));
        assert_eq!(plain(r"\\?\UNC\host\share\x".as_ref()).as_deref(), Some(r"\\host\share\x"));
        assert_eq!(plain(r"C:\x".as_ref()).as_deref(), Some(r"C:\x"));
    }
}
