//! Writes a log.

use std::collections::VecDeque;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::time::Instant;

use rustix::fs::{AtFlags, Mode, OFlags, ftruncate, openat, unlinkat};
use rustix::io::{Errno, pwrite, retry_on_intr};

use super::format::{
    HEADER, LogStream, MAX_PAYLOAD, RECORD, SEGMENTS, header, put_gap, put_output, replaced_by,
};
use super::segment_name;

/// The most output that waits in memory while the disk is full (bytes).
const MAX_WAITING: usize = 1024 * 1024;

/// The permissions of a segment.
const MODE: u32 = 0o600;

/// A log that is being written.
#[derive(Debug)]
pub struct LogWriter {
    directory: OwnedFd,
    file: OwnedFd,
    number: u64,
    /// The length of the current segment (bytes).
    length: u64,
    /// The length from which on another segment begins (bytes).
    segment: u64,
    /// The output in each of the segments that exist (bytes); the first one and the latest ones.
    kept: VecDeque<u64>,
    /// The cursor after what was written.
    written: u64,
    /// The output that the disk has not taken.
    waiting: VecDeque<WaitingOutput>,
    waiting_bytes: usize,
    dropped: u64,
    last_at: Instant,
    buffer: Vec<u8>,
}

#[derive(Debug)]
enum WaitingOutput {
    Output(LogStream, Vec<u8>),
    Gap(u64),
}

impl LogWriter {
    /// Creates the log of a new job, which takes about `limit` bytes of the disk at most.
    ///
    /// # Errors
    ///
    /// The system's error, such as `ENOSPC`.
    pub fn create(directory: OwnedFd, limit: u64) -> io::Result<Self> {
        let file = create_segment(&directory, 0, 0)?;
        let segment = (limit / SEGMENTS).max((HEADER + RECORD + MAX_PAYLOAD) as u64);
        Ok(Self {
            directory,
            file,
            number: 0,
            length: HEADER as u64,
            segment,
            kept: VecDeque::from([0]),
            written: 0,
            waiting: VecDeque::new(),
            waiting_bytes: 0,
            dropped: 0,
            last_at: Instant::now(),
            buffer: Vec::new(),
        })
    }

    /// Returns the cursor after all that readers can find.
    #[must_use]
    pub const fn cursor(&self) -> u64 {
        self.written
    }

    /// Returns how many bytes of the output are not on disk any more.
    #[must_use]
    pub const fn dropped(&self) -> u64 {
        self.dropped
    }

    /// Returns whether output waits for the disk.
    #[must_use]
    pub fn is_waiting(&self) -> bool {
        !self.waiting.is_empty()
    }

