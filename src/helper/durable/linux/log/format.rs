//! The bytes of a log: pure. The format is frozen: each later version reads it.
//!
//! A log is a row of segments, files with a header of [`HEADER`] bytes and records. A record is the length of
//! its payload (`u32`), its kind (`u8`: 1 standard output, 2 standard error, 3 control), the time since the
//! record before (`u24`, ms), and the payload. Integers are little-endian.
//!
//! A *cursor* counts the bytes that the command has written to both streams, whether they were kept or not.

/// The length of a segment's header (bytes): the magic, the cursor of its first byte, and zeros.
pub const HEADER: usize = 64;

/// The length of a record's header (bytes).
pub const RECORD: usize = 8;

/// The longest payload of a record (bytes).
pub const MAX_PAYLOAD: usize = 64 * 1024;

/// The number of segments that are kept: the first one, and the latest ones.
pub const SEGMENTS: u64 = 8;

const MAGIC: &[u8; 8] = b"agbslog1";

const CONTROL: u8 = 3;

/// The payload of a control record for output that was not written: this byte, and the number of bytes.
const GAP: u8 = 1;

/// The largest time between two records (ms).
const MAX_TIME: u32 = 0x00ff_ffff;

/// The stream of a record, by its byte in the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogStream {
    Stdout,
    Stderr,
}

impl LogStream {
    const fn kind(self) -> u8 {
        match self {
            Self::Stdout => 1,
            Self::Stderr => 2,
        }
    }
}

/// The content of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogRecord<'a> {
    Output(LogStream, &'a [u8]),
    /// So many bytes were not written, because the disk was full.
    Gap(u64),
    /// A record of a later version.
    Unknown,
}

impl LogRecord<'_> {
    /// Returns by how many bytes the record moves the cursor.
    #[must_use]
    pub const fn advance(&self) -> u64 {
        match self {
            Self::Output(_, bytes) => bytes.len() as u64,
            Self::Gap(count) => *count,
            Self::Unknown => 0,
        }
    }
}

/// The beginning of the bytes of a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParsedRecord<'a> {
    /// A record, and its length with its header.
    Record(LogRecord<'a>, usize),
    /// The rest of the record is missing: it is being written, or its writer has died.
    Incomplete,
    /// The bytes are no record, so the segment can't be read on.
    Damaged,
}

/// Returns the header of a segment whose first byte of output has this cursor.
#[must_use]
pub fn header(first: u64) -> [u8; HEADER] {
    let mut bytes = [0; HEADER];
    bytes[..8].copy_from_slice(MAGIC);
    bytes[8..16].copy_from_slice(&first.to_le_bytes());
    bytes
}

/// Returns the cursor of a segment's first byte of output; `None` for bytes that are no header.
#[must_use]
pub fn first_of(header: &[u8]) -> Option<u64> {
    let rest = header.get(..HEADER)?.strip_prefix(MAGIC)?;
    Some(u64::from_le_bytes(*rest.first_chunk()?))
}

/// Appends the record of some output, of at most [`MAX_PAYLOAD`] bytes. `milliseconds` is the time since the
/// record before.
pub fn put_output(out: &mut Vec<u8>, stream: LogStream, milliseconds: u64, bytes: &[u8]) {
    put(out, stream.kind(), milliseconds, bytes);
}

/// Appends the record of output that was not written.
pub fn put_gap(out: &mut Vec<u8>, count: u64) {
    let mut payload = vec![GAP];
    payload.extend(count.to_le_bytes());
    put(out, CONTROL, 0, &payload);
}

fn put(out: &mut Vec<u8>, kind: u8, milliseconds: u64, payload: &[u8]) {
    debug_assert!(payload.len() <= MAX_PAYLOAD, "a record of {} bytes", payload.len());
    let milliseconds = u32::try_from(milliseconds).unwrap_or(MAX_TIME).min(MAX_TIME);
    out.extend(u32::try_from(payload.len()).unwrap_or(u32::MAX).to_le_bytes());
    out.push(kind);
    out.extend(&milliseconds.to_le_bytes()[..3]);
    out.extend(payload);
}

/// Reads the record at the beginning of these bytes.
#[must_use]
pub fn parse(bytes: &[u8]) -> ParsedRecord<'_> {
    let Some(&[l0, l1, l2, l3, kind, _, _, _]) = bytes.first_chunk::<RECORD>() else {
        return ParsedRecord::Incomplete;
    };
    let length = u32::from_le_bytes([l0, l1, l2, l3]) as usize;
    if length > MAX_PAYLOAD || kind == 0 {
        return ParsedRecord::Damaged;
    }
    let Some(payload) = bytes.get(RECORD..RECORD + length) else { return ParsedRecord::Incomplete };
    let record = match (kind, payload) {
        (1, bytes) => LogRecord::Output(LogStream::Stdout, bytes),
        (2, bytes) => LogRecord::Output(LogStream::Stderr, bytes),
        (CONTROL, [GAP, count @ ..]) => match count.first_chunk() {
            Some(count) => LogRecord::Gap(u64::from_le_bytes(*count)),
            None => return ParsedRecord::Damaged,
        },
        _ => LogRecord::Unknown,
    };
    ParsedRecord::Record(record, RECORD + length)
}

