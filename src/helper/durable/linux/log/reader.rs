//! Reads a log, also while it is written.

use std::io;
use std::os::fd::{AsFd, OwnedFd};

use rustix::fs::{Mode, OFlags, openat};
use rustix::io::{Errno, pread, retry_on_intr};

use super::format::{HEADER, LogRecord, LogStream, MAX_PAYLOAD, ParsedRecord, RECORD, first_of, parse};
use super::{segment_name, segments};

/// The size of one read (bytes): several records of the largest size.
const CHUNK: usize = 4 * (RECORD + MAX_PAYLOAD);

/// A place in a log.
#[derive(Debug)]
pub struct LogReader {
    directory: OwnedFd,
    segment: Option<OpenSegment>,
    /// The cursor of the next byte that the caller gets.
    cursor: u64,
}

#[derive(Debug)]
struct OpenSegment {
    number: u64,
    file: OwnedFd,
    /// The place in the file after what is in the buffer (bytes).
    place: u64,
    buffer: Vec<u8>,
    /// The part of the buffer that was used (bytes).
    used: usize,
    /// The cursor of the next record.
    cursor: u64,
    is_damaged: bool,
}

/// The content of a log at a position.
#[derive(Debug, PartialEq, Eq)]
pub enum LogPiece<'a> {
    Output(LogStream, &'a [u8]),
    /// So many bytes are not there any more.
    Dropped(u64),
}

impl LogReader {
    /// Opens the log in the directory of a job. Reads from the cursor `since` on.
    ///
    /// # Errors
    ///
    /// The system's error.
    pub fn open(directory: OwnedFd, since: u64) -> io::Result<Self> {
        let mut reader = Self { directory, segment: None, cursor: since };
        let mut found = None;
        for number in segments(reader.directory.as_fd())? {
            match OpenSegment::open(&reader.directory, number)? {
                Some(segment) if found.is_none() || segment.cursor <= since => found = Some(segment),
                _ => {}
            }
        }
        reader.segment = found;
        Ok(reader)
    }

    /// Reads the log of a dead supervisor to its end. Returns the cursor after all output, and how much of it
    /// is not there.
    ///
    /// # Errors
    ///
    /// The system's error.
    pub fn measure(directory: OwnedFd) -> io::Result<(u64, u64)> {
        let mut reader = Self::open(directory, 0)?;
        let mut dropped = 0;
        while let Some(piece) = reader.next(0)? {
            if let LogPiece::Dropped(count) = piece {
                dropped += count;
            }
        }
        Ok((reader.cursor, dropped))
    }

    /// Returns the cursor of the next byte.
    #[must_use]
    pub const fn cursor(&self) -> u64 {
        self.cursor
    }

