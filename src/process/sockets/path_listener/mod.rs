//! A listening UNIX socket with a path.

#[cfg_attr(target_os = "linux", path = "linux.rs")]
#[cfg_attr(target_os = "macos", path = "macos.rs")]
mod platform;

use std::os::fd::OwnedFd;

use rustix::fs::{AtFlags, CWD, FileType, Mode, Stat, statat, unlinkat};
use rustix::io::Errno;
use rustix::net::{SocketAddrUnix, bind, connect, listen};
use rustix::process::geteuid;

use self::platform::{make_private, new_socket, private_socket};

/// The permissions of a new socket. Who may write to it may connect.
const PRIVATE: Mode = Mode::RUSR.union(Mode::WUSR);

/// The file of a listening UNIX socket. Dropping it removes the file, unless another one has the path by now.
#[derive(Debug)]
pub struct SocketFile {
    path: String,
    stat: Stat,
}

/// Listens at a path, for this user alone. The socket does not block.
///
/// A file at the path is `EADDRINUSE`, except a socket of this user that nobody listens on: a process that
/// was killed leaves such a file. A socket refuses connections until it listens, so nobody connects before
/// its permissions are set.
///
/// # Errors
///
/// The system's error.
pub fn listen_at(path: &str, backlog: u32) -> Result<(OwnedFd, SocketFile), Errno> {
    let address = SocketAddrUnix::new(path)?;
    let socket = private_socket()?;
    match bind(&socket, &address) {
        Err(Errno::ADDRINUSE) if is_abandoned(path, &address) => {
            unlinkat(CWD, path, AtFlags::empty())?;
            bind(&socket, &address)?;
        }
        bound => bound?,
    }
    make_private(path)?;
    let file = SocketFile { path: path.to_owned(), stat: stat(path)? };
    listen(&socket, i32::try_from(backlog).unwrap_or(i32::MAX))?;
    Ok((socket, file))
}

/// Returns whether a path is that of a socket of this user that nobody listens on.
fn is_abandoned(path: &str, address: &SocketAddrUnix) -> bool {
    let is_own_socket = stat(path).is_ok_and(|stat| {
        FileType::from_raw_mode(stat.st_mode) == FileType::Socket && stat.st_uid == geteuid().as_raw()
    });
    let connected = || new_socket().and_then(|socket| connect(&socket, address));
    is_own_socket && connected() == Err(Errno::CONNREFUSED)
}

fn stat(path: &str) -> Result<Stat, Errno> {
    statat(CWD, path, AtFlags::SYMLINK_NOFOLLOW)
}

impl SocketFile {
    /// Removes the file, unless another one has the path by now. Idempotent.
    pub fn remove(&self) {
        let key = |stat: &Stat| (stat.st_dev, stat.st_ino);
        if stat(&self.path).is_ok_and(|now| key(&now) == key(&self.stat)) {
            let _ = unlinkat(CWD, &self.path, AtFlags::empty());
        }
    }
}

impl Drop for SocketFile {
    fn drop(&mut self) {
        self.remove();
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::{FileTypeExt, PermissionsExt, symlink};
    use std::os::unix::net::{UnixListener, UnixStream};
    use std::path::{Path, PathBuf};

    use rustix::io::Errno;
    use tempfile::TempDir;

    use super::listen_at;

    fn place() -> (TempDir, PathBuf) {
        let directory = tempfile::tempdir().expect("a directory");
        let path = directory.path().join("socket");
        (directory, path)
    }

    fn text(path: &Path) -> &str {
        path.to_str().expect("text")
    }

    #[test]
    fn a_socket_is_for_its_user_alone_and_goes_when_it_is_dropped() {
        let (_directory, path) = place();
        let (socket, file) = listen_at(text(&path), 5).expect("listens");
        let metadata = fs::symlink_metadata(&path).expect("there");
        assert!(metadata.file_type().is_socket());
        assert_eq!(metadata.permissions().mode() & 0o7777, 0o600);
        UnixStream::connect(&path).expect("connects");
        drop((socket, file));
        assert!(!path.exists());
    }

    #[test]
    fn a_socket_that_was_left_is_replaced() {
        let (_directory, path) = place();
        drop(UnixListener::bind(&path).expect("listens"));
        assert!(path.exists());
        let (_socket, _file) = listen_at(text(&path), 5).expect("listens");
        UnixStream::connect(&path).expect("connects");
    }

    #[test]
    fn a_file_a_link_and_a_socket_in_use_stay() {
        let (directory, path) = place();
        let in_use = |path: &Path| listen_at(text(path), 5).err() == Some(Errno::ADDRINUSE);
        let server = UnixListener::bind(&path).expect("listens");
        assert!(in_use(&path));
        UnixStream::connect(&path).expect("connects");
        drop(server);
        let link = directory.path().join("link");
        symlink(&path, &link).expect("a link");
        assert!(in_use(&link));
        let file = directory.path().join("file");
        fs::write(&file, "text").expect("written");
        assert!(in_use(&file));
        assert_eq!(fs::read_to_string(&file).expect("there"), "text");
    }

    #[test]
    fn a_file_that_has_taken_the_path_stays() {
        let (_directory, path) = place();
        let (socket, file) = listen_at(text(&path), 5).expect("listens");
        fs::remove_file(&path).expect("removed");
        fs::write(&path, "text").expect("written");
        drop((socket, file));
        assert_eq!(fs::read_to_string(&path).expect("there"), "text");
    }
}
