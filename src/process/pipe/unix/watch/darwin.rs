//! Waits for a pipe on macOS, whose kqueue does not report the ends of a named pipe: it reports data and room
//! alone. Without a check, a reader would never learn that the last writer has closed the pipe, and a writer
//! whose pipe is full would never learn that no reader is left. `select` knows of both.

use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::time::Duration;

use rustix::event::{FdSetElement, Timespec, fd_set_insert, fd_set_num_elements, select};
use rustix::fs::{FileType, fstat};
use tokio::io::unix::AsyncFd;
use tokio::time::{Instant, sleep_until};

/// The time between two checks of a named pipe: ten wake-ups a second while a command of a session runs, and
/// no longer delay for a result that waits until a background process has closed the output.
const CHECK_INTERVAL: Duration = Duration::from_millis(100);

/// The waits of one end of a pipe.
#[derive(Debug)]
pub(in crate::process::pipe) struct PipeWatch {
    is_named: bool,
    /// The time of the next check, kept here because callers drop a wait when another event comes first.
    next_check: Option<Instant>,
}

impl PipeWatch {
    pub(in crate::process::pipe) fn of(end: BorrowedFd<'_>) -> Self {
        Self { is_named: is_named(end), next_check: None }
    }

    /// Waits until there may be something to read, or no writer is left. Cancel safe.
    pub(in crate::process::pipe) async fn readable(&mut self, pipe: &AsyncFd<OwnedFd>) -> io::Result<()> {
        loop {
            tokio::select! {
                biased;
                event = pipe.readable() => {
                    event?.retain_ready();
                    if !self.is_named || is_reported(pipe.as_fd()) {
                        return Ok(());
                    }
                    self.check_due().await;
                }
                () = self.check_due() => {}
            }
            // A read would take a named pipe that no process has opened yet for one that has ended.
            if has_data_or_ended(pipe.as_fd()) {
                return Ok(());
            }
        }
    }

    /// Waits until there may be room, or no reader is left. Cancel safe.
    pub(in crate::process::pipe) async fn writable(&mut self, pipe: &AsyncFd<OwnedFd>) -> io::Result<()> {
        tokio::select! {
            biased;
            event = pipe.writable() => event.map(|mut guard| guard.retain_ready()),
            () = self.check_due() => Ok(()),
        }
    }

    /// Waits until the next check is due. Never returns for a pipe without a name.
    async fn check_due(&mut self) {
        if !self.is_named {
            return std::future::pending().await;
        }
        sleep_until(*self.next_check.get_or_insert_with(|| Instant::now() + CHECK_INTERVAL)).await;
        self.next_check = None;
    }
}

/// Returns whether a pipe has data, or has had a writer and has none any more.
pub(in crate::process::pipe) fn has_data_or_ended(reader: BorrowedFd<'_>) -> bool {
    let number = reader.as_raw_fd();
    let mut set = vec![FdSetElement::default(); fd_set_num_elements(1, number + 1)];
    fd_set_insert(&mut set, number);
    // SAFETY: the only descriptor of the set is open as long as it is borrowed.
    let count = unsafe { select(number + 1, Some(&mut set), None, None, Some(&Timespec::default())) };
    count != Ok(0)
}

fn is_named(end: BorrowedFd<'_>) -> bool {
    let is_pipe = fstat(end).is_ok_and(|status| FileType::from_raw_mode(status.st_mode) == FileType::Fifo);
    is_pipe && has_name(end)
}

#[cfg(target_os = "macos")]
fn has_name(pipe: BorrowedFd<'_>) -> bool {
    // `libproc` numbers pipes without a name only.
    super::super::inode(pipe) == 0
}

#[cfg(feature = "emulate-darwin")]
fn has_name(pipe: BorrowedFd<'_>) -> bool {
    /// The magic number of the file system of pipes without a name.
    const PIPE_FILE_SYSTEM: libc::c_long = 0x5049_5045;
    rustix::fs::fstatfs(pipe).is_ok_and(|system| system.f_type != PIPE_FILE_SYSTEM)
}

/// Returns whether a kqueue reports what has happened to a named pipe.
#[cfg(target_os = "macos")]
const fn is_reported(_reader: BorrowedFd<'_>) -> bool {
    true
}