    /// Returns the next piece; `None` where nothing more was written yet. `total` is the cursor up to which
    /// the caller knows of output: if that is not found, it is counted as dropped.
    ///
    /// # Errors
    ///
    /// The system's error.
    pub fn next(&mut self, total: u64) -> io::Result<Option<LogPiece<'_>>> {
        loop {
            let cursor = self.cursor;
            match self.advance()? {
                Some(LogStep { from, record, range }) => {
                    let end = from + record;
                    if end <= cursor {
                        continue;
                    }
                    if from > cursor {
                        // The bytes before this record are gone. The record is read again.
                        self.rewind(record, range.as_ref());
                        self.cursor = from;
                        return Ok(Some(LogPiece::Dropped(from - cursor)));
                    }
                    self.cursor = end;
                    let Some((stream, start, length)) = range else {
                        return Ok(Some(LogPiece::Dropped(end - cursor)));
                    };
                    let skipped = usize::try_from(cursor - from).unwrap_or(length);
                    let bytes = self.segment.as_ref().map_or(&[][..], |segment| &segment.buffer[..]);
                    return Ok(Some(LogPiece::Output(stream, &bytes[start + skipped..start + length])));
                }
                None if self.begin_next(total > cursor)? => {}
                None if total > cursor => {
                    self.cursor = total;
                    return Ok(Some(LogPiece::Dropped(total - cursor)));
                }
                None => return Ok(None),
            }
        }
    }

    /// Reads the next record of the current segment.
    fn advance(&mut self) -> io::Result<Option<LogStep>> {
        let Some(segment) = &mut self.segment else { return Ok(None) };
        loop {
            if segment.is_damaged {
                return Ok(None);
            }
            match parse(&segment.buffer[segment.used..]) {
                ParsedRecord::Record(record, length) => {
                    let start = segment.used + RECORD;
                    let range = match record {
                        LogRecord::Output(stream, bytes) => Some((stream, start, bytes.len())),
                        _ => None,
                    };
                    let step = LogStep { from: segment.cursor, record: record.advance(), range };
                    segment.used += length;
                    segment.cursor += step.record;
                    return Ok(Some(step));
                }
                ParsedRecord::Incomplete => {
                    if !segment.fill()? {
                        return Ok(None);
                    }
                }
                ParsedRecord::Damaged => segment.is_damaged = true,
            }
        }
    }

    /// Undoes the last step.
    fn rewind(&mut self, record: u64, range: Option<&(LogStream, usize, usize)>) {
        if let (Some(segment), Some((_, start, _))) = (&mut self.segment, range) {
            segment.used = start - RECORD;
            segment.cursor -= record;
        }
    }

    /// Goes on to the next segment. `is_missing` tells that there is one, though others may have gone.
    fn begin_next(&mut self, is_missing: bool) -> io::Result<bool> {
        let number = self.segment.as_ref().map_or(0, |segment| segment.number + 1);
        let mut next = OpenSegment::open(&self.directory, number)?;
        if next.is_none() && is_missing {
            let later = segments(self.directory.as_fd())?.into_iter().find(|&other| other >= number);
            next = later.map(|later| OpenSegment::open(&self.directory, later)).transpose()?.flatten();
        }
        let Some(next) = next else { return Ok(false) };
        // Before this segment began, its writer may have added to the one before.
        if let Some(segment) = &mut self.segment
            && !segment.is_damaged
            && segment.fill()?
            && matches!(parse(&segment.buffer[segment.used..]), ParsedRecord::Record(..))
        {
            return Ok(true);
        }
        self.segment = Some(next);
        Ok(true)
    }
}

/// A record that was read: its first cursor, its length in output, and where its bytes are.
struct LogStep {
    from: u64,
    record: u64,
    range: Option<(LogStream, usize, usize)>,
}

impl OpenSegment {
    /// Opens a segment; `None` if it is not there, or its header is not written yet.
    fn open(directory: &OwnedFd, number: u64) -> io::Result<Option<Self>> {
        let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NOFOLLOW;
        let file = match openat(directory, segment_name(number), flags, Mode::empty()) {
            Ok(file) => file,
            Err(Errno::NOENT) => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        let mut header = [0; HEADER];
        let length = retry_on_intr(|| pread(&file, &mut header, 0))?;
        Ok(first_of(&header[..length]).map(|cursor| Self {
            number,
            file,
            place: HEADER as u64,
            buffer: Vec::new(),
            used: 0,
            cursor,
            is_damaged: false,
        }))
    }

    /// Reads more of the file into the buffer. Returns whether there was any.
    fn fill(&mut self) -> io::Result<bool> {
        self.buffer.drain(..self.used);
        self.used = 0;
        let before = self.buffer.len();
        self.buffer.resize(before + CHUNK, 0);
        let result = retry_on_intr(|| pread(&self.file, &mut self.buffer[before..], self.place));
        let count = *result.as_ref().unwrap_or(&0);
        self.buffer.truncate(before + count);
        self.place += count as u64;
        result?;
        Ok(count > 0)
    }
}

#[cfg(test)]
mod tests {
    use std::fs::{self, File};
    use std::path::Path;

    use proptest::collection::vec;
    use proptest::prelude::*;
    use tempfile::tempdir;

    use super::super::writer::LogWriter;
    use super::{LogPiece, LogReader, LogStream};

    fn open(path: &Path) -> std::os::fd::OwnedFd {
        File::open(path).expect("a directory").into()
    }

