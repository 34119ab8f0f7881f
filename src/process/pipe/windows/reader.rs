//! The reading end of a pipe, on the I/O thread.
//!
//! A read of no bytes is pending while the pipe is empty: it completes when there is something to read, takes
//! nothing, and needs no buffer. Then the caller's buffer is filled without a wait. The runtime's own named
//! pipes read 4 KiB at a time.

use std::io;
use std::os::windows::io::{AsHandle, AsRawHandle, FromRawHandle, OwnedHandle};
use std::ptr::{NonNull, dangling_mut, null, null_mut};

use windows_sys::Win32::Foundation::{ERROR_BROKEN_PIPE, ERROR_IO_INCOMPLETE, ERROR_IO_PENDING};
use windows_sys::Win32::Storage::FileSystem::ReadFile;
use windows_sys::Win32::System::IO::{CancelIoEx, GetOverlappedResult, OVERLAPPED};
use windows_sys::Win32::System::Pipes::PeekNamedPipe;
use windows_sys::Win32::System::Threading::CreateEventW;

use super::Stream;
use crate::process::errno::Errno;
use crate::process::pipe::Read;
use crate::process::pty::WindowSize;
use crate::process::windows::job_object::succeeded;
use crate::process::windows::wait::Wait;

/// The reading end of a pipe, on the I/O thread.
#[derive(Debug)]
pub struct PipeReader {
    // Dropped before the event that it waits for.
    wait: Wait,
    pipe: ReadablePipe,
}

impl PipeReader {
    /// Takes a reading end.
    ///
    /// # Errors
    ///
    /// When the kernel has no event or no wait left.
    pub fn new(pipe: Stream) -> io::Result<Self> {
        let pipe = ReadablePipe::new(pipe)?;
        // SAFETY: the event is open until the wait is dropped.
        let wait = unsafe { Wait::for_each_signal(pipe.event.as_handle()) }?;
        Ok(Self { wait, pipe })
    }

    /// Does nothing: a pipe wakes the I/O thread once for each wait.
    pub const fn deregister(&mut self) {}

    /// Waits until there may be something to read. Cancel safe.
    ///
    /// # Errors
    ///
    /// None: an error of the pipe is what can be read.
    pub async fn ready(&mut self) -> io::Result<()> {
        self.pipe.start();
        while self.pipe.is_pending() {
            self.wait.signaled().await;
        }
        Ok(())
    }

    /// Appends the data that has arrived to the buffer, as far as the buffer has room.
    pub fn read(&mut self, buffer: &mut Vec<u8>) -> Read {
        buffer.reserve(1);
        let result = available(&self.pipe.pipe).and_then(|available| match available {
            0 => Ok(0),
            _ => self.pipe.take(buffer, available),
        });
        match result {
            Ok(0) => Read::Empty,
            Ok(count) => Read::Bytes(count),
            Err(error) if error.raw_os_error() == Some(ERROR_BROKEN_PIPE.cast_signed()) => Read::End,
            Err(error) => Read::Failed(Errno::of(&error)),
        }
    }

    /// Returns false: only a named pipe of a session can be untouched.
    #[must_use]
    pub const fn is_untouched(&self) -> bool {
        false
    }

    /// Returns 0: processes are not found by their pipes here.
    #[must_use]
    pub const fn inode(&self) -> u64 {
        0
    }

    /// Does nothing: no command has a terminal.
    pub const fn resize(&self, _size: WindowSize) {}
}

/// A pipe with at most one read of no bytes that the kernel has not completed.
#[derive(Debug)]
struct ReadablePipe {
    pipe: OwnedHandle,
    /// The event that the kernel sets when such a read completes. The wait for it resets it.
    event: OwnedHandle,
    /// The kernel's record of the read, from a box: it has one place while the read is pending.
    record: NonNull<OVERLAPPED>,
    is_pending: bool,
}

// SAFETY: the handles and the record belong to no thread.
unsafe impl Send for ReadablePipe {}
// SAFETY: by a shared reference, the record is only asked for.
unsafe impl Sync for ReadablePipe {}

impl ReadablePipe {
    fn new(pipe: Stream) -> io::Result<Self> {
        // SAFETY: without attributes and a name. A handle that is returned is new, and owned from here on.
        let event = unsafe {
            let event = CreateEventW(null(), 0, 0, null());
            if event.is_null() {
                return Err(io::Error::last_os_error());
            }
            OwnedHandle::from_raw_handle(event)
        };
        let record = Box::new(OVERLAPPED { hEvent: event.as_raw_handle(), ..OVERLAPPED::default() });
        Ok(Self { pipe, event, record: NonNull::from(Box::leak(record)), is_pending: false })
    }

    /// Begins to wait for data, unless it does already.
    fn start(&mut self) {
        if self.is_pending() {
            return;
        }
        // SAFETY: the pipe is open. The record is not in use, and stays in its place until the read is
        // complete (`drop`). No byte is read, so the buffer is not used.
        let read = succeeded(unsafe {
            ReadFile(self.pipe.as_raw_handle(), dangling_mut(), 0, null_mut(), self.record.as_ptr())
        });
        self.is_pending =
            read.is_err_and(|error| error.raw_os_error() == Some(ERROR_IO_PENDING.cast_signed()));
    }

    /// Returns whether the kernel still waits for data.
    fn is_pending(&mut self) -> bool {
        self.is_pending = self.is_pending && !self.completes(false);
        self.is_pending
    }

    /// Returns whether the read of no bytes is complete, after waiting for that or at once.
    fn completes(&self, waits: bool) -> bool {
        let mut count = 0;
        // SAFETY: the pipe is open, and the record is that of a read which has begun.
        let result = succeeded(unsafe {
            GetOverlappedResult(
                self.pipe.as_raw_handle(),
                self.record.as_ptr(),
                &raw mut count,
                i32::from(waits),
            )
        });
        !result.is_err_and(|error| error.raw_os_error() == Some(ERROR_IO_INCOMPLETE.cast_signed()))
    }

