//! Removes control characters from what a model reads.
//!
//! Some interfaces of model vendors refuse a whole conversation that contains one. Only the tab and the line
//! feed stay, and ESC where the host wants escape sequences.

use std::borrow::Cow;
use std::mem::take;

use crate::text::PlainText;
use crate::tools::dialect::Answer;
use crate::tools::outcome::command::CommandOutput;
use crate::tools::settings::ToolsetSettings;

/// The filter of a dialect's answers.
#[derive(Clone, Copy, Debug)]
pub struct Filter {
    keeps_escapes: bool,
}

impl Filter {
    /// Creates the filter for the host's settings.
    #[must_use]
    pub fn new(settings: &ToolsetSettings) -> Self {
        Self { keeps_escapes: !settings.strips_escapes() }
    }

    /// Removes the control characters of the output.
    pub fn clean(self, output: &mut CommandOutput) {
        output.stdout = self.output(take(&mut output.stdout));
        output.stderr = self.output(take(&mut output.stderr));
    }

    /// Returns the answer without control characters in its text and in the texts of its data.
    #[must_use]
    pub fn answer(self, answer: Answer) -> Answer {
        let Answer { text, is_error, data } = answer;
        let is_json = text == data;
        let data = self.json(data);
        Answer::raw(if is_json { data.clone() } else { self.text(text) }, is_error, data)
    }

    /// Returns output as a terminal would show its lines.
    #[must_use]
    pub fn output(self, output: String) -> String {
        if self.keeps_escapes || !output.bytes().any(|byte| self.is_removed(byte)) {
            return self.text(output);
        }
        let mut plain = String::with_capacity(output.len());
        let mut lines = PlainText::default();
        lines.push(&output, &mut plain);
        lines.finish(&mut plain);
        plain
    }

    /// Returns a text without control characters. A carriage return becomes a line break.
    #[must_use]
    pub fn text(self, text: String) -> String {
        if !text.bytes().any(|byte| self.is_removed(byte)) {
            return text;
        }
        let text = text.replace("\r\n", "\n").replace('\r', "\n");
        text.chars()
            .filter(|&character| u8::try_from(character).map_or(true, |byte| !self.is_removed(byte)))
            .collect()
    }

    /// Returns JSON without control characters in its texts, which `serde_json` writes as escape sequences.
    fn json(self, json: String) -> String {
        let mut kept = String::new();
        let mut rest = json.as_str();
        while let Some(at) = rest.find('\\') {
            let (before, escape) = rest.split_at(at);
            let (length, replacement) = self.escape(escape);
            kept.push_str(before);
            kept.push_str(&replacement);
            rest = &escape[length..];
        }
        if kept.is_empty() {
            return json;
        }
        kept + rest
    }

    /// Returns the length of the escape sequence at the beginning of `json`, and its replacement.
    fn escape(self, json: &str) -> (usize, Cow<'_, str>) {
        match json.as_bytes() {
            [_, b'r', b'\\', b'n', ..] => (4, r"\n".into()),
            [_, b'r', ..] => (2, r"\n".into()),
            [_, b'b' | b'f', ..] => (2, "".into()),
            [_, b'u', b'0', b'0', b'0' | b'1', _, ..] => {
                let is_kept = self.keeps_escapes && json[2..6].eq_ignore_ascii_case("001b");
                (6, if is_kept { json[..6].into() } else { "".into() })
            }
            _ => (2.min(json.len()), json[..2.min(json.len())].into()),
        }
    }

    const fn is_removed(self, byte: u8) -> bool {
        match byte {
            b'\t' | b'\n' => false,
            0x1b => !self.keeps_escapes,
            _ => byte < b' ',
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{CommandOutput, Filter};
    use crate::tools::dialect::Answer;

    const ALL: &str = "a\0b\u{1}c\td\u{8}\u{c}\u{1f}\u{1b}[1me\r\nf\rg\\u0000";

    #[test]
    fn no_control_character_but_tab_and_line_feed_is_in_an_answer() {
        for (keeps_escapes, expected) in
            [(false, "abc\td[1me\nf\ng\\u0000"), (true, "abc\td\u{1b}[1me\nf\ng\\u0000")]
        {
            let filter = Filter { keeps_escapes };
            let answer = filter.answer(Answer::new(ALL.to_owned(), false, &[ALL]));
            assert_eq!(answer.text, expected);
            let data: Vec<String> = serde_json::from_str(&answer.data).expect("JSON");
            assert_eq!(data, [expected]);
        }
    }

    #[test]
    fn a_progress_bar_leaves_its_last_state() {
        let mut output =
            CommandOutput { stdout: "\u{1b}[1m10%\r100%\u{1b}[0m\0\n".into(), ..CommandOutput::default() };
        Filter { keeps_escapes: false }.clean(&mut output);
        assert_eq!(output.stdout, "100%\n");
    }

    #[test]
    fn a_text_of_nothing_else_is_not_empty() {
        let answer = Filter { keeps_escapes: false }.answer(Answer::new("\u{7}".to_owned(), false, &()));
        assert_eq!(answer.text, "(no output)");
    }
}
