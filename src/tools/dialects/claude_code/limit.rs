//! Shortens long output: to its beginning and end, or by `compat` to its beginning, as the original does.

use crate::tools::outcome::command::{CommandOutcome, CommandStatus, OutputFile};
use crate::tools::text::cut::{Cut, by_characters};

/// The number of characters that are shown of output that went to a file.
const PREVIEW: usize = 2_000;

/// The most characters that the model reads, and which.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limit {
    pub(super) max_chars: usize,
    /// Whether only the beginning is shown. An error is mostly at the end.
    pub(super) is_beginning: bool,
}

impl Limit {
    /// Returns whether a text is longer than the limit.
    pub(super) fn is_exceeded(self, text: &str) -> bool {
        by_characters(text, self.max_chars, 0).is_some()
    }

    /// Returns a text with the number of lines that are left out.
    pub(super) fn truncated(self, text: String) -> String {
        let Some(Cut { head, tail }) = self.cut(&text, self.max_chars) else { return text };
        let left_out = text[head.len()..text.len() - tail.len()].lines().count();
        let end = if tail.is_empty() { String::new() } else { format!("\n\n{tail}") };
        format!("{head}\n\n... [{left_out} lines truncated] ...{end}")
    }

    /// Returns a preview of a text, and names the file with it: the beginning and the end, or the end alone
    /// if the job no longer has the first bytes of its output.
    pub(super) fn persisted(self, text: &str, outcome: &CommandOutcome, file: &str) -> String {
        let dropped = outcome.output.dropped;
        let whole = Cut { head: text, tail: "" };
        let (which, Cut { head, tail }) = if dropped > 0.0 {
            let end = by_characters(text, 0, PREVIEW).map_or(text, |cut| cut.tail);
            ("last 2KB", Cut { head: end, tail: "" })
        } else if self.is_beginning {
            ("first 2KB", self.cut(text, PREVIEW).unwrap_or(whole))
        } else {
            ("first and last 1KB", self.cut(text, PREVIEW).unwrap_or(whole))
        };
        let end =
            if tail.is_empty() { String::new() } else { format!("{}\n", tail.trim_start_matches('\n')) };
        #[allow(clippy::cast_precision_loss, reason = "it is rounded")]
        let size = (text.len() as f64 + dropped) / 1024.0;
        let saved = match outcome.status {
            CommandStatus::Background => "It is being written to".to_owned(),
            _ => match &outcome.file {
                Some(OutputFile { bytes, is_part: true, .. }) => format!("Its first {bytes} bytes saved to"),
                _ => "Full output saved to".to_owned(),
            },
        };
        format!(
            "<persisted-output>\nOutput too large ({size:.1}KB). {saved}: {file}\n\nPreview ({which}):\n{head}\n...\n\
             {end}</persisted-output>"
        )
    }

    fn cut(self, text: &str, most: usize) -> Option<Cut<'_>> {
        let head = if self.is_beginning { most } else { most / 2 };
        by_characters(text, head, most - head)
    }
}

#[cfg(test)]
mod tests {
    use super::{CommandOutcome, Limit};

    #[test]
    fn long_output_keeps_its_end_and_counts_the_lines_between() {
        let limit = Limit { max_chars: 8, is_beginning: false };
        assert_eq!(limit.truncated("12345678".to_owned()), "12345678");
        assert_eq!(
            limit.truncated("ää1\n2\n3\n4\nEND".to_owned()),
            "ää1\n\n\n... [3 lines truncated] ...\n\n\nEND"
        );
    }

    #[test]
    fn the_original_keeps_the_beginning_alone() {
        let limit = Limit { max_chars: 4, is_beginning: true };
        assert_eq!(limit.truncated("ää1\n2\n3".to_owned()), "ää1\n\n\n... [2 lines truncated] ...");
        let text = format!("{}END", "x\n".repeat(2_000));
        let preview = limit.persisted(&text, &CommandOutcome::default(), "/f");
        assert!(preview.contains("Preview (first 2KB):\nx\n") && !preview.contains("END"), "{preview}");
    }

    #[test]
    fn a_preview_has_the_end_of_the_output() {
        let limit = Limit { max_chars: 4, is_beginning: false };
        let text = format!("{}END", "x\n".repeat(2_000));
        let preview = limit.persisted(&text, &CommandOutcome::default(), "/f");
        assert!(preview.contains("Preview (first and last 1KB):\nx\n"), "{preview}");
        assert!(preview.ends_with("x\nEND\n</persisted-output>"), "{preview}");
        assert!(preview.chars().count() < 2_200, "{preview}");
    }
}