/// Returns the segment that goes when this one begins.
#[must_use]
pub const fn replaced_by(number: u64) -> Option<u64> {
    // The first segment stays, and so do the latest ones.
    if number >= SEGMENTS { Some(number + 1 - SEGMENTS) } else { None }
}

/// Returns the number of bytes at the end that begin a character of UTF-8 without completing it.
#[must_use]
pub fn incomplete_end(bytes: &[u8]) -> usize {
    let last = &bytes[bytes.len().saturating_sub(3)..];
    for (back, &byte) in (1..).zip(last.iter().rev()) {
        let length = match byte {
            0x80..=0xbf => continue,
            0xc2..=0xdf => 2,
            0xe0..=0xef => 3,
            0xf0..=0xf4 => 4,
            _ => 1,
        };
        return if length > back { back } else { 0 };
    }
    0
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;

    fn read_all(mut bytes: &[u8]) -> Vec<LogRecord<'_>> {
        let mut records = Vec::new();
        while let ParsedRecord::Record(record, length) = parse(bytes) {
            records.push(record);
            bytes = &bytes[length..];
        }
        records
    }

    proptest! {
        #[test]
        fn records_are_read_as_they_were_written_up_to_a_torn_one(
            outputs in vec((any::<bool>(), any::<u64>(), vec(any::<u8>(), 0..300)), 1..20),
            cut: prop::sample::Index,
        ) {
            let stream = |is_stdout| if is_stdout { LogStream::Stdout } else { LogStream::Stderr };
            let (mut bytes, mut ends) = (Vec::new(), Vec::new());
            for (is_stdout, time, output) in &outputs {
                put_output(&mut bytes, stream(*is_stdout), *time, output);
                ends.push(bytes.len());
            }
            let written: Vec<_> =
                outputs.iter().map(|(is_stdout, _, output)| LogRecord::Output(stream(*is_stdout), output)).collect();
            prop_assert_eq!(read_all(&bytes), written.clone());
            let cut = cut.index(bytes.len());
            let whole = ends.iter().filter(|end| **end <= cut).count();
            prop_assert_eq!(read_all(&bytes[..cut]), &written[..whole]);
        }

        #[test]
        fn any_bytes_are_records_or_end(bytes in vec(any::<u8>(), 0..2000)) {
            prop_assert!(read_all(&bytes).iter().all(|record| !matches!(record, LogRecord::Output(_, bytes) if bytes.len() > MAX_PAYLOAD)));
        }

        #[test]
        fn text_without_its_incomplete_end_is_text(text in "\\PC{0,40}", cut: prop::sample::Index) {
            let bytes = &text.as_bytes()[..cut.index(text.len() + 1)];
            let whole = &bytes[..bytes.len() - incomplete_end(bytes)];
            prop_assert!(str::from_utf8(whole).is_ok());
        }

        #[test]
        fn an_incomplete_end_is_shorter_than_a_character(bytes in vec(any::<u8>(), 0..20)) {
            prop_assert!(incomplete_end(&bytes) <= bytes.len().min(3));
        }
    }

    #[test]
    fn a_gap_is_read_as_it_was_written() {
        let mut bytes = Vec::new();
        put_gap(&mut bytes, u64::MAX);
        assert_eq!(read_all(&bytes), [LogRecord::Gap(u64::MAX)]);
        assert_eq!(LogRecord::Gap(7).advance(), 7);
    }

    #[test]
    fn a_record_of_a_later_version_is_skipped() {
        let mut bytes = Vec::new();
        put(&mut bytes, 9, 0, b"later");
        put(&mut bytes, CONTROL, 0, &[200, 1]);
        put_output(&mut bytes, LogStream::Stderr, 0, b"!");
        assert_eq!(
            read_all(&bytes),
            [LogRecord::Unknown, LogRecord::Unknown, LogRecord::Output(LogStream::Stderr, b"!")]
        );
    }

    #[test]
    fn zeros_behind_the_records_are_no_records() {
        assert_eq!(parse(&[0; 20]), ParsedRecord::Damaged);
    }

    #[test]
    fn a_header_has_the_first_cursor() {
        assert_eq!(first_of(&header(77)), Some(77));
        assert_eq!(first_of(&[0; HEADER]), None);
        assert_eq!(first_of(&header(77)[..20]), None);
    }

    #[test]
    fn the_first_segment_and_the_latest_seven_stay() {
        let mut kept = std::collections::BTreeSet::new();
        for number in 0..30 {
            if let Some(old) = replaced_by(number) {
                kept.remove(&old);
            }
            kept.insert(number);
        }
        assert_eq!(kept.into_iter().collect::<Vec<_>>(), [0, 23, 24, 25, 26, 27, 28, 29]);
    }
}
