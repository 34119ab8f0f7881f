//! An answer, which is overwritten when it is dropped.

use std::hint::black_box;

use super::PromptKind;

/// The longest answer (bytes).
const MAX_ANSWER: usize = 1024;

/// The shortest answer that is replaced in the output (bytes), as for any value.
const MIN_SECRET: usize = 6;

/// The bytes that a person has given, and a line break after them.
#[derive(Clone, PartialEq, Eq)]
pub struct Answer(Vec<u8>);

impl Answer {
    /// Takes an answer; `None` for one that is too long or has more than one line.
    #[must_use]
    pub fn new(text: String) -> Option<Self> {
        let is_fit = text.len() <= MAX_ANSWER && !text.contains(['\n', '\r', '\0']);
        // The room for the line break: growing would leave a copy behind.
        let mut line = Vec::with_capacity(MAX_ANSWER + 1);
        line.extend_from_slice(text.get(..MAX_ANSWER.min(text.len())).unwrap_or_default().as_bytes());
        line.push(b'\n');
        overwrite(&mut text.into_bytes());
        is_fit.then_some(Self(line))
    }

    /// Returns the answer as a line.
    #[must_use]
    pub fn line(&self) -> &[u8] {
        &self.0
    }

    /// Returns the answer to a prompt of this kind, if the output must not show it: not one that is too short
    /// to be told from other text.
    #[must_use]
    pub fn secret(&self, kind: PromptKind) -> Option<&str> {
        let text = str::from_utf8(&self.0).unwrap_or_default().trim_end_matches('\n');
        (kind != PromptKind::Confirm && text.len() >= MIN_SECRET).then_some(text)
    }
}

impl Drop for Answer {
    fn drop(&mut self) {
        overwrite(&mut self.0);
    }
}

/// Overwrites bytes that are dropped next, in a way that the compiler keeps.
fn overwrite(bytes: &mut [u8]) {
    bytes.fill(0);
    black_box(bytes);
}

impl std::fmt::Debug for Answer {
    /// Shows no answer.
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Answer")
    }
}

#[cfg(test)]
mod tests {
    use super::{Answer, MAX_ANSWER, PromptKind};

    #[test]
    fn an_answer_is_one_line_of_bounded_length() {
        let line = |text: &str| Answer::new(text.to_owned()).map(|answer| answer.line().to_vec());
        assert_eq!(line("open sesame"), Some(b"open sesame\n".to_vec()));
        assert_eq!(line(""), Some(b"\n".to_vec()));
        assert_eq!(line("a\nb"), None);
        assert_eq!(line(&"x".repeat(MAX_ANSWER)).map(|line| line.len()), Some(MAX_ANSWER + 1));
        assert_eq!(line(&"x".repeat(MAX_ANSWER + 1)), None);
    }

    #[test]
    fn a_yes_and_a_short_answer_are_no_secrets() {
        let answer = |text: &str| Answer::new(text.to_owned()).expect("one line");
        assert_eq!(answer("open sesame").secret(PromptKind::Password), Some("open sesame"));
        assert_eq!(answer("somebody").secret(PromptKind::Text), Some("somebody"));
        assert_eq!(answer("SHA256:abc").secret(PromptKind::Confirm), None);
        assert_eq!(answer("12345").secret(PromptKind::Password), None);
    }

    #[test]
    fn an_answer_is_not_in_a_log() {
        let answer = Answer::new("open sesame".to_owned());
        assert!(!format!("{answer:?}").contains("sesame"));
    }
}
