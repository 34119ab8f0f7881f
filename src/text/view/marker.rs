//! The markers in place of left-out lines, and the footer, which is the last line of a view.

use super::minimize::Reasons;
use super::options::{JobPart, Source};

/// A run of lines that are not shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LeftOut {
    /// The number of the first line.
    pub from: u64,
    /// The number of the last line.
    pub to: u64,
    /// The size of the lines as written, with their line breaks (bytes).
    pub bytes: u64,
    /// The number of the shown line to which all of these lines are similar.
    pub like: Option<u64>,
    /// The reasons for which all of these lines are left out although there is room.
    pub reason: Option<Reasons>,
}

impl LeftOut {
    #[must_use]
    pub const fn lines(&self) -> u64 {
        self.to - self.from + 1
    }

    /// Returns the marker in place of the lines.
    pub(super) fn marker(&self) -> String {
        let bytes = grouped(self.bytes);
        let unit = if self.bytes == 1 { "byte" } else { "bytes" };
        let Self { from, to, .. } = self;
        let lines = grouped(self.lines());
        let reason = self.reason.map_or_else(String::new, |reasons| format!(", {}", reasons.text()));
        match self.like {
            Some(like) => {
                format!("[lines {from}-{to} left out: {lines} lines like line {like}, {bytes} {unit}]")
            }
            None if from == to => format!("[line {from} left out: {bytes} {unit}{reason}]"),
            None => format!("[lines {from}-{to} left out: {lines} lines, {bytes} {unit}{reason}]"),
        }
    }

    /// Returns the length of the marker (bytes).
    pub(super) fn marker_len(&self) -> usize {
        let bytes = grouped_len(self.bytes) + if self.bytes == 1 { 5 } else { 6 };
        if let Some(like) = self.like {
            return 39
                + digits(self.from)
                + digits(self.to)
                + grouped_len(self.lines())
                + digits(like)
                + bytes;
        }
        let bytes = bytes + self.reason.map_or(0, |reasons| 2 + reasons.text_len());
        if self.from == self.to {
            return 18 + digits(self.from) + bytes;
        }
        28 + digits(self.from) + digits(self.to) + grouped_len(self.lines()) + bytes
    }
}

/// The content of the last line.
#[derive(Clone, Copy, Debug)]
pub(super) struct Footer<'a> {
    pub(super) lines: u64,
    pub(super) bytes: u64,
    pub(super) shown: u64,
    /// The number of failures left out, and the number of the first one.
    pub(super) failures: Option<(u64, u64)>,
    pub(super) source: &'a Source<'a>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Detail {
    Full,
    NoCommand,
    NoPath,
    Short,
}

impl Footer<'_> {
    #[allow(clippy::format_push_string, reason = "one footer for each view")]
    pub(super) fn text(&self, detail: Detail) -> String {
        if let Source::Job(part) = self.source {
            return self.text_of_part(part, detail);
        }
        let (lines, bytes, shown) = (grouped(self.lines), grouped(self.bytes), grouped(self.shown));
        let unit = |count| if count == 1 { "line" } else { "lines" };
        let (line_unit, shown_unit) = (unit(self.lines), unit(self.shown));
        let mut text = format!("[output: {lines} {line_unit}, {bytes} bytes, {shown} {shown_unit} shown");
        if let (Some((count, first)), false) = (self.failures, detail == Detail::Short) {
            let them = if count == 1 {
                "line looks like a failure, line"
            } else {
                "lines look like failures, from line"
            };
            let on = if count == 1 { "" } else { " on" };
            text.push_str(&format!("; {} more {them} {}{on}", grouped(count), grouped(first)));
        }
        match (self.source, detail) {
            (_, Detail::Short)
            | (Source::File(_) | Source::Beginning(..), Detail::NoPath)
            | (Source::Job(_), _) => {}
            (Source::NotKept, _) => text.push_str("; the rest was not kept"),
            (Source::File(path), Detail::NoCommand) => text.push_str(&format!("; whole: {}", quoted(path))),
            (Source::File(path), Detail::Full) => {
                let path = quoted(path);
                text.push_str(&format!("; whole: {path}; lines A to B: sed -n 'A,Bp' {path}"));
            }
            (Source::Beginning(path, bytes), _) => {
                text.push_str(&format!("; {} has the first {} bytes", quoted(path), grouped(*bytes)));
            }
        }
        text.push(']');
        text
    }

    fn text_of_part(&self, part: &JobPart<'_>, detail: Detail) -> String {
        let JobPart { lines_before, is_new, reader } = *part;
        let (lines, bytes, shown) = (grouped(self.lines), grouped(self.bytes), grouped(self.shown));
        let unit = |count| if count == 1 { "line" } else { "lines" };
        let (line_unit, shown_unit) = (unit(self.lines), unit(self.shown));
        let new = if is_new { " new" } else { "" };
        let is_short = detail == Detail::Short;
        let counted = match lines_before {
            None if !is_short => ", counted from the first one that is kept",
            _ => "",
        };
        let reader = reader.filter(|_| !is_short);
        let reader = reader.map_or_else(String::new, |tool| format!("; {tool} shows others"));
        format!(
            "[output: {lines}{new} {line_unit}{counted}, {bytes} bytes, {shown} {shown_unit} shown{reader}]"
        )
    }
}

fn quoted(path: &str) -> String {
    // A line break would end the footer.
    shell_words::quote(path).replace(['\n', '\r'], "?")
}

/// Formats a number with a comma after every three digits.
pub(super) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() * 4 / 3 + 1);
    for (index, digit) in digits.char_indices() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

