//! The current directory of another process.

#[cfg_attr(target_os = "linux", path = "linux.rs")]
#[cfg_attr(target_os = "macos", path = "macos.rs")]
mod platform;

use std::path::PathBuf;

pub use platform::{current_directory, device_and_inode_seen_by};

/// The current directory of a process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CurrentDirectory {
    pub device_and_inode: (u64, u64),
    /// The kernel's path; `None` for a removed directory.
    pub path: Option<PathBuf>,
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::MetadataExt;
    use std::process::Command;

    use rustix::process::Pid;

    use super::{CurrentDirectory, current_directory};

    #[test]
    fn the_directory_of_a_process_has_a_path_until_it_is_removed() {
        let directory = tempfile::tempdir().expect("a directory");
        let path = directory.path().canonicalize().expect("a path");
        let mut child = Command::new("sleep").arg("1000").current_dir(&path).spawn().expect("sleep starts");
        let status = fs::metadata(&path).expect("there");
        let expected = |path| CurrentDirectory { device_and_inode: (status.dev(), status.ino()), path };
        let before = current_directory(Pid::from_child(&child));
        drop(directory);
        let after = current_directory(Pid::from_child(&child));
        child.kill().expect("kill");
        child.wait().expect("wait");
        assert_eq!([before, after], [Some(expected(Some(path))), Some(expected(None))]);
    }
}
