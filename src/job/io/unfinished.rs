//! The reports of lines that are not finished. Pure.
//!
//! With plain text, a line goes to the consumer when it is finished, because a program may overwrite it until
//! then. A consumer that shows the output of a running command asks for what the lines are so far. It gets
//! one report for each request, so it decides how many there are.

/// The request of a consumer for unfinished lines, and those that it has got.
#[derive(Debug, Default)]
pub(crate) struct Unfinished {
    is_asked: bool,
    /// Whether there was output since the last report.
    has_news: bool,
    /// Whether a line of the last report had text.
    had_text: bool,
}

impl Unfinished {
    /// Requests one report.
    pub(crate) const fn ask(&mut self) {
        self.is_asked = true;
    }

    /// Records that there was output.
    pub(crate) const fn note_output(&mut self) {
        self.has_news = true;
    }

    /// Returns the report that is due: one was requested, and the lines may differ from the last one. `lines`
    /// returns the lines of both streams, which takes time.
    pub(crate) fn due(&mut self, lines: impl FnOnce() -> [String; 2]) -> Option<[String; 2]> {
        if !(self.is_asked && self.has_news) {
            return None;
        }
        self.has_news = false;
        let lines = lines();
        let has_text = lines.iter().any(|line| !line.is_empty());
        if !has_text && !self.had_text {
            return None;
        }
        self.had_text = has_text;
        self.is_asked = false;
        Some(lines)
    }
}

#[cfg(test)]
mod tests {
    use super::Unfinished;

    fn due(unfinished: &mut Unfinished, line: &str) -> Option<[String; 2]> {
        unfinished.due(|| [line.to_owned(), String::new()])
    }

    fn report(line: &str) -> [String; 2] {
        [line.to_owned(), String::new()]
    }

    #[test]
    fn each_request_gets_one_report_when_there_is_output() {
        let mut unfinished = Unfinished::default();
        unfinished.note_output();
        assert_eq!(due(&mut unfinished, "a"), None);
        unfinished.ask();
        assert_eq!(due(&mut unfinished, "a"), Some(report("a")));
        unfinished.note_output();
        assert_eq!(due(&mut unfinished, "ab"), None);
        unfinished.ask();
        assert_eq!(due(&mut unfinished, "ab"), Some(report("ab")));
        unfinished.ask();
        assert_eq!(due(&mut unfinished, "ab"), None);
    }

    #[test]
    fn a_line_that_was_erased_is_reported_and_then_nothing() {
        let mut unfinished = Unfinished::default();
        for (line, expected) in [("", None), ("50%", Some(report("50%"))), ("", Some(report(""))), ("", None)]
        {
            unfinished.ask();
            unfinished.note_output();
            assert_eq!(due(&mut unfinished, line), expected);
        }
    }
}