fn digits(number: u64) -> usize {
    number.checked_ilog10().unwrap_or(0) as usize + 1
}

/// Returns the length of a number with its commas.
pub(super) fn grouped_len(number: u64) -> usize {
    let digits = digits(number);
    digits + (digits - 1) / 3
}

/// Returns whether a line of the output looks like a marker of a view.
pub(super) fn looks_like_marker(line: &str) -> bool {
    line.starts_with("[line") || line.starts_with("[output")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{Detail, Footer, JobPart, LeftOut, Reasons, Source, grouped, looks_like_marker};
    use crate::text::view::minimize::OmissionReason;

    #[test]
    fn numbers_are_grouped() {
        assert_eq!([0, 999, 1_000, 1_234_567].map(grouped), ["0", "999", "1,000", "1,234,567"]);
    }

    #[test]
    fn markers_are_as_documented() {
        let run = LeftOut { from: 121, to: 4_380, bytes: 310_223, like: None, reason: None };
        assert_eq!(run.marker(), "[lines 121-4380 left out: 4,260 lines, 310,223 bytes]");
        let one = LeftOut { from: 121, to: 121, bytes: 96, like: None, reason: None };
        assert_eq!(one.marker(), "[line 121 left out: 96 bytes]");
        let reasons = Reasons::default().with(OmissionReason::PassedTests);
        let passed = LeftOut { from: 12, to: 140, bytes: 6_021, like: None, reason: Some(reasons) };
        assert_eq!(passed.marker(), "[lines 12-140 left out: 129 lines, 6,021 bytes, passed tests]");
        let alike = LeftOut { from: 55, to: 154, bytes: 9_310, like: Some(54), reason: None };
        assert_eq!(alike.marker(), "[lines 55-154 left out: 100 lines like line 54, 9,310 bytes]");
    }

    #[test]
    fn the_footer_is_as_documented() {
        let source = Source::File("/tmp/a b");
        let footer = Footer {
            lines: 18_339,
            bytes: 1_301_220,
            shown: 212,
            failures: Some((14, 5_120)),
            source: &source,
        };
        assert_eq!(
            footer.text(Detail::Full),
            "[output: 18,339 lines, 1,301,220 bytes, 212 lines shown; 14 more lines look like failures, \
             from line 5,120 on; whole: '/tmp/a b'; lines A to B: sed -n 'A,Bp' '/tmp/a b']"
        );
    }

    #[test]
    fn the_footer_of_a_part_names_the_tool_for_other_lines_where_there_is_room() {
        let footer = |lines_before, is_new, reader, detail| {
            let source = Source::Job(JobPart { lines_before, is_new, reader });
            Footer { lines: 3_000, bytes: 18_892, shown: 1, failures: Some((1, 7)), source: &source }
                .text(detail)
        };
        assert_eq!(
            footer(None, true, Some("bash_output"), Detail::Full),
            "[output: 3,000 new lines, counted from the first one that is kept, 18,892 bytes, 1 line shown; \
             bash_output shows others]"
        );
        assert_eq!(
            footer(Some(2), false, None, Detail::Full),
            "[output: 3,000 lines, 18,892 bytes, 1 line shown]"
        );
        assert_eq!(
            footer(None, true, Some("bash_output"), Detail::Short),
            "[output: 3,000 new lines, 18,892 bytes, 1 line shown]"
        );
    }

    #[test]
    fn one_byte_is_named_as_one() {
        for (to, like, marker) in [
            (5, None, "[line 5 left out: 1 byte]"),
            (6, None, "[lines 5-6 left out: 2 lines, 1 byte]"),
            (6, Some(4), "[lines 5-6 left out: 2 lines like line 4, 1 byte]"),
        ] {
            let left_out = LeftOut { from: 5, to, bytes: 1, like, reason: None };
            assert_eq!((left_out.marker().as_str(), left_out.marker_len()), (marker, marker.len()));
        }
    }

    #[test]
    fn the_footer_of_one_failure_is_one_line_whatever_the_path() {
        let source = Source::File("/tmp/a\nb");
        let footer = Footer { lines: 9, bytes: 90, shown: 1, failures: Some((1, 7)), source: &source };
        assert_eq!(
            footer.text(Detail::NoCommand),
            "[output: 9 lines, 90 bytes, 1 line shown; 1 more line looks like a failure, line 7; \
             whole: '/tmp/a?b']"
        );
    }

    #[test]
    fn lines_that_begin_like_a_marker_or_a_footer_are_recognized() {
        let is_one = ["[line 5", "[lines 5-6", "[output: 3", "[out", " [line 5"].map(looks_like_marker);
        assert_eq!(is_one, [true, true, true, false, false]);
    }

    fn any_reasons() -> impl Strategy<Value = Reasons> {
        use crate::text::view::minimize::OmissionReason::{Built, Notices, PassedTests, Progress};
        let one = prop::sample::select(vec![Built, Notices, PassedTests, Progress]);
        prop::collection::vec(one, 1..4)
            .prop_map(|all| all.into_iter().fold(Reasons::default(), Reasons::with))
    }

    proptest! {
        #[test]
        fn the_computed_length_of_a_marker_is_exact(
            from in 1..3_000_000_u64,
            more in 0..5_000_000_u64,
            bytes: u32,
            like in prop::option::of(1..99_999_u64),
            reason in prop::option::of(any_reasons()),
        ) {
            let reason = reason.filter(|_| like.is_none());
            let left_out = LeftOut { from, to: from + more, bytes: bytes.into(), like, reason };
            prop_assert_eq!(left_out.marker_len(), left_out.marker().len());
        }
    }
}
