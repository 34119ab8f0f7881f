//! Phrases and formats that several dialects share.

use crate::tools::outcome::command::CommandStatus;

/// Formats a time in seconds without needless digits: `2 s`, `0.3 s`.
#[must_use]
pub fn seconds(milliseconds: f64) -> String {
    format!("{} s", milliseconds / 1000.0)
}

/// Returns the name that `run()` gives a status.
#[must_use]
pub const fn status_name(status: CommandStatus) -> &'static str {
    match status {
        CommandStatus::Exited => "exited",
        CommandStatus::Signaled => "signaled",
        CommandStatus::Timeout => "timeout",
        CommandStatus::IdleTimeout => "idleTimeout",
        CommandStatus::Background => "background",
        CommandStatus::Aborted => "aborted",
        CommandStatus::Denied => "denied",
        CommandStatus::Failed => "failed",
        CommandStatus::Unknown => "unknown",
    }
}

/// Joins the lines that are not empty by line breaks.
#[must_use]
pub fn lines<const N: usize>(lines: [&str; N]) -> String {
    let used: Vec<_> = lines.into_iter().filter(|line| !line.is_empty()).collect();
    used.join("\n")
}

/// Returns a text without the line breaks at its end.
#[must_use]
pub fn without_last_breaks(text: &str) -> &str {
    text.trim_end_matches(['\n', '\r'])
}

/// Formats pids as a list: `1, 2`.
#[must_use]
pub fn pids(pids: &[i64]) -> String {
    pids.iter().map(i64::to_string).collect::<Vec<_>>().join(", ")
}

/// Formats a number with a comma between thousands: `40,000`.
#[must_use]
pub fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let first = digits.len() % 3;
    let mut text = digits[..first].to_owned();
    for start in (first..digits.len()).step_by(3) {
        if !text.is_empty() {
            text.push(',');
        }
        text.push_str(&digits[start..start + 3]);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::{grouped, lines, seconds};

    #[test]
    fn thousands_have_commas() {
        assert_eq!(
            [0, 999, 1_000, 40_000, 1_234_567].map(grouped),
            ["0", "999", "1,000", "40,000", "1,234,567"]
        );
    }

    #[test]
    fn empty_lines_are_left_out() {
        assert_eq!(lines(["a", "", "b"]), "a\nb");
        assert_eq!(lines(["", ""]), "");
    }

    #[test]
    fn seconds_have_no_needless_digits() {
        assert_eq!([seconds(2_000.0), seconds(300.0)], ["2 s", "0.3 s"]);
    }
}