    /// Appends output. What the disk does not take waits in memory, the latest part of it.
    pub fn write(&mut self, stream: LogStream, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            let (part, rest) = bytes.split_at(bytes.len().min(MAX_PAYLOAD));
            bytes = rest;
            if self.is_waiting() || self.append_output(stream, part).is_err() {
                self.wait(stream, part);
            }
        }
    }

    /// Writes what waits, as far as the disk takes it.
    pub fn retry(&mut self) {
        while let Some(next) = self.waiting.pop_front() {
            let result = match &next {
                WaitingOutput::Output(stream, bytes) => self.append_output(*stream, bytes),
                WaitingOutput::Gap(count) => self.append_gap(*count),
            };
            match (result, next) {
                (Ok(()), WaitingOutput::Output(_, bytes)) => self.waiting_bytes -= bytes.len(),
                (Ok(()), WaitingOutput::Gap(_)) => {}
                (Err(_), next) => return self.waiting.push_front(next),
            }
        }
    }

    /// Counts what still waits as dropped: the job is over. Returns the cursor after all output, and how much
    /// of it was dropped.
    #[must_use]
    pub fn finish(&mut self) -> (u64, u64) {
        self.retry();
        let gap = |next: &WaitingOutput| if let WaitingOutput::Gap(count) = next { *count } else { 0 };
        let counted: u64 = self.waiting.iter().map(gap).sum();
        let lost = self.waiting_bytes as u64;
        self.waiting.clear();
        (self.written + counted + lost, self.dropped + lost)
    }

    fn wait(&mut self, stream: LogStream, bytes: &[u8]) {
        self.waiting.push_back(WaitingOutput::Output(stream, bytes.to_vec()));
        self.waiting_bytes += bytes.len();
        while self.waiting_bytes > MAX_WAITING {
            let mut gap = 0;
            while let Some(WaitingOutput::Gap(count)) = self.waiting.front() {
                gap += count;
                self.waiting.pop_front();
            }
            let Some(WaitingOutput::Output(_, oldest)) = self.waiting.pop_front() else { return };
            self.waiting_bytes -= oldest.len();
            self.dropped += oldest.len() as u64;
            self.waiting.push_front(WaitingOutput::Gap(gap + oldest.len() as u64));
        }
    }

    fn append_output(&mut self, stream: LogStream, bytes: &[u8]) -> io::Result<()> {
        let now = Instant::now();
        let milliseconds = u64::try_from(now.duration_since(self.last_at).as_millis()).unwrap_or(u64::MAX);
        self.buffer.clear();
        put_output(&mut self.buffer, stream, milliseconds, bytes);
        self.append()?;
        self.last_at = now;
        self.written += bytes.len() as u64;
        if let Some(latest) = self.kept.back_mut() {
            *latest += bytes.len() as u64;
        }
        Ok(())
    }

    fn append_gap(&mut self, count: u64) -> io::Result<()> {
        self.buffer.clear();
        put_gap(&mut self.buffer, count);
        self.append()?;
        self.written += count;
        Ok(())
    }

    /// Appends the record in the buffer, as a whole or not at all.
    fn append(&mut self) -> io::Result<()> {
        if self.length > HEADER as u64 && self.length + self.buffer.len() as u64 > self.segment {
            self.begin_segment()?;
        }
        write_whole(&self.file, &self.buffer, self.length)?;
        self.length += self.buffer.len() as u64;
        Ok(())
    }

    /// Begins the next segment. The old one goes first, which may make the room.
    fn begin_segment(&mut self) -> io::Result<()> {
        let number = self.number + 1;
        if let Some(old) = replaced_by(number)
            && unlinkat(&self.directory, segment_name(old), AtFlags::empty()).is_ok()
        {
            self.dropped += self.kept.remove(1).unwrap_or(0);
        }
        self.file = create_segment(&self.directory, number, self.written)?;
        self.number = number;
        self.length = HEADER as u64;
        self.kept.push_back(0);
        Ok(())
    }
}

fn create_segment(directory: &OwnedFd, number: u64, first: u64) -> io::Result<OwnedFd> {
    // A segment whose header the disk did not take is there already, and empty.
    let flags = OFlags::CREATE | OFlags::WRONLY | OFlags::CLOEXEC | OFlags::NOFOLLOW | OFlags::TRUNC;
    let file = openat(directory.as_fd(), segment_name(number), flags, Mode::from_raw_mode(MODE))?;
    write_whole(&file, &header(first), 0)?;
    Ok(file)
}

/// Writes all bytes at this place, or leaves the file as long as it was.
fn write_whole(file: &OwnedFd, bytes: &[u8], at: u64) -> io::Result<()> {
    let mut done = 0;
    while done < bytes.len() {
        match retry_on_intr(|| pwrite(file, &bytes[done..], at + done as u64)) {
            Ok(count) if count > 0 => done += count,
            result => {
                let _ = ftruncate(file, at);
                return Err(result.err().unwrap_or(Errno::NOSPC).into());
            }
        }
    }
    Ok(())
}

/// Writes the fixed places of a small file, which exists already.
///
/// # Errors
///
/// The system's error.
pub(in crate::helper) fn overwrite(file: &OwnedFd, bytes: &[u8]) -> io::Result<()> {
    let mut done = 0;
    while done < bytes.len() {
        match retry_on_intr(|| pwrite(file, &bytes[done..], done as u64))? {
            0 => return Err(Errno::NOSPC.into()),
            count => done += count,
        }
    }
    Ok(())
}
