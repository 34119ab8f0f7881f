//! Here-documents: their bodies follow the line of the redirection.

use std::rc::Rc;

use crate::syntax::reader::{Pending, Reader, Result, SyntaxError};
use crate::syntax::tree::{RedirectMode, Redirection, Word};

impl Reader<'_> {
    /// Returns the redirection of a here-document, and records that its body follows the line.
    pub(in crate::syntax) fn announce_body(
        &mut self,
        delimiter: Word,
        strips_tabs: bool,
    ) -> Result<Redirection> {
        // Bash 5.2 prints arithmetic that it has read, and reads the printed text again: text of the body
        // would then run as commands.
        if self.arithmetic > 0 {
            return self.unclear("a here-document stands inside of arithmetic");
        }
        let Some(text) = delimiter.literal() else {
            return self.unclear("the delimiter of a here-document has an expansion");
        };
        if text.contains('\n') {
            return self.unclear("the delimiter of a here-document has a line break");
        }
        let body = Rc::default();
        let is_quoted = delimiter.pieces.iter().any(|piece| piece.is_quoted) || delimiter.pieces.is_empty();
        self.pending.push(Pending { delimiter: text, is_quoted, strips_tabs, body: Rc::clone(&body) });
        Ok(Redirection {
            number: None,
            variable: None,
            mode: RedirectMode::HereDocument,
            target: delimiter,
            body: Some(body),
        })
    }

    /// Reads the bodies of the here-documents of the line that has just ended.
    pub(in crate::syntax) fn read_bodies(&mut self) -> Result<()> {
        for pending in std::mem::take(&mut self.pending) {
            let body = self.read_body(&pending)?;
            // The cell is empty, because each body is read once.
            let _ = pending.body.set(body);
        }
        Ok(())
    }

    fn read_body(&mut self, pending: &Pending) -> Result<Word> {
        let mut text = String::new();
        loop {
            if self.offset >= self.text.len() {
                return Err(SyntaxError::Open("a here-document"));
            }
            let line = self.body_line(!pending.is_quoted);
            let line = if pending.strips_tabs { line.trim_start_matches('\t') } else { &line };
            if line.strip_suffix('\n').unwrap_or(line) == pending.delimiter {
                break;
            }
            // In a substitution, bash 5.2 reads `E)` as the end of the body and of the substitution.
            let behind = line.strip_prefix(pending.delimiter.as_str());
            if self.depth > 0 && behind.is_some_and(|behind| behind.starts_with(')')) {
                return self.unclear("a parenthesis behind the end of a here-document");
            }
            text.push_str(line);
        }
        if pending.is_quoted {
            let mut word = Word::default();
            word.push_text(&text, true);
            return Ok(word);
        }
        Reader::new(&text, self.syntax, self.depth).deeper(Reader::here_text)
    }

    /// Reads one line with its line break. With `joins`, a backslash before the line break joins two lines.
    fn body_line(&mut self, joins: bool) -> String {
        let bytes = self.text.as_bytes();
        let mut line = String::new();
        let mut start = self.offset;
        while let Some(&byte) = bytes.get(self.offset) {
            self.offset += 1;
            if byte == b'\n' {
                break;
            }
            if joins && byte == b'\\' {
                if self.raw(0) == b'\n' {
                    line.push_str(&self.text[start..self.offset - 1]);
                    self.offset += 1;
                    start = self.offset;
                } else if self.raw(0) != 0 {
                    // The character after a backslash is text, even a second backslash.
                    self.take_char();
                }
            }
        }
        line.push_str(&self.text[start..self.offset.min(self.text.len())]);
        line
    }
}
