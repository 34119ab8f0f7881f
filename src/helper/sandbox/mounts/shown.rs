//! Public files of hidden directories, such as `~/.ssh/known_hosts`, as copies.
//!
//! A mount of the file itself would show what another program of the host makes of it later. What is copied
//! is what was checked.

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, FileType, Mode, OFlags, fstat, mkdirat, openat, readlinkat, symlinkat, unlinkat};

use super::tree::{make_directories, make_file, open_link, open_path};

/// The largest file that is copied (bytes): a list of a thousand host keys has about 200 KB.
const MAX_FILE: u64 = 1 << 20;

/// Texts of private keys, in the formats of `OpenSSH` and PEM, and of `PuTTY`.
const PRIVATE: [&[u8]; 2] = [b"PRIVATE KEY", b"Private-Lines"];

/// The directories that replace hidden ones, by the paths of these.
pub(super) type Copies = Vec<(PathBuf, OwnedFd)>;

/// Copies files from their places below `root` to directories below `stage`, one for each hidden directory
/// around them. Files that can't be read, or are no public ones, are left out. `places` are paths in hidden
/// directories where something else is attached: each gets an empty file.
pub(super) fn copy(
    shown: &[PathBuf],
    places: &[&Path],
    hidden: &[PathBuf],
    root: BorrowedFd<'_>,
    stage: BorrowedFd<'_>,
) -> io::Result<Copies> {
    let mut copies = Copies::new();
    let shown = shown.iter().map(|path| (path.as_path(), true));
    for (path, is_copied) in shown.chain(places.iter().map(|&path| (path, false))) {
        let Some(directory) =
            hidden.iter().find(|directory| path.starts_with(directory) && path != **directory)
        else {
            continue;
        };
        let position = if let Some(known) = copies.iter().position(|(copied, _)| copied == directory) {
            known
        } else {
            let name = format!("shown-{}", copies.len());
            mkdirat(stage, &name, Mode::RWXU)?;
            copies.push((directory.clone(), open_path(stage, Path::new(&name))?));
            copies.len() - 1
        };
        let Some((_, copy)) = copies.get(position) else { continue };
        let Ok(name) = path.strip_prefix(directory) else { continue };
        if is_copied {
            let _ = copy_one(path, name, root, copy.as_fd());
        } else {
            make_directories(copy.as_fd(), name.parent().unwrap_or(name));
            make_file(copy.as_fd(), name);
        }
    }
    Ok(copies)
}

/// Copies a file or a symbolic link. A link leads to what the sandbox shows there.
fn copy_one(path: &Path, name: &Path, root: BorrowedFd<'_>, to: BorrowedFd<'_>) -> io::Result<()> {
    let source = open_link(root, path)?;
    let kind = FileType::from_raw_mode(fstat(&source)?.st_mode);
    let content = match kind {
        FileType::Symlink => None,
        FileType::RegularFile => Some(public_content(root, path)?),
        _ => return Ok(()),
    };
    if let Some(parent) = name.parent() {
        make_directories(to, parent);
    }
    let Some(content) = content else {
        return Ok(symlinkat(readlinkat(&source, c"", Vec::new())?, to, name)?);
    };
    let flags = OFlags::CREATE | OFlags::EXCL | OFlags::WRONLY | OFlags::CLOEXEC;
    let mut file = File::from(openat(to, name, flags, Mode::from_raw_mode(0o644))?);
    // No program reads half a file, if the stage is full.
    file.write_all(&content).inspect_err(|_| {
        let _ = unlinkat(to, name, AtFlags::empty());
    })
}

/// Reads a regular file of this size that has no private key.
fn public_content(root: BorrowedFd<'_>, path: &Path) -> io::Result<Vec<u8>> {
    let parent = open_path(root, path.parent().unwrap_or(Path::new("/")))?;
    let name = path.file_name().ok_or(io::ErrorKind::InvalidInput)?;
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let file = openat(parent, name, flags, Mode::empty())?;
    let is_regular = FileType::from_raw_mode(fstat(&file)?.st_mode).is_file();
    let mut content = Vec::new();
    if is_regular {
        File::from(file).take(MAX_FILE + 1).read_to_end(&mut content)?;
    }
    let is_private = PRIVATE.iter().any(|text| content.windows(text.len()).any(|part| part == *text));
    if !is_regular || is_private || content.len() as u64 > MAX_FILE {
        return Err(io::ErrorKind::PermissionDenied.into());
    }
    Ok(content)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::fd::AsFd;
    use std::path::{Path, PathBuf};

    use super::super::tree::open_root;
    use super::{MAX_FILE, copy};

    /// Copies files of a directory, and returns the names of the copies.
    fn copied(make: impl FnOnce(&Path), names: &[&str]) -> Vec<String> {
        let place = tempfile::tempdir().expect("a directory");
        let [hidden, stage] = ["hidden", "stage"].map(|name| place.path().join(name));
        for directory in [&hidden, &stage] {
            fs::create_dir(directory).expect("a directory");
        }
        make(&hidden);
        let shown: Vec<PathBuf> = names.iter().map(|name| hidden.join(name)).collect();
        let root = open_root().expect("a directory");
        let to = fs::File::open(&stage).expect("a directory");
        let copies =
            copy(&shown, &[], std::slice::from_ref(&hidden), root.as_fd(), to.as_fd()).expect("copied");
        assert_eq!(copies.first().map(|(path, _)| path), Some(&hidden));
        let mut found: Vec<_> = fs::read_dir(stage.join("shown-0"))
            .expect("a list")
            .map(|entry| entry.expect("an entry").file_name().into_string().expect("a name"))
            .collect();
        found.sort();
        found
    }

    #[test]
    fn public_files_are_copied() {
        let make = |at: &Path| {
            fs::create_dir(at.join("config.d")).expect("a directory");
            for name in ["id.pub", "config", "config.d/work"] {
                fs::write(at.join(name), "text").expect("a file");
            }
        };
        let names = ["id.pub", "config", "config.d", "config.d/work", "missing"];
        assert_eq!(copied(make, &names), ["config", "config.d", "id.pub"]);
    }

    #[test]
    fn private_keys_are_not_copied_under_any_name() {
        let make = |at: &Path| {
            fs::write(at.join("a.pub"), "-----BEGIN OPENSSH PRIVATE KEY-----").expect("a file");
            fs::write(at.join("b.pub"), "PuTTY-User-Key-File-3\nPrivate-Lines: 1").expect("a file");
            fs::write(at.join("c.pub"), vec![b'x'; usize::try_from(MAX_FILE).expect("a size") + 1])
                .expect("a file");
        };
        assert_eq!(copied(make, &["a.pub", "b.pub", "c.pub"]), [""; 0]);
    }

    #[test]
    fn a_link_stays_a_link_and_a_pipe_is_left_out() {
        let make = |at: &Path| {
            fs::write(at.join("key"), "PRIVATE KEY").expect("a file");
            std::os::unix::fs::symlink("key", at.join("id.pub")).expect("a link");
            rustix::fs::mknodat(
                rustix::fs::CWD,
                at.join("config"),
                rustix::fs::FileType::Fifo,
                rustix::fs::Mode::RWXU,
                0,
            )
            .expect("a pipe");
        };
        assert_eq!(copied(make, &["id.pub", "config"]), ["id.pub"]);
    }
}
