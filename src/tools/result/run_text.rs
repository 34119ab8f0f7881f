//! The text of `run()`.

use std::borrow::Cow;

use crate::job::Outcome;

/// Returns the kept output: standard output, then standard error on a line of its own.
#[must_use]
pub fn output<'a>(stdout: &'a str, stderr: &'a str) -> Cow<'a, str> {
    match (stdout, stderr) {
        (text, "") | ("", text) => Cow::Borrowed(text),
        _ if stdout.ends_with('\n') => Cow::Owned([stdout, stderr].concat()),
        _ => Cow::Owned([stdout, "\n", stderr].concat()),
    }
}

/// Returns whether output was left out.
#[must_use]
pub fn is_truncated(outcome: &Outcome) -> bool {
    outcome.stdout.kept.is_cut() || outcome.stderr.kept.is_cut()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{is_truncated, output};
    use crate::job::Outcome;
    use crate::job::model::error::LaunchError;
    use crate::job::model::outcome::Captured;
    use crate::text::{Keeping, Kept};

    fn outcome(stdout: &str, stderr: &str) -> Outcome {
        let captured = |text: &str| {
            let mut kept = Kept::new(&Keeping::Prefix { limit: 4 });
            kept.push(text.as_bytes());
            Captured { kept, total: text.len() as u64, start: Vec::new() }
        };
        Outcome {
            stdout: captured(stdout),
            stderr: captured(stderr),
            ..Outcome::not_started(LaunchError::Internal, None, Duration::ZERO)
        }
    }

    #[test]
    fn standard_error_begins_a_line() {
        assert_eq!(output("out", "err"), "out\nerr");
        assert_eq!(output("out\n", "err"), "out\nerr");
    }

    #[test]
    fn one_stream_stands_alone() {
        assert_eq!(output("out", ""), "out");
        assert_eq!(output("", "err"), "err");
    }

    #[test]
    fn either_stream_can_be_cut() {
        assert!(!is_truncated(&outcome("1234", "1234")));
        assert!(is_truncated(&outcome("12345", "")));
        assert!(is_truncated(&outcome("", "12345")));
    }
}