/// Returns whether a kqueue would report what has happened to a named pipe: data, but not its end.
#[cfg(feature = "emulate-darwin")]
fn is_reported(reader: BorrowedFd<'_>) -> bool {
    rustix::io::ioctl_fionread(reader).is_ok_and(|length| length > 0)
}

#[cfg(test)]
mod tests {
    use std::fs::{File, OpenOptions};
    use std::io::Write as _;
    use std::os::fd::{AsFd, OwnedFd};
    use std::os::unix::fs::OpenOptionsExt;
    use std::process::Command;
    use std::time::Duration;

    use tempfile::TempDir;
    use tokio::time::timeout;

    use super::{PipeWatch, has_data_or_ended};
    use crate::process::pipe::{PipeReader, PipeWriter, Read, Write, pipe};

    const BOUND: Duration = Duration::from_secs(30);

    /// Creates a named pipe, and returns the reading end, its path and the directory.
    fn named_pipe() -> (OwnedFd, std::path::PathBuf, TempDir) {
        let directory = tempfile::tempdir().expect("a directory");
        let path = directory.path().join("pipe");
        assert!(Command::new("mkfifo").arg(&path).status().expect("mkfifo").success());
        let reader = OpenOptions::new().read(true).custom_flags(libc::O_NONBLOCK).open(&path);
        (reader.expect("opened").into(), path, directory)
    }

    fn writer_of(path: &std::path::Path) -> File {
        OpenOptions::new().write(true).custom_flags(libc::O_NONBLOCK).open(path).expect("there is a reader")
    }

    #[tokio::test(flavor = "current_thread")]
    async fn the_end_of_a_named_pipe_is_found_without_an_event() {
        let (reader, path, _directory) = named_pipe();
        let mut writer = writer_of(&path);
        let mut reader = PipeReader::new(reader).expect("registered");
        let mut buffer = Vec::with_capacity(16);
        writer.write_all(b"all").expect("written");
        timeout(BOUND, reader.ready()).await.expect("data").expect("registered");
        assert_eq!(reader.read(&mut buffer), Read::Bytes(3));
        assert_eq!(reader.read(&mut buffer), Read::Empty);
        drop(writer);
        timeout(BOUND, reader.ready()).await.expect("the end").expect("registered");
        assert_eq!(reader.read(&mut buffer), Read::End);
    }

    #[tokio::test(flavor = "current_thread")]
    async fn a_named_pipe_that_nobody_has_opened_has_not_ended() {
        let (reader, path, _directory) = named_pipe();
        assert!(!has_data_or_ended(reader.as_fd()));
        let mut reader = PipeReader::new(reader).expect("registered");
        assert!(reader.is_untouched());
        timeout(super::CHECK_INTERVAL * 3, reader.ready()).await.expect_err("nothing has happened");
        let writer = writer_of(&path);
        assert!(!reader.is_untouched());
        drop(writer);
        timeout(BOUND, reader.ready()).await.expect("the end").expect("registered");
    }

    #[tokio::test(flavor = "current_thread")]
    async fn a_writer_of_a_full_named_pipe_tries_again_without_an_event() {
        let (reader, path, _directory) = named_pipe();
        let mut writer = PipeWriter::new(writer_of(&path).into()).expect("registered");
        while writer.write(&[b'x'; 10_000]) != Write::Full {}
        while writer.write(b"x") != Write::Full {}
        timeout(BOUND, writer.ready()).await.expect("a check").expect("registered");
        assert_eq!(writer.write(b"x"), Write::Full);
        drop(reader);
        timeout(BOUND, writer.ready()).await.expect("a check").expect("registered");
        assert_eq!(writer.write(b"x"), Write::Closed);
    }

    #[test]
    fn only_a_pipe_of_the_file_system_has_a_name() {
        let (unnamed, _writer) = pipe().expect("a pipe");
        let (named, _path, _directory) = named_pipe();
        let file = File::open("/").expect("a directory");
        let are_named = [unnamed.as_fd(), named.as_fd(), file.as_fd()].map(|end| PipeWatch::of(end).is_named);
        assert_eq!(are_named, [false, true, false]);
    }
}
