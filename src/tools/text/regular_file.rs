//! Reads a regular file up to its length at the time of opening, so that reading always ends.
//!
//! Reading a named pipe, a terminal, `/dev/zero` or a file that grows as fast as it is read may never end.
//! The reading thread belongs to libuv's pool, and Node.js can't exit before that thread returns.

use std::fs::{File, Metadata};
use std::io::{self, Read};
use std::path::Path;

use crate::process::file::{is_directory, open_at_once};

/// The error of a file that is not a regular one, apart from the system's `EINVAL`.
#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error("not a regular file")]
pub struct NotRegular;

impl NotRegular {
    /// Returns whether this error is the reason of an error of [`RegularFile::open`].
    #[must_use]
    pub fn is_reason_of(error: &io::Error) -> bool {
        matches!(error.get_ref(), Some(reason) if reason.is::<Self>())
    }
}

/// A regular file, read up to its length at the time of opening.
#[derive(Debug)]
pub struct RegularFile {
    file: File,
    /// The number of bytes that are left to read; `None` while the length is unknown.
    rest: Option<u64>,
}

impl RegularFile {
    /// Opens a file without waiting.
    ///
    /// # Errors
    ///
    /// The system's, `EISDIR` for a directory, and [`NotRegular`] for any other file that is not a regular
    /// one.
    pub fn open(path: &Path) -> io::Result<Self> {
        // Opening a device may have an effect, so the path is checked before. The opened file is checked
        // again, because another file may have replaced it in between.
        check(&path.metadata()?)?;
        let file = open_at_once(path)?;
        let metadata = file.metadata()?;
        check(&metadata)?;
        Ok(Self { file, rest: length(&metadata) })
    }
}

impl Read for RegularFile {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let room = self
            .rest
            .map_or(buffer.len(), |rest| usize::try_from(rest).unwrap_or(usize::MAX).min(buffer.len()));
        if room == 0 {
            return Ok(0);
        }
        let count = self.file.read(&mut buffer[..room])?;
        match &mut self.rest {
            Some(rest) => *rest -= count as u64,
            // A file that was empty has a length now, unless it is one of `/proc`.
            None => {
                self.rest = length(&self.file.metadata()?).map(|length| length.saturating_sub(count as u64));
            }
        }
        Ok(count)
    }
}

/// Returns the length of a file, or `None` if the system reports 0, as for the files of `/proc`.
fn length(metadata: &Metadata) -> Option<u64> {
    Some(metadata.len()).filter(|&length| length > 0)
}

fn check(metadata: &Metadata) -> io::Result<()> {
    if metadata.is_file() {
        return Ok(());
    }
    Err(if metadata.is_dir() {
        is_directory()
    } else {
        io::Error::new(io::ErrorKind::InvalidInput, NotRegular)
    })
}

#[cfg(test)]
mod tests {
    use std::fs::OpenOptions;
    use std::io::{self, Read, Write};
    use std::path::Path;

    use super::{NotRegular, RegularFile};
    use crate::process::errno::Errno;

    fn file(text: &str) -> tempfile::NamedTempFile {
        let mut file = tempfile::NamedTempFile::new().expect("a file");
        file.write_all(text.as_bytes()).expect("written");
        file
    }

    fn rest_of(mut file: RegularFile) -> String {
        let mut text = String::new();
        file.read_to_string(&mut text).expect("read");
        text
    }

    fn error_of(path: &Path) -> io::Error {
        RegularFile::open(path).expect_err("refused")
    }

    fn append(path: &Path, text: &str) {
        let mut file = OpenOptions::new().append(true).open(path).expect("open");
        file.write_all(text.as_bytes()).expect("written");
    }

    #[test]
    fn what_is_appended_after_the_opening_is_not_read() {
        let file = file("one\n");
        let open = RegularFile::open(file.path()).expect("open");
        append(file.path(), "two\n");
        assert_eq!(rest_of(open), "one\n");
    }

    #[test]
    fn a_file_that_was_empty_is_read_as_far_as_it_went_at_the_first_read() {
        let file = file("");
        let mut open = RegularFile::open(file.path()).expect("open");
        append(file.path(), "one\n");
        let mut first = [0; 2];
        assert_eq!((open.read(&mut first).expect("read"), &first), (2, b"on"));
        append(file.path(), "two\n");
        assert_eq!(rest_of(open), "e\n");
    }

    #[test]
    fn a_file_that_is_cut_while_it_is_read_ends_there() {
        let file = file("one\ntwo\n");
        let open = RegularFile::open(file.path()).expect("open");
        file.as_file().set_len(4).expect("cut");
        assert_eq!(rest_of(open), "one\n");
    }

    #[test]
    #[cfg_attr(windows, ignore = "an open file is not replaced")]
    fn a_file_that_is_replaced_while_it_is_read_stays_the_one_that_was_opened() {
        let directory = tempfile::tempdir().expect("a directory");
        let path = directory.path().join("log");
        std::fs::write(&path, "one\n").expect("written");
        let open = RegularFile::open(&path).expect("open");
        std::fs::write(directory.path().join("new"), "two, longer\n").expect("written");
        std::fs::rename(directory.path().join("new"), &path).expect("renamed");
        assert_eq!(rest_of(open), "one\n");
    }

    #[test]
    fn a_directory_is_refused() {
        let directory = tempfile::tempdir().expect("a directory");
        assert_eq!(Errno::of(&error_of(directory.path())), Errno(libc::EISDIR));
    }

    #[test]
    #[cfg_attr(windows, ignore = "no path is a device or a pipe")]
    fn a_named_pipe_without_a_writer_is_refused_at_once() {
        let directory = tempfile::tempdir().expect("a directory");
        let path = directory.path().join("pipe");
        let made = std::process::Command::new("mkfifo").arg(&path).status().expect("mkfifo");
        assert!(made.success());
        assert!(NotRegular::is_reason_of(&error_of(&path)));
    }

    #[test]
    #[cfg_attr(windows, ignore = "no path is a device or a pipe")]
    fn a_device_is_refused() {
        assert!(NotRegular::is_reason_of(&error_of(Path::new("/dev/zero"))));
    }

    #[test]
    fn an_error_of_the_system_is_not_taken_for_another_kind_of_file() {
        assert!(!NotRegular::is_reason_of(&io::Error::from_raw_os_error(libc::EINVAL)));
        assert!(!NotRegular::is_reason_of(&error_of(Path::new("/nowhere/log"))));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_file_of_the_system_that_has_no_length_is_read_whole() -> std::io::Result<()> {
        let open = RegularFile::open(Path::new("/proc/self/status"))?;
        assert!(rest_of(open).contains("\nVmRSS:"));
        Ok(())
    }
}