    /// Reads everything from a cursor on: the bytes of both streams, and how many were dropped.
    fn read(path: &Path, since: u64, total: u64) -> (Vec<u8>, Vec<u8>, u64) {
        let mut reader = LogReader::open(open(path), since).expect("a log");
        let (mut stdout, mut stderr, mut dropped) = (Vec::new(), Vec::new(), 0);
        while let Some(piece) = reader.next(total).expect("it can be read") {
            match piece {
                LogPiece::Output(LogStream::Stdout, bytes) => stdout.extend(bytes),
                LogPiece::Output(LogStream::Stderr, bytes) => stderr.extend(bytes),
                LogPiece::Dropped(count) => dropped += count,
            }
        }
        assert_eq!(reader.cursor(), total.max(since));
        (stdout, stderr, dropped)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(40))]
        #[test]
        fn each_byte_is_read_once_or_counted_from_any_cursor_on(
            outputs in vec((any::<bool>(), 1_usize..150_000), 1..40),
            since: prop::sample::Index,
        ) {
            let directory = tempdir().expect("a directory");
            let mut log = LogWriter::create(open(directory.path()), 1024 * 1024).expect("a log");
            let mut both = Vec::new();
            for (number, (is_stdout, length)) in outputs.iter().enumerate() {
                let bytes = vec![u8::try_from(number).expect("few"); *length];
                log.write(if *is_stdout { LogStream::Stdout } else { LogStream::Stderr }, &bytes);
                both.extend(bytes);
            }
            let total = log.cursor();
            prop_assert_eq!(total, both.len() as u64);
            let since = since.index(both.len() + 1) as u64;
            let (stdout, stderr, dropped) = read(directory.path(), since, total);
            prop_assert_eq!(since + (stdout.len() + stderr.len()) as u64 + dropped, total);
            let mut read: Vec<u8> = stdout.into_iter().chain(stderr).collect();
            read.sort_unstable();
            // The head and the latest part are there: what is dropped lies between them.
            if since == 0 {
                prop_assert_eq!(dropped, log.dropped());
                prop_assert!(read.first() == both.first() && read.last() == both.last());
            }
            let kept = fs::read_dir(directory.path()).expect("it is there").count();
            prop_assert!(kept <= 8);
        }
    }

    #[test]
    fn a_reader_follows_its_writer() {
        let directory = tempdir().expect("a directory");
        let mut log = LogWriter::create(open(directory.path()), 1024 * 1024).expect("a log");
        let mut reader = LogReader::open(open(directory.path()), 0).expect("a log");
        assert_eq!(reader.next(0).expect("readable"), None);
        for number in 0..200_u8 {
            log.write(LogStream::Stdout, &[number; 10_000]);
            let mut got: Vec<u8> = Vec::new();
            while let Some(piece) = reader.next(log.cursor()).expect("readable") {
                match piece {
                    LogPiece::Output(_, bytes) => got.extend(bytes),
                    LogPiece::Dropped(count) => panic!("{count} bytes"),
                }
            }
            assert_eq!(got, [number; 10_000]);
        }
    }

    #[test]
    fn a_torn_record_is_ignored_and_counted_where_its_end_is_known() {
        let directory = tempdir().expect("a directory");
        let mut log = LogWriter::create(open(directory.path()), 1024 * 1024).expect("a log");
        log.write(LogStream::Stdout, b"whole");
        log.write(LogStream::Stdout, b"torn");
        let path = directory.path().join("log.0");
        let length = fs::metadata(&path).expect("a segment").len();
        File::options().write(true).open(&path).and_then(|file| file.set_len(length - 2)).expect("it is cut");
        assert_eq!(read(directory.path(), 0, 5), (b"whole".to_vec(), Vec::new(), 0));
        assert_eq!(read(directory.path(), 0, 9), (b"whole".to_vec(), Vec::new(), 4));
    }

    #[test]
    fn a_directory_without_a_log_has_dropped_everything() {
        let directory = tempdir().expect("a directory");
        assert_eq!(read(directory.path(), 3, 10), (Vec::new(), Vec::new(), 7));
    }
}
