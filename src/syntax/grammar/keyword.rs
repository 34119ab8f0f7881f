//! Reserved words, as whole words.

use crate::syntax::reader::{Reader, Result, SyntaxError};

impl Reader<'_> {
    /// Returns whether `word` is next, as a whole word.
    pub(super) fn is_next(&mut self, word: &str) -> bool {
        let start = self.offset;
        let is_next = self.eat(word) && self.is_word_end();
        self.offset = start;
        is_next
    }

    pub(super) fn is_word_end(&mut self) -> bool {
        self.is_at_end()
            || matches!(self.peek(), b' ' | b'\t' | b'\n' | b';' | b'&' | b'|' | b'(' | b')' | b'<' | b'>')
    }

    pub(super) fn eat_word(&mut self, word: &str) -> bool {
        let is_next = self.is_next(word);
        if is_next {
            self.eat(word);
        }
        is_next
    }

    pub(super) fn expect(&mut self, word: &'static str) -> Result<()> {
        if self.eat_word(word) { Ok(()) } else { Err(SyntaxError::Open(construct_of(word))) }
    }
}

const fn construct_of(word: &'static str) -> &'static str {
    match word.as_bytes() {
        b"fi" | b"then" => "`if`",
        b"do" | b"done" => "a loop",
        b"in" => "`case`",
        _ => "a group",
    }
}
