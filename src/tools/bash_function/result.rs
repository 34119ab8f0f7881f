//! The answers of `bash()`: their text.

use std::time::Duration;

use super::truncate::{LIMIT, truncated};
use crate::job::Outcome;
use crate::job::model::outcome::{Cause, End};
use crate::process::wait::Exit;

/// The base of the exit code that a shell reports for a death by signal: the signal's number is added.
const SIGNAL_BASE: i32 = 128;

/// Returns the answer to a command. `program` is the program that the plan runs.
#[must_use]
pub fn text(outcome: &Outcome, program: &str, timeout: Option<Duration>) -> String {
    let exit = match &outcome.end {
        End::Exit(exit) => *exit,
        End::NotStarted(error) => return failure(&error.as_node(program).to_string()),
        End::Lost(error) => return failure(&error.message),
        End::NotYet | End::BrokenOff | End::Never => Exit::Unknown,
    };
    let expired = timeout.filter(|_| outcome.cause == Some(Cause::Timeout));
    answer(&outcome.stdout.text(), &outcome.stderr.text(), expired, &exit_code(exit))
}

/// Returns the answer to a command that ran, from its streams, the timeout that ended it, and its exit code.
#[must_use]
pub fn answer(stdout: &str, stderr: &str, expired: Option<Duration>, exit_code: &str) -> String {
    let mut text = truncated(join(stdout, stderr));
    if let Some(timeout) = expired {
        let seconds = timeout.as_secs_f64();
        text = format!("{text}\n[Process timed out after {seconds}s and was terminated]");
    }
    format!("{text}\n[Exit code: {exit_code}]")
}

/// Returns whether the answer lacks a part of the output.
#[must_use]
pub fn is_truncated(outcome: &Outcome) -> bool {
    join(&outcome.stdout.text(), &outcome.stderr.text()).len() > LIMIT
}

/// Returns the answer to a command that could not be started.
#[must_use]
pub fn failure(message: &str) -> String {
    format!("Error: Failed to launch process: {message}")
}

fn join(stdout: &str, stderr: &str) -> String {
    let line_break = if stdout.is_empty() || stderr.is_empty() { "" } else { "\n" };
    [stdout, line_break, stderr].concat()
}

fn exit_code(exit: Exit) -> String {
    match exit {
        Exit::Signal(signal) => (SIGNAL_BASE + signal).to_string(),
        exit => exit.code().map_or_else(|| "unknown".to_owned(), |code| code.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::super::truncate::{CAPTURE_LIMIT, LIMIT};
    use super::text;
    use crate::job::Outcome;
    use crate::job::model::error::LaunchError;
    use crate::job::model::outcome::{Captured, Cause, End};
    use crate::process::errno::Errno;
    use crate::process::wait::Exit;
    use crate::text::{Keeping, Kept};

    fn outcome(stdout: &[u8], stderr: &[u8], exit: Exit) -> Outcome {
        let captured = |bytes: &[u8]| {
            let mut kept = Kept::new(&Keeping::Prefix { limit: CAPTURE_LIMIT });
            kept.push(bytes);
            Captured { kept, total: bytes.len() as u64, start: Vec::new() }
        };
        Outcome {
            end: End::Exit(exit),
            stdout: captured(stdout),
            stderr: captured(stderr),
            ..Outcome::not_started(LaunchError::Internal, None, Duration::ZERO)
        }
    }

    fn answer(stdout: &[u8], stderr: &[u8]) -> String {
        text(&outcome(stdout, stderr, Exit::Code(0)), "sh", None)
    }

    #[test]
    fn no_output_is_an_empty_line() {
        assert_eq!(answer(b"", b""), "\n[Exit code: 0]");
    }

    #[test]
    fn stderr_follows_stdout_after_a_line_break() {
        assert_eq!(answer(b"out\n", b"err\n"), "out\n\nerr\n\n[Exit code: 0]");
        assert_eq!(answer(b"", b"err\n"), "err\n\n[Exit code: 0]");
    }

    #[test]
    fn a_death_by_signal_is_128_and_more() {
        assert_eq!(text(&outcome(b"", b"", Exit::Signal(9)), "sh", None), "\n[Exit code: 137]");
    }

    #[test]
    fn an_exit_code_of_windows_has_no_sign() {
        let crash = Exit::Code(0xC000_0005_u32.cast_signed());
        assert_eq!(text(&outcome(b"", b"", crash), "sh", None), "\n[Exit code: 3221225477]");
    }

    #[test]
    fn a_timeout_is_reported() {
        let outcome = Outcome { cause: Some(Cause::Timeout), ..outcome(b"a", b"", Exit::Signal(15)) };
        assert_eq!(
            text(&outcome, "sh", Some(Duration::from_secs(30))),
            "a\n[Process timed out after 30s and was terminated]\n[Exit code: 143]"
        );
    }

    #[test]
    fn a_failed_launch_says_why() {
        let error = LaunchError::system("sh", Errno(libc::ENOENT));
        assert_eq!(
            text(&Outcome::not_started(error, None, Duration::ZERO), "sh", None),
            "Error: Failed to launch process: spawn sh ENOENT"
        );
    }

    #[test]
    fn the_limit_itself_is_intact_and_one_more_is_cut() {
        let full = vec![b'a'; LIMIT];
        assert_eq!(answer(&full, b"").len(), LIMIT + "\n[Exit code: 0]".len());
        let cut = answer(&[&full[..], b"b"].concat(), b"");
        assert!(cut.ends_with("a\n[Output truncated at 100KB]\n[Exit code: 0]"));
    }

    #[test]
    fn the_line_break_between_the_streams_counts() {
        let cut = answer(&vec![b'a'; LIMIT], b"b");
        assert!(cut.ends_with("a\n[Output truncated at 100KB]\n[Exit code: 0]"));
    }

    #[test]
    fn a_cut_inside_a_character_leaves_a_replacement() {
        let mut bytes = vec![b'a'; LIMIT - 1];
        bytes.extend("é".bytes());
        assert!(answer(&bytes, b"").contains("a\u{fffd}\n[Output truncated"));
    }

    /// Returns the answer made from the whole output: decoded first, and then cut.
    fn answer_from_all(stdout: &[u8], stderr: &[u8]) -> String {
        let mut all = String::from_utf8_lossy(stdout).into_owned();
        let stderr = String::from_utf8_lossy(stderr);
        if !all.is_empty() && !stderr.is_empty() {
            all.push('\n');
        }
        all += &stderr;
        if all.len() > LIMIT {
            all = String::from_utf8_lossy(&all.as_bytes()[..LIMIT]).into_owned()
                + "\n[Output truncated at 100KB]";
        }
        all + "\n[Exit code: 0]"
    }

    #[test]
    fn keeping_a_little_over_the_limit_of_each_stream_is_enough() {
        let ends: [&[u8]; 6] = [b"", b"\xff", "é€🦀".as_bytes(), b"\xf0\x9f", b"\xe2\x82", b"\xed\xa0\x80zz"];
        for before in LIMIT - 5..LIMIT + 6 {
            for end in ends {
                for after in ends {
                    let stream = [&vec![b'a'; before][..], end, after].concat();
                    for (stdout, stderr) in
                        [(&stream[..], after), (end, &stream[..]), (&stream[..], &stream[..])]
                    {
                        assert_eq!(answer(stdout, stderr), answer_from_all(stdout, stderr));
                    }
                }
            }
        }
    }
}