    /// Appends bytes that are available to the buffer, as far as it has room, and returns their number.
    fn take(&mut self, buffer: &mut Vec<u8>, available: u32) -> io::Result<usize> {
        let room = buffer.spare_capacity_mut();
        let most = u32::try_from(room.len()).unwrap_or(u32::MAX).min(available);
        let mut record = OVERLAPPED::default();
        let mut count = 0;
        let pipe = self.pipe.as_raw_handle();
        // SAFETY: the pipe is open, and only this thread reads it, so the bytes are there and the read
        // completes at once. The record and the room live until it is complete.
        unsafe {
            let read = ReadFile(pipe, room.as_mut_ptr().cast(), most, null_mut(), &raw mut record);
            if let Err(error) = succeeded(read)
                && error.raw_os_error() != Some(ERROR_IO_PENDING.cast_signed())
            {
                return Err(error);
            }
            succeeded(GetOverlappedResult(pipe, &raw const record, &raw mut count, 1))?;
            buffer.set_len(buffer.len() + count as usize);
        }
        Ok(count as usize)
    }
}

/// Returns how many bytes can be read now from a pipe. The error for one that has ended is
/// `ERROR_BROKEN_PIPE`.
///
/// # Errors
///
/// When the kernel refuses.
pub fn available(pipe: &impl AsRawHandle) -> io::Result<u32> {
    let mut available = 0;
    // SAFETY: the pipe is open, and the only place that is given lives until the call returns.
    succeeded(unsafe {
        PeekNamedPipe(pipe.as_raw_handle(), null_mut(), 0, null_mut(), &raw mut available, null_mut())
    })?;
    Ok(available)
}

impl Drop for ReadablePipe {
    fn drop(&mut self) {
        if self.is_pending() {
            // SAFETY: the pipe is open, and the record is that of its pending read.
            unsafe { CancelIoEx(self.pipe.as_raw_handle(), self.record.as_ptr()) };
            self.completes(true);
        }
        // SAFETY: the record is from a box, and no read uses it any more.
        drop(unsafe { Box::from_raw(self.record.as_ptr()) });
    }
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::io::Write;
    use std::thread;
    use std::time::Duration;

    use tokio::time::timeout;

    use super::PipeReader;
    use crate::process::pipe::{Read, pipe};

    /// How long a test waits for what must happen.
    const DEADLINE: Duration = Duration::from_secs(60);

    fn reader_and_writer() -> (PipeReader, File) {
        let (host, command) = pipe().expect("a pipe");
        (PipeReader::new(host).expect("a reader"), command.into())
    }

    async fn ready(reader: &mut PipeReader) {
        timeout(DEADLINE, reader.ready()).await.expect("in time").expect("a pipe");
    }

    /// Reads until the end, each time as much as there is room for.
    async fn read_all(reader: &mut PipeReader, room: usize) -> Vec<u8> {
        let mut all = Vec::new();
        loop {
            ready(reader).await;
            let mut buffer = Vec::with_capacity(room);
            match reader.read(&mut buffer) {
                Read::Bytes(count) => assert_eq!(count, buffer.len()),
                Read::Empty => {}
                Read::End => return all,
                Read::Failed(error) => panic!("{error:?}"),
            }
            all.extend(buffer);
        }
    }

    #[tokio::test]
    async fn all_bytes_arrive_in_order_whatever_the_room() {
        for room in [1000, 65_536, 1 << 20] {
            let (mut reader, mut writer) = reader_and_writer();
            let bytes: Vec<u8> = (0..1_000_003_u32).map(|number| (number % 251).to_le_bytes()[0]).collect();
            let written = bytes.clone();
            let writing =
                thread::spawn(move || written.chunks(77_777).try_for_each(|it| writer.write_all(it)));
            assert!(read_all(&mut reader, room).await == bytes, "{room}");
            writing.join().expect("no panic").expect("written");
        }
    }

    #[tokio::test]
    async fn a_pipe_without_data_is_empty_and_an_end_is_no_error() {
        let (mut reader, writer) = reader_and_writer();
        assert_eq!(reader.read(&mut Vec::new()), Read::Empty);
        drop(writer);
        ready(&mut reader).await;
        assert_eq!(reader.read(&mut Vec::new()), Read::End);
    }

    #[tokio::test]
    async fn a_wait_that_was_given_up_loses_nothing() {
        let (mut reader, mut writer) = reader_and_writer();
        for text in ["one", "two"] {
            timeout(Duration::ZERO, reader.ready()).await.expect_err("nothing to read");
            writer.write_all(text.as_bytes()).expect("written");
            ready(&mut reader).await;
            let mut buffer = Vec::new();
            assert_eq!((reader.read(&mut buffer), &buffer[..]), (Read::Bytes(3), text.as_bytes()));
        }
    }

    #[tokio::test]
    async fn a_reader_can_go_while_it_waits() {
        let (mut reader, mut writer) = reader_and_writer();
        timeout(Duration::ZERO, reader.ready()).await.expect_err("nothing to read");
        drop(reader);
        writer.write_all(b"x").expect_err("nobody reads");
    }

    #[tokio::test]
    async fn what_is_written_without_a_byte_is_not_the_end() {
        let (mut reader, mut writer) = reader_and_writer();
        assert_eq!(writer.write(b"").expect("written"), 0);
        writer.write_all(b"x").expect("written");
        drop(writer);
        assert_eq!(read_all(&mut reader, 10).await, b"x");
    }
}
