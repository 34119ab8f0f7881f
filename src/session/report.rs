//! Parses the reports of a shell on its control pipe. Pure.
//!
//! A report is `TOKEN STATUS NUL DIRECTORY NUL`, in zsh `TOKEN STATUS OPTIONS NUL DIRECTORY NUL`, and the
//! statuses of a pipeline are `TOKEN p STATUS STATUS … NUL`. Each command has a token of its own, so the
//! parser skips anything else on the pipe: the rest of an outdated report, or bytes that a command wrote
//! there.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;

/// The most bytes that are searched for a report: no report is longer.
const MAX_REPORT: usize = 64 * 1024;

/// The initial size of the buffer, which most reports fit in (bytes).
const USUAL: usize = 512;

/// The end of a command, as its shell reported it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShellReport {
    /// The exit status, `$?`.
    pub status: i32,
    /// The options of the shell, `$-`, where it reports them.
    pub options: String,
    /// The working directory, `$PWD`.
    pub directory: PathBuf,
    /// The statuses of the last pipeline, if the command requested them.
    pub pipe_status: Option<Vec<i32>>,
}

/// Collects the bytes of the control pipe.
#[derive(Debug, Default)]
pub struct ReportReader {
    buffer: Vec<u8>,
}

impl ReportReader {
    /// Drops all collected bytes.
    pub fn clear(&mut self) {
        self.buffer.clear();
    }

    /// Returns the buffer for the next bytes.
    pub fn buffer(&mut self) -> &mut Vec<u8> {
        self.buffer.reserve(USUAL);
        &mut self.buffer
    }

    /// Returns the report with this token, once it is complete.
    pub fn find(&mut self, token: &str) -> Option<ShellReport> {
        if self.buffer.len() > MAX_REPORT {
            self.buffer.drain(..self.buffer.len() - MAX_REPORT);
        }
        let mut pipe_status = None;
        let mut rest = self.buffer.as_slice();
        while let Some(start) = memchr::memmem::find(rest, token.as_bytes()) {
            rest = &rest[start + token.len()..];
            let Some(body) = rest.strip_prefix(b" ") else { continue };
            let (first, behind) = split_at_nul(body)?;
            if let Some(statuses) = first.strip_prefix(b"p") {
                pipe_status = numbers(statuses);
            } else if let Some((status, options)) = status_and_options(first) {
                let (directory, _) = split_at_nul(behind)?;
                let directory = PathBuf::from(OsString::from_vec(directory.to_vec()));
                return Some(ShellReport { status, options: options.to_owned(), directory, pipe_status });
            }
        }
        None
    }
}

fn split_at_nul(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let end = memchr::memchr(0, bytes)?;
    Some((&bytes[..end], &bytes[end + 1..]))
}

fn status_and_options(text: &[u8]) -> Option<(i32, &str)> {
    let text = std::str::from_utf8(text).ok()?;
    let (status, options) = text.split_once(' ').unwrap_or((text, ""));
    Some((status.parse().ok()?, options))
}

fn number(digits: &[u8]) -> Option<i32> {
    std::str::from_utf8(digits).ok()?.parse().ok()
}

fn numbers(list: &[u8]) -> Option<Vec<i32>> {
    let list: Option<Vec<i32>> =
        list.split(|&byte| byte == b' ').filter(|digits| !digits.is_empty()).map(number).collect();
    list.filter(|list| !list.is_empty())
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use proptest::prelude::{any, prop, prop_assert_eq, proptest};

    use super::{ReportReader, ShellReport};

    fn read(bytes: &[u8]) -> Option<ShellReport> {
        let mut reader = ReportReader::default();
        reader.buffer().extend_from_slice(bytes);
        reader.find("token")
    }

    #[allow(clippy::unnecessary_wraps, reason = "it is compared with what may be none")]
    fn report(status: i32, directory: &str, pipe_status: Option<Vec<i32>>) -> Option<ShellReport> {
        Some(ShellReport { status, options: String::new(), directory: PathBuf::from(directory), pipe_status })
    }

    #[test]
    fn a_report_has_a_status_and_a_directory() {
        assert_eq!(read(b"token 3\0/tmp\0"), report(3, "/tmp", None));
    }

    #[test]
    fn a_report_may_have_the_options_of_the_shell() {
        let report = read(b"token 3 569Xx\0/tmp\0").expect("a report");
        assert_eq!((report.status, report.options.as_str()), (3, "569Xx"));
    }

    #[test]
    fn a_directory_may_have_line_breaks() {
        assert_eq!(read(b"token 0\0/a\nb c\0"), report(0, "/a\nb c", None));
    }

    #[test]
    fn a_report_that_is_not_whole_is_none() {
        for bytes in [&b""[..], b"token", b"token ", b"token 0", b"token 0\0", b"token 0\0/tmp"] {
            assert_eq!(read(bytes), None);
        }
    }

    #[test]
    fn what_has_another_token_is_skipped() {
        assert_eq!(read(b"other 1\0/x\0token 0\0/tmp\0"), report(0, "/tmp", None));
        assert_eq!(read(b"other 1\0/x\0"), None);
    }

    #[test]
    fn statuses_of_a_pipeline_come_before_the_report() {
        assert_eq!(read(b" token p 1 0\0token 0\0/tmp\0"), report(0, "/tmp", Some(vec![1, 0])));
        assert_eq!(read(b" token p 1 0\0"), None);
    }

    proptest! {
        #[test]
        fn a_report_is_found_behind_any_bytes(
            noise in prop::collection::vec(any::<u8>(), 0..200),
            status in 0..256,
        ) {
            let mut bytes = noise;
            bytes.extend_from_slice(format!("token {status}\0/tmp\0").as_bytes());
            prop_assert_eq!(read(&bytes), report(status, "/tmp", None));
        }
    }
}
